import { CustomObject } from "../operator/custom-object";
import { Controller, Result } from "../operator/reconciler";
import { pizzaorder, Spec, Status } from "./schema";

/** Reconciles PizzaOrders: an order is taken and prepared. */
export class PizzaOrderController implements Controller<Spec, Status> {
  readonly resource = pizzaorder;
  readonly fieldManager = "pizzaorder-operator";
  readonly retry = { firstSeconds: 60, atMostSeconds: 60 };

  async reconcile(object: CustomObject<Spec, Status>): Promise<Result<Status>> {
    const { metadata, spec, status } = object;
    const message = preparing(spec);
    if (status.observedGeneration === metadata.generation) object.log("info", "Preparing", message);
    else
      await object.record({
        type: "Normal",
        reason: "Preparing",
        message,
        action: "Reconcile",
        occasion: String(metadata.generation),
      });
    return {
      status: {
        observedGeneration: metadata.generation,
        phase: "Preparing",
        message,
        conditions: object.conditions([{ type: "Ready", status: "True", reason: "Preparing", message }]),
      },
      next: { next: "sync", periodSeconds: 300 },
    };
  }
}

/** The text of an order: a large pizza with its toppings, any other by its size. */
export function preparing({ size, toppings }: Spec): string {
  if (size !== "large") return `Preparing a ${size} pizza`;
  return `Preparing a large pizza with ${toppings.length > 0 ? toppings.join(", ") : "no toppings"}`;
}
