import fc from "fast-check";
import { expect, it } from "vitest";
import { codeOf, CompactLoads, loadOfCode } from "../../../../capabilities/mlscaler/history/compact-loads";

const load = fc.double({ min: 2e-19, max: 3e19, noNaN: true });

it("a load differs from the one that is kept by less than 0.2 %", () => {
  fc.assert(
    fc.property(load, load => {
      expect(Math.abs(loadOfCode(codeOf(load)) - load)).toBeLessThan(0.002 * load);
    }),
  );
});

it("loads of two decimal digits, and whole numbers up to 1,024, are exact in single precision", () => {
  const digits = fc.record({ digits: fc.integer({ min: 1, max: 99 }), power: fc.integer({ min: -15, max: 15 }) });
  fc.assert(
    fc.property(digits, ({ digits, power }) => {
      const load = Number(`${digits}e${power}`);
      expect(loadOfCode(codeOf(load))).toBe(Math.fround(load));
    }),
  );
  const whole = Array.from({ length: 1025 }, (_, load) => load);
  expect(whole.map(load => loadOfCode(codeOf(load)))).toEqual(whole);
});

it("a load that was kept stays as it is, and larger loads are not kept as smaller ones", () => {
  const codes = Array.from({ length: 0xffff }, (_, code) => code);
  expect(codes.filter(code => codeOf(loadOfCode(code)) !== code)).toEqual([]);
  expect(codes.slice(1).filter(code => loadOfCode(code) <= loadOfCode(code - 1))).toEqual([]);
});

it("loads out of range are the nearest one, and a gap stays a gap", () => {
  expect(loadOfCode(codeOf(0))).toBe(0);
  expect(loadOfCode(codeOf(1e-30))).toBe(0);
  expect(loadOfCode(codeOf(1e38))).toBe(loadOfCode(0xfffe));
  expect(loadOfCode(codeOf(NaN))).toBeNaN();
});

it("an array has gaps at first, and again when it is cleared", () => {
  const loads = new CompactLoads(2);
  expect([loads.get(0), loads.get(1), loads.get(2)]).toEqual([NaN, NaN, NaN]);
  loads.set(1, 0.6);
  expect([loads.get(0), loads.get(1)]).toEqual([NaN, Math.fround(0.6)]);
  loads.clear();
  expect(loads.get(1)).toBeNaN();
});
