import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatQuantity, parseQuantity, quantityPattern } from "../../../capabilities/common/quantity";

describe("parseQuantity", () => {
  it.each([
    ["250m", 0.25],
    ["1", 1],
    ["1.5", 1.5],
    ["1.", 1],
    [".5", 0.5],
    ["-3", -3],
    ["+3", 3],
    ["120n", 1.2e-7],
    ["7u", 7e-6],
    ["2k", 2000],
    ["3M", 3e6],
    ["4G", 4e9],
    ["5T", 5e12],
    ["6P", 6e15],
    ["7E", 7e18],
    ["1Ki", 1024],
    ["64Mi", 67_108_864],
    ["1Gi", 1_073_741_824],
    ["1Ti", 2 ** 40],
    ["1Pi", 2 ** 50],
    ["1Ei", 2 ** 60],
    ["1e3", 1000],
    ["12E2", 1200],
    ["1e-3", 0.001],
  ])("reads %s as %d", (text, value) => {
    expect(parseQuantity(text)).toBeCloseTo(value, 12);
  });

  it.each([
    "",
    " ",
    "m",
    "1 m",
    "1mm",
    "1kk",
    "1K",
    "1ki",
    "1i",
    "0x1",
    "1,5",
    "1e",
    "1e3m",
    "--1",
    "Infinity",
    "NaN",
    "1\n",
    ".",
  ])("says that %j is none", text => {
    expect(parseQuantity(text)).toBeUndefined();
  });

  it("gives a number for a number", () => {
    fc.assert(fc.property(fc.integer(), value => void expect(parseQuantity(value)).toBe(value)));
  });

  it("scales what is before a suffix by that suffix", () => {
    const suffixes = { n: 1e-9, u: 1e-6, m: 1e-3, k: 1e3, M: 1e6, G: 1e9, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30 };
    fc.assert(
      fc.property(fc.nat(1_000_000), fc.constantFrom(...Object.entries(suffixes)), (number, [suffix, factor]) => {
        const value = parseQuantity(`${number}${suffix}`) ?? NaN;
        expect(Math.abs(value - number * factor)).toBeLessThanOrEqual(1e-12 * number * factor);
      }),
    );
  });

  it("is capped as Kubernetes caps it, never infinite", () => {
    expect(parseQuantity("1e400")).toBe(2 ** 63);
    expect(parseQuantity("-99999E")).toBe(-(2 ** 63));
  });

  it("gives a finite number or nothing for any text", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[-+.0-9eEmkKMGi]{0,12}$/)), text => {
        const value = parseQuantity(text);
        expect(value === undefined || Number.isFinite(value)).toBe(true);
        expect(value !== undefined).toBe(quantityPattern.test(text));
      }),
      { numRuns: 1000 },
    );
  });
});

describe("formatQuantity", () => {
  it.each([
    [0, "0.00"],
    [-0, "0.00"],
    [0.6, "0.60"],
    [12.5, "12.50"],
    [0.0123, "0.012"],
    [0.001234, "0.0012"],
    [1234.567, "1234.57"],
    [0.599999999999, "0.60"],
    [0.123456, "0.12"],
  ])("writes %d as %s", (value, text) => {
    expect(formatQuantity(value)).toBe(text);
  });

  it("never writes an exponent for what is small", () => {
    expect(Number(formatQuantity(1e-12))).toBe(0);
    expect(formatQuantity(1e-12)).toMatch(/^0\.0+$/);
  });

  it("is read again as the same load, to two figures", () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-6, max: 1e25, noNaN: true }), value => {
        const text = formatQuantity(value);
        expect(text).toMatch(quantityPattern);
        const again = Math.min(value, 2 ** 63);
        expect(Math.abs((parseQuantity(text) ?? NaN) - again)).toBeLessThanOrEqual(0.0501 * again);
      }),
    );
  });
});
