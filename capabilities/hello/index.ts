import { a, Capability, RegisterKind } from "pepr";
import { answer } from "../common/admission";
import { operator } from "../common/operator";
import { Reconciler } from "../common/reconciler";
import { HelloController } from "./controller";
import { hello } from "./schema";

export class Hello extends a.GenericKind {}

RegisterKind(Hello, hello);

export const reconciler = new Reconciler(operator.surroundings, new HelloController(operator.surroundings));

export const capability = new Capability({ name: "hello", description: hello.description });

capability
  .When(Hello)
  .IsCreatedOrUpdated()
  .Validate(request => answer(hello, request))
  .Watch(object => operator.changed(reconciler, object));
