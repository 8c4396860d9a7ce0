import { Api, mostConnections } from "../kubernetes/api";
import { CapabilityModule, capabilityOf } from "../operator/capability";
import { Operator } from "../operator/operator";
import { Admission } from "./admission/admission";
import { MLScalerController } from "./controller";

/** The capability of MLScalers under an operator. */
export function mlscaler(operator: Operator): CapabilityModule {
  const { context } = operator;
  // Keep-alive connections: reviews come in bursts, and a new connection costs more than the request itself.
  const admission = new Admission(new Api(undefined, mostConnections), context.namespaces, context.turns);
  const controller = new MLScalerController(context);
  return { ...capabilityOf(operator, controller, review => admission.review(review)), admission };
}
