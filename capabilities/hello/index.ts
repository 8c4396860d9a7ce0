import { a } from "pepr";
import { CapabilityModule, capabilityOf } from "../operator/capability";
import { Operator } from "../operator/operator";
import { HelloController } from "./controller";

export class Hello extends a.GenericKind {}

/** The capability of Helloes under an operator. */
export const hello = (operator: Operator): CapabilityModule =>
  capabilityOf(operator, Hello, new HelloController(operator.context));
