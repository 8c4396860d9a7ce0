import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { checkObject } from "../../../capabilities/definition/check";
import { echo } from "../../../capabilities/echo/schema";

const faultsOf = (spec: unknown, name = "echo"): string => checkObject(echo, name, spec).faults.join("; ");

describe("the spec", () => {
  it("of the examples is as they say", () => {
    const example = (file: string): unknown =>
      (parse(readFileSync(`examples/${file}`, "utf8")) as { spec: unknown }).spec;
    expect(faultsOf(example("samples/echo.yaml"))).toBe("");
    expect(faultsOf(example("invalid/echo.yaml"))).toBe(
      'spec.replicas: 1001 is out of range, use 0 to 1000; spec.image: "nginx latest" is not an image, use a name without spaces as "nginx:1.27"',
    );
  });

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
