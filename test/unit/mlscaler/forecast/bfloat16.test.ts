import fc from "fast-check";
import { expect, it } from "vitest";
import { BFloat16Array } from "../../../../capabilities/mlscaler/forecast/bfloat16";

/** The number as it is read again. */
function kept(value: number): number {
  const floats = new BFloat16Array(3);
  floats.set(1, value);
  expect([floats.get(0), floats.get(2)]).toEqual([NaN, NaN]);
  return floats.get(1);
}

it("bfloat16 keeps what has no digits", () => {
  for (const value of [0, -0, NaN, Infinity, -Infinity, 1, -2, 0.5]) expect(kept(value)).toBe(value);
  expect(new BFloat16Array(1).get(0)).toBeNaN();
});

it("bfloat16 keeps any number of single precision within 0.4 %, and the order of numbers", () => {
  const number = fc.double({ min: -1e38, max: 1e38, noNaN: true }).filter(value => Math.abs(value) > 1e-37);
  fc.assert(
    fc.property(number, number, (one, other) => {
      expect(Math.abs(kept(one) - one)).toBeLessThanOrEqual(0.004 * Math.abs(one));
      if (one <= other) expect(kept(one)).toBeLessThanOrEqual(kept(other));
    }),
  );
});
