import { a, Capability, RegisterKind } from "pepr";
import { answer } from "../webhook/admission";
import { operator } from "../operator/operator";
import { Reconciler } from "../operator/reconciler";
import { PizzaOrderController } from "./controller";
import { pizzaorder } from "./schema";

export class PizzaOrder extends a.GenericKind {}

RegisterKind(PizzaOrder, pizzaorder);

export const reconciler = new Reconciler(operator.context, new PizzaOrderController());

export const capability = new Capability({ name: "pizzaorder", description: pizzaorder.description });

capability
  .When(PizzaOrder)
  .IsCreatedOrUpdated()
  .Validate(request => answer(pizzaorder, request))
  .Watch(object => operator.changed(reconciler, object));
