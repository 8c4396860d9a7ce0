import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { celValidations, messageExpression } from "../../../build/crd";
import { ifGiven, oneOf, positive, Rule, stepsOf, within } from "../../../capabilities/definition/rules";

describe("rules of a kind", () => {
  interface Part {
    size?: number | string;
    rate?: number;
  }
  const faultsOf = (rule: Rule<Part>, part: Part): number => (rule.check(part) ? 0 : 1);

  it("positive: an integer or Quantity above 0", () => {
    for (const size of [1, "1", "500m", "1n", "1Gi"]) expect(faultsOf(positive<Part>("size"), { size })).toBe(0);
    for (const size of [0, -1, "0", "-1m", "", "x"]) expect(faultsOf(positive<Part>("size"), { size })).toBe(1);
  });

  it("ifGiven: the same rule, which asks nothing where the field is left out", () => {
    const rule = ifGiven<Part>(within("rate", 1, 5));
    expect(faultsOf(rule, {})).toBe(0);
    expect(faultsOf(rule, { rate: 5 })).toBe(0);
    expect(faultsOf(rule, { rate: 0 })).toBe(1);
    expect(rule).toMatchObject({ path: "rate", message: within("rate", 1, 5).message });
    expect(rule.cel).toBe("!has(self.rate) || (self.rate >= 1 && self.rate <= 5)");
  });

  it("oneOf: exactly one or at least one of several fields", () => {
    const parts: Part[] = [{}, { size: 1 }, { rate: 1 }, { size: 1, rate: 1 }];
    const exactly = oneOf<Part>(["size", "rate"], "exactly");
    expect(parts.map(part => faultsOf(exactly, part))).toEqual([1, 0, 0, 1]);
    expect(parts.map(part => faultsOf(oneOf<Part>(["size", "rate"], "at least"), part))).toEqual([1, 0, 0, 0]);
    expect(exactly.cel).toBe("[has(self.size), has(self.rate)].filter(given, given).size() == 1");
    expect(exactly.message).toBe("%s of size and rate are given, use exactly one");
  });
});

describe("stepsOf", () => {
  it("are found by steps", () => {
    expect(stepsOf("target_ref")).toEqual(["target_ref"]);
    expect(stepsOf("ports[].port")).toEqual(["ports", "[]", "port"]);
    expect(stepsOf("groups{}[].a.b")).toEqual(["groups", "{}", "[]", "a", "b"]);
  });
});

describe("celValidations", () => {
  interface Spec {
    low: number;
    high: number;
  }

  it("gives each rule with its field and its message over the values", () => {
    const rule: Rule<Spec> = {
      path: "low",
      cel: "self.low <= self.high",
      check: ({ low, high }) => low <= high,
      message: "%s is above spec.high %s, use at most that",
      values: ["low", "high"],
    };
    expect(celValidations([rule])).toEqual([
      {
        rule: "self.low <= self.high",
        fieldPath: ".low",
        message: "it is above spec.high it, use at most that",
        messageExpression: "'%s is above spec.high %s, use at most that'.format([self.low, self.high])",
      },
    ]);
  });

  it("has no field for a rule on the value itself, and shows the value as self or as an expression", () => {
    const text: Rule<string>[] = [
      { path: "", cel: "self != ''", check: value => value !== "", message: '"%s" is no', values: ["self" as never] },
      {
        path: "",
        cel: "size(self) < 3",
        check: value => value.length < 3,
        message: "%s of %s",
        values: [{ cel: "size(self)", of: value => value.length }, "self" as never],
      },
    ];
    expect(celValidations(text)).toEqual([
      { rule: "self != ''", message: "it is no", messageExpression: "'\"%s\" is no'.format([self])" },
      { rule: "size(self) < 3", message: "it of it", messageExpression: "'%s of %s'.format([size(self), self])" },
    ]);
  });
});

describe("messageExpression", () => {
  it("is text in CEL, formatted only where there is something to show", () => {
    expect(messageExpression("not both", [])).toBe("'not both'");
    expect(messageExpression("%s is %s", ["self.a", "size(self.b)"])).toBe("'%s is %s'.format([self.a, size(self.b)])");
  });

  it("is the same text in CEL, whatever its characters", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("'", "\\", '"', "n", "a", " ", "%s") }), text => {
        // A text in single quotes is read alike by CEL and JavaScript, as far as these characters go.
        // eslint-disable-next-line @typescript-eslint/no-implied-eval, @typescript-eslint/no-unsafe-call
        expect(new Function(`return ${messageExpression(text, [])}`)()).toBe(text);
      }),
    );
  });
});
