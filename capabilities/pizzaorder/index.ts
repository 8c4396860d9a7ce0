import { a } from "pepr";
import { capabilityOf } from "../operator/capability";
import { PizzaOrderController } from "./controller";

export class PizzaOrder extends a.GenericKind {}

export const { capability, reconciler } = capabilityOf(PizzaOrder, new PizzaOrderController());
