import { describe, expect, it } from "vitest";
import { preparing } from "../../../capabilities/pizzaorder/controller";
import { pizzaorder } from "../../../capabilities/pizzaorder/schema";
import { checkSpec } from "../../../capabilities/definition/check";

const faultsOf = (spec: unknown): string => checkSpec(pizzaorder, spec).faults.join("; ");

describe("the spec", () => {
  it("has no toppings unless it names them", () => {
    expect(checkSpec(pizzaorder, { size: "small" }).spec).toEqual({ size: "small", toppings: [] });
  });

  it.each([
    [{ size: "huge" }, 'spec.size: "huge" is not allowed'],
    [{}, "spec.size: is required"],
    [{ size: "small", toppings: ["ham", "olives", "ham"] }, "spec.toppings: ham appears more than once"],
    [{ size: "small", toppings: Array.from({ length: 11 }, (_, index) => `t${index}`) }, "spec.toppings: 11 toppings"],
    [{ size: "small", toppings: ["ham", " "] }, 'spec.toppings[1]: " " is not a topping'],
  ])("%j is refused: %s", (spec, fault) => {
    expect(faultsOf(spec)).toContain(fault);
  });
});

describe("an order in words", () => {
  it.each([
    [{ size: "large" as const, toppings: ["ham", "olives"] }, "Preparing a large pizza with ham, olives"],
    [{ size: "large" as const, toppings: [] }, "Preparing a large pizza with no toppings"],
    [{ size: "small" as const, toppings: ["ham"] }, "Preparing a small pizza"],
  ])("%j: %s", (spec, words) => {
    expect(preparing(spec)).toBe(words);
  });
});
