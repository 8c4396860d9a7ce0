import { a } from "pepr";
import { CapabilityModule, capabilityOf } from "../operator/capability";
import { Operator } from "../operator/operator";
import { PizzaOrderController } from "./controller";

export class PizzaOrder extends a.GenericKind {}

/** The capability of PizzaOrders under an operator. */
export const pizzaorder = (operator: Operator): CapabilityModule =>
  capabilityOf(operator, PizzaOrder, new PizzaOrderController());
