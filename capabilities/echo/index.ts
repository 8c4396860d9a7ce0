import { a } from "pepr";
import { CapabilityModule, capabilityOf } from "../operator/capability";
import { Operator } from "../operator/operator";
import { EchoController } from "./controller";

export class Echo extends a.GenericKind {}

/** The capability of Echoes under an operator. */
export const echo = (operator: Operator): CapabilityModule =>
  capabilityOf(operator, Echo, new EchoController(operator.context));
