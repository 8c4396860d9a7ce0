import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Loads } from "../../../../capabilities/mlscaler/forecast/loads";

/** All kept loads, oldest first. */
const allOf = (loads: Loads): number[] =>
  Array.from({ length: loads.length }, (_, index) => loads.ago(loads.length - 1 - index));

describe("Loads", () => {
  it("bridge gaps of up to three slots, and no longer ones", () => {
    const loads = new Loads(100);
    [1, NaN, NaN, NaN, 5, NaN, NaN, NaN, NaN, 6].forEach(value => loads.append(value));
    expect(allOf(loads)).toEqual([1, 2, 3, 4, 5, NaN, NaN, NaN, NaN, 6]);
  });

  it("are the same when the caller stores them", () => {
    const value = fc.oneof(fc.integer({ min: 0, max: 99 }), fc.constant(NaN), fc.constant(1e38));
    fc.assert(
      fc.property(fc.array(value, { maxLength: 60 }), value, (values, running) => {
        const own = new Loads(20);
        const kept: number[] = [];
        const elsewhere = new Loads(20, { at: slot => kept[slot] ?? NaN });
        for (const value of values) {
          kept.push(Math.fround(value));
          own.append(value);
          elsewhere.append(value);
          expect(allOf(elsewhere)).toEqual(allOf(own));
          expect(elsewhere.while(running, () => allOf(elsewhere))).toEqual(own.while(running, () => allOf(own)));
        }
      }),
    );
  });

  it("keep the newest, and are unchanged after a look at a running slot", () => {
    const value = fc.oneof(fc.integer({ min: 0, max: 99 }), fc.constant(NaN), fc.constant(-1));
    fc.assert(
      fc.property(
        fc.array(value, { maxLength: 60 }),
        fc.integer({ min: 4, max: 20 }),
        value,
        (values, capacity, running) => {
          const loads = new Loads(capacity);
          values.forEach(one => loads.append(one));
          const before = { all: allOf(loads), count: loads.count, ceiling: loads.ceiling, gap: loads.gap };
          expect(before.all).toHaveLength(Math.min(capacity, values.length));
          loads.while(running, () => expect(loads.count).toBe(values.length + 1));
          expect({ all: allOf(loads), count: loads.count, ceiling: loads.ceiling, gap: loads.gap }).toEqual(before);
        },
      ),
    );
  });
});
