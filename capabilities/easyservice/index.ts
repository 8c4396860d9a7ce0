import { a } from "pepr";
import { capabilityOf } from "../operator/capability";
import { operator } from "../operator/operator";
import { review } from "./admission";
import { EasyServiceController } from "./controller";

export class EasyService extends a.GenericKind {}

export const { capability, reconciler } = capabilityOf(
  EasyService,
  new EasyServiceController(operator.context),
  review,
);
