import { a, Capability, RegisterKind } from "pepr";
import { answer } from "../webhook/admission";
import { operator } from "../operator/operator";
import { Reconciler } from "../operator/reconciler";
import { HelloController } from "./controller";
import { hello } from "./schema";

export class Hello extends a.GenericKind {}

RegisterKind(Hello, hello);

export const reconciler = new Reconciler(operator.context, new HelloController(operator.context));

export const capability = new Capability({ name: "hello", description: hello.description });

capability
  .When(Hello)
  .IsCreatedOrUpdated()
  .Validate(request => answer(hello, request))
  .Watch(object => operator.changed(reconciler, object));
