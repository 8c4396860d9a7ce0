import { a, Capability, RegisterKind } from "pepr";
import { answer } from "../webhook/admission";
import { Api, mostConnections } from "../kubernetes/api";
import { operator } from "../operator/operator";
import { Reconciler } from "../operator/reconciler";
import { Admission } from "./admission/admission";
import { MLScalerController } from "./controller";
import { mlscaler } from "./schema";

export class MLScaler extends a.GenericKind {}

RegisterKind(MLScaler, mlscaler);

// Keep-alive connections: admission requests come in bursts, and a new connection costs more than the request itself.
export const admission = new Admission(new Api(undefined, mostConnections));

export const reconciler = new Reconciler(operator.context, new MLScalerController(operator.context));

export const capability = new Capability({ name: "mlscaler", description: mlscaler.description });

capability
  .When(MLScaler)
  .IsCreatedOrUpdated()
  .Validate(request => answer(mlscaler, request, review => admission.review(review)))
  .Watch(object => operator.changed(reconciler, object));
