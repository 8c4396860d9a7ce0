import { a } from "pepr";
import { Api, mostConnections } from "../kubernetes/api";
import { capabilityOf } from "../operator/capability";
import { operator } from "../operator/operator";
import { Admission } from "./admission/admission";
import { MLScalerController } from "./controller";

export class MLScaler extends a.GenericKind {}

// Keep-alive connections: admission requests come in bursts, and a new connection costs more than the request itself.
export const admission = new Admission(new Api(undefined, mostConnections));

export const { capability, reconciler } = capabilityOf(MLScaler, new MLScalerController(operator.context), review =>
  admission.review(review),
);
