import { a, Capability, RegisterKind } from "pepr";
import { api, changed, events, leading, scheduler } from "../common/operator";
import { answer } from "../common/admission";
import { review } from "./admission";
import { MLScalerController } from "./controller";
import { mlscaler } from "./schema";

export class MLScaler extends a.GenericKind {}

RegisterKind(MLScaler, {
  group: mlscaler.group,
  version: mlscaler.version,
  kind: mlscaler.kind,
  plural: mlscaler.plural,
});

export const controller: MLScalerController = new MLScalerController({
  api,
  events,
  leading,
  wake: key => leading() && scheduler.wake(mlscaler.kind, key, controller),
});

export const capability = new Capability({ name: "mlscaler", description: mlscaler.description });

capability
  .When(MLScaler)
  .IsCreatedOrUpdated()
  .Validate(request => answer(request, object => review(api, object)))
  .Watch(object => changed(controller, object));
