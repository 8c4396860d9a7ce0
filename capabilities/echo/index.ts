import { a, Capability, RegisterKind } from "pepr";
import { answer } from "../common/admission";
import { operator } from "../common/operator";
import { Reconciler } from "../common/reconciler";
import { EchoController } from "./controller";
import { echo } from "./schema";

export class Echo extends a.GenericKind {}

RegisterKind(Echo, echo);

export const reconciler = new Reconciler(operator.surroundings, new EchoController(operator.surroundings));

export const capability = new Capability({ name: "echo", description: echo.description });

capability
  .When(Echo)
  .IsCreatedOrUpdated()
  .Validate(request => answer(echo, request))
  .Watch(object => operator.changed(reconciler, object));
