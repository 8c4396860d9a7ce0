import { describe, expect, it } from "vitest";
import { checkObject } from "../../../capabilities/definition/check";
import { echo } from "../../../capabilities/echo/schema";

const faultsOf = (spec: unknown, name = "echo"): string => checkObject(echo, name, spec).faults.join("; ");

describe("the spec", () => {
  it.each([
    [{ image: "a" }, "spec.replicas: is required"],
    [{ replicas: 1 }, "spec.image: is required"],
    [{ replicas: -1, image: "a" }, "spec.replicas: -1 is out of range"],
    [{ replicas: 1.5, image: "a" }, "spec.replicas: 1.5 is not allowed"],
    [{ replicas: 1, image: "" }, 'spec.image: "" is not an image'],
    [{ replicas: 1, image: "a", extra: 1 }, "spec.extra: "],
  ])("%j is refused: %s", (spec, fault) => {
    expect(faultsOf(spec)).toContain(fault);
  });

  it.each([[0], [1000]])("%i replicas are allowed", replicas => {
    expect(faultsOf({ replicas, image: "a" })).toBe("");
  });

  it("needs a name that fits into a label", () => {
    expect(faultsOf({ replicas: 1, image: "a" }, "x".repeat(63))).toBe("");
    expect(faultsOf({ replicas: 1, image: "a" }, "x".repeat(64))).toContain("metadata.name: ");
  });
});
