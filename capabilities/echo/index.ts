import { a } from "pepr";
import { capabilityOf } from "../operator/capability";
import { operator } from "../operator/operator";
import { EchoController } from "./controller";

export class Echo extends a.GenericKind {}

export const { capability, reconciler } = capabilityOf(Echo, new EchoController(operator.context));
