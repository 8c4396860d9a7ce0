import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { celValidations, checkSpec, Rule, within } from "../../../capabilities/common/rules";

const spec = z.strictObject({
  low: z.int32().default(1),
  high: z.int32(),
  mode: z.enum(["On", "Off"]).default("On"),
  title: z.string().default("it's 100%"),
});
type Spec = z.output<typeof spec>;

const rules: Rule<Spec>[] = [
  within("low", 1, 100),
  within("high", 1, 100, "pods"),
  {
    path: "low",
    cel: "self.low <= self.high",
    check: ({ low, high }) => low <= high,
    message: "%s is above spec.high %s, use at most that",
    values: ["low", "high"],
  },
];
const resource = { spec, rules };

describe("checkSpec", () => {
  it("gives the spec with its defaults when nothing is wrong", () => {
    expect(checkSpec(resource, { high: 3 })).toEqual({
      spec: { low: 1, high: 3, mode: "On", title: "it's 100%" },
      faults: [],
    });
  });

  it("answers faults of type, required fields, enums and unknown fields first and alone", () => {
    const { faults } = checkSpec(resource, { low: 0, mode: "Perhaps", hgih: 3 });
    expect(faults).toHaveLength(3);
    expect(faults).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^spec\.high: is required/),
        expect.stringMatching(/^spec\.mode: "Perhaps" is not allowed .*"On"\|"Off"/),
        expect.stringMatching(/^spec: .*"hgih"/),
      ]),
    );
    // low: 0 is a fault of range, and waits.
    expect(faults.join()).not.toContain("out of range");
  });

  it("answers all faults of range and of several fields in one", () => {
    expect(checkSpec(resource, { low: 200, high: 0 }).faults).toEqual([
      "spec.low: 200 is out of range, use 1 to 100",
      "spec.high: 0 is out of range, use 1 to 100 pods",
      "spec.low: 200 is above spec.high 0, use at most that",
    ]);
  });

  it("takes the bounds themselves, and nothing beyond", () => {
    for (const [low, count] of [
      [0, 1],
      [1, 0],
      [100, 0],
      [101, 2],
    ] as const) {
      expect(checkSpec(resource, { low, high: 100 }).faults).toHaveLength(count);
    }
  });

  it("asks for what is required when there is no spec at all", () => {
    for (const nothing of [undefined, null, {}]) {
      expect(checkSpec(resource, nothing).faults).toEqual([expect.stringMatching(/^spec\.high: is required/)]);
    }
  });

  it("never throws, and answers every input with either a spec or faults that name a field", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.anything(),
          fc.record({ low: fc.anything(), high: fc.anything(), mode: fc.anything() }),
          fc.record({ low: fc.integer(), high: fc.integer() }),
        ),
        input => {
          const checked = checkSpec(resource, input);
          if (checked.spec) expect(checked.faults).toEqual([]);
          else expect(checked.faults.length).toBeGreaterThan(0);
          for (const fault of checked.faults) expect(fault).toMatch(/^spec(\.\w+)?: /);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("does not repeat a long value at length", () => {
    expect(checkSpec(resource, { high: "9".repeat(10_000) }).faults.join().length).toBeLessThan(300);
  });
});

describe("celValidations", () => {
  it("gives each rule with its field and its message over the values", () => {
    expect(celValidations(rules)[2]).toEqual({
      rule: "self.low <= self.high",
      fieldPath: ".low",
      messageExpression: "'%s is above spec.high %s, use at most that'.format([self.low, self.high])",
    });
  });

  it("escapes what would end the text in CEL", () => {
    const rule: Rule<Spec> = { path: "low", cel: "true", check: () => true, message: "it's %s", values: ["low"] };
    expect(celValidations([rule])).toEqual([
      { rule: "true", fieldPath: ".low", messageExpression: "'it\\'s %s'.format([self.low])" },
    ]);
  });
});
