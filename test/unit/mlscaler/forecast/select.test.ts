import fc from "fast-check";
import { expect, it } from "vitest";
import { selected } from "../../../../capabilities/mlscaler/forecast/select";

it("is the number at its place in sorted numbers, equal ones and infinite ones among them", () => {
  const number = fc.oneof(fc.constantFrom(-Infinity, -1, 0, 1, Infinity), fc.double({ noNaN: true }));
  fc.assert(
    fc.property(fc.array(number, { minLength: 1 }), fc.nat(), (numbers, place) => {
      const at = place % numbers.length;
      expect(selected(Float64Array.from(numbers), at) + 0).toBe((Float64Array.from(numbers).sort()[at] ?? NaN) + 0);
    }),
  );
});
