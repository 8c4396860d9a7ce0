import { describe, expect, it } from "vitest";
import { checkObject } from "../../../capabilities/definition/check";
import { hello } from "../../../capabilities/hello/schema";

const faultsOf = (name: string, spec: unknown): string[] => checkObject(hello, name, spec).faults;

const notAName = (name: string): string =>
  `metadata.name: "${name}" cannot be used, use at most 63 lower case letters, digits and dashes, a letter or digit first and last: the container and a label are named after it`;

describe("the spec", () => {
  it.each([1, 3, 20, 5.0])("may have %d replicas", replicas => {
    expect(checkObject(hello, "hello", { replicas }).spec).toEqual({ replicas });
  });

  it.each([
    [{ replicas: 0 }, "spec.replicas: 0 is out of range, use 1 to 20"],
    [{ replicas: 21 }, "spec.replicas: 21 is out of range, use 1 to 20"],
    [{}, "spec.replicas: is required, use a whole number"],
    [{ replicas: "3" }, 'spec.replicas: "3" is not allowed, use a whole number'],
    [{ replicas: 1.5 }, "spec.replicas: 1.5 is not allowed, use a whole number"],
  ])("%j is refused: %s", (spec, fault) => {
    expect(faultsOf("hello", spec)).toEqual([fault]);
  });
});

describe("the name", () => {
  it.each(["a", "7", "hello-2", "a".repeat(63)])("may be %s", name => {
    expect(faultsOf(name, { replicas: 1 })).toEqual([]);
  });

  it.each(["a.b", "-a", "a-", "Hello", "a_b", "", "a".repeat(64), "a\n"])("may not be %j", name => {
    expect(faultsOf(name, { replicas: 1 })).toEqual([notAName(name)]);
  });

  it("is named together with the spec's faults", () => {
    expect(faultsOf("a.b", { replicas: 21 })).toEqual([
      notAName("a.b"),
      "spec.replicas: 21 is out of range, use 1 to 20",
    ]);
  });
});
