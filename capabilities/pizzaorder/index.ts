import { a, Capability, RegisterKind } from "pepr";
import { answer } from "../common/admission";
import { operator } from "../common/operator";
import { Reconciler } from "../common/reconciler";
import { PizzaOrderController } from "./controller";
import { pizzaorder } from "./schema";

export class PizzaOrder extends a.GenericKind {}

RegisterKind(PizzaOrder, pizzaorder);

export const reconciler = new Reconciler(operator.surroundings, new PizzaOrderController());

export const capability = new Capability({ name: "pizzaorder", description: pizzaorder.description });

capability
  .When(PizzaOrder)
  .IsCreatedOrUpdated()
  .Validate(request => answer(pizzaorder, request))
  .Watch(object => operator.changed(reconciler, object));
