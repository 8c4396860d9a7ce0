import { a, Capability, RegisterKind } from "pepr";
import { answer } from "../common/admission";
import { operator } from "../common/operator";
import { Reconciler } from "../common/reconciler";
import { review } from "./admission";
import { EasyServiceController } from "./controller";
import { easyservice } from "./schema";

export class EasyService extends a.GenericKind {}

RegisterKind(EasyService, easyservice);

export const reconciler = new Reconciler(operator.surroundings, new EasyServiceController(operator.surroundings));

export const capability = new Capability({ name: "easyservice", description: easyservice.description });

capability
  .When(EasyService)
  .IsCreatedOrUpdated()
  .Validate(request => answer(easyservice, request, review))
  .Watch(object => operator.changed(reconciler, object));
