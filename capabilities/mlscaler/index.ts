import { a, Capability, RegisterKind } from "pepr";
import { answer } from "../common/admission";
import { Api, mostConnections } from "../common/api";
import { operator } from "../common/operator";
import { Reconciler } from "../common/reconciler";
import { Admission } from "./admission";
import { MLScalerController } from "./controller";
import { mlscaler } from "./schema";

export class MLScaler extends a.GenericKind {}

RegisterKind(MLScaler, mlscaler);

// Requests come many at once, and then none: a connection opened anew for each would be most of what they cost.
export const admission = new Admission(new Api(undefined, mostConnections));

export const reconciler = new Reconciler(operator.surroundings, new MLScalerController(operator.surroundings));

export const capability = new Capability({ name: "mlscaler", description: mlscaler.description });

capability
  .When(MLScaler)
  .IsCreatedOrUpdated()
  .Validate(request => answer(mlscaler, request, review => admission.review(review)))
  .Watch(object => operator.changed(reconciler, object));
