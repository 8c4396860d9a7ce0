import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { placeMilliseconds } from "../../../capabilities/operator/place";

describe("placeMilliseconds", () => {
  it("places every key within the period, and the same key always alike", () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 3600 }), (key, period) => {
        const place = placeMilliseconds(key, period);
        expect(place).toBeGreaterThanOrEqual(0);
        expect(place).toBeLessThan(period * 1000);
        expect(placeMilliseconds(key, period)).toBe(place);
      }),
    );
  });
});
