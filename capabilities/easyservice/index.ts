import { a, Capability, RegisterKind } from "pepr";
import { answer } from "../webhook/admission";
import { operator } from "../operator/operator";
import { Reconciler } from "../operator/reconciler";
import { review } from "./admission";
import { EasyServiceController } from "./controller";
import { easyservice } from "./schema";

export class EasyService extends a.GenericKind {}

RegisterKind(EasyService, easyservice);

export const reconciler = new Reconciler(operator.context, new EasyServiceController(operator.context));

export const capability = new Capability({ name: "easyservice", description: easyservice.description });

capability
  .When(EasyService)
  .IsCreatedOrUpdated()
  .Validate(request => answer(easyservice, request, review))
  .Watch(object => operator.changed(reconciler, object));
