import { a, Capability, RegisterKind } from "pepr";
import { answer } from "../webhook/admission";
import { operator } from "../operator/operator";
import { Reconciler } from "../operator/reconciler";
import { EchoController } from "./controller";
import { echo } from "./schema";

export class Echo extends a.GenericKind {}

RegisterKind(Echo, echo);

export const reconciler = new Reconciler(operator.context, new EchoController(operator.context));

export const capability = new Capability({ name: "echo", description: echo.description });

capability
  .When(Echo)
  .IsCreatedOrUpdated()
  .Validate(request => answer(echo, request))
  .Watch(object => operator.changed(reconciler, object));
