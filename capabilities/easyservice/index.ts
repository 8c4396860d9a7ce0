import { a } from "pepr";
import { CapabilityModule, capabilityOf } from "../operator/capability";
import { Operator } from "../operator/operator";
import { review } from "./admission";
import { EasyServiceController } from "./controller";

export class EasyService extends a.GenericKind {}

/** The capability of EasyServices under an operator. */
export const easyservice = (operator: Operator): CapabilityModule =>
  capabilityOf(operator, EasyService, new EasyServiceController(operator.context), review);
