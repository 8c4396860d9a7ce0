import { a } from "pepr";
import { capabilityOf } from "../operator/capability";
import { operator } from "../operator/operator";
import { HelloController } from "./controller";

export class Hello extends a.GenericKind {}

export const { capability, reconciler } = capabilityOf(Hello, new HelloController(operator.context));
