import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ConditionUpdate, withTransitions } from "../../../capabilities/kubernetes/conditions";
import { Condition } from "../../../capabilities/kubernetes/conditions";

const types = ["Ready", "Scaled", "AbleToScale"];
const update: fc.Arbitrary<ConditionUpdate> = fc.record({
  type: fc.constantFrom(...types),
  status: fc.constantFrom("True", "False", "Unknown"),
  reason: fc.constantFrom("One", "Other"),
  message: fc.string(),
});
const updates = fc.uniqueArray(update, { selector: ({ type }) => type });

const monday = new Date("2026-01-05T08:00:00.750Z");
const tuesday = new Date("2026-01-06T08:00:00.250Z");

const byType = (conditions: Condition[]): Map<string, Condition> =>
  new Map(conditions.map(condition => [condition.type, condition]));

describe("withTransitions", () => {
  it("moves lastTransitionTime only where the status moved", () => {
    fc.assert(
      fc.property(updates, updates, (one, other) => {
        const before = byType(withTransitions([], one, monday, 1));
        const after = byType(withTransitions([...before.values()], other, tuesday, 2));
        for (const { type, status, reason } of other) {
          const kept = before.get(type)?.status === status;
          expect(after.get(type)).toMatchObject({ status, reason, observedGeneration: 2 });
          expect(after.get(type)?.lastTransitionTime).toBe(kept ? "2026-01-05T08:00:00Z" : "2026-01-06T08:00:00Z");
        }
      }),
    );
  });

  it("keeps conditions without an update, and never has a type twice", () => {
    fc.assert(
      fc.property(updates, updates, (one, other) => {
        const before = byType(withTransitions([], one, monday, 1));
        const after = withTransitions([...before.values()], other, tuesday, 2);
        const found = new Set(other.map(({ type }) => type));
        for (const [type, condition] of before) {
          if (!found.has(type)) expect(after).toContainEqual(condition);
        }
        expect(byType(after).size).toBe(after.length);
        expect(after.length).toBe(new Set([...before.keys(), ...found]).size);
      }),
    );
  });

  it("keeps each condition in its place, so that nothing seems to change when nothing does", () => {
    const one: ConditionUpdate[] = types.map(type => ({ type, status: "True", reason: "One", message: "" }));
    const before = withTransitions([], one, monday, 1);
    // At the next sync "Scaled" is not found, and so kept.
    const after = withTransitions(before, [...one.slice(0, 1), ...one.slice(2)], tuesday, 1);
    expect(after).toEqual(before);
  });

  it("cuts a message to the limit of the CRD", () => {
    const [condition] = withTransitions(
      [],
      [{ type: "Ready", status: "False", reason: "No", message: "x".repeat(5000) }],
      monday,
      1,
    );
    expect(condition?.message).toHaveLength(1024);
  });
});
