import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  formatQuantity,
  milliValue,
  parseQuantity,
  quantityPattern,
  quantityText,
} from "../../../capabilities/kubernetes/quantity";

describe("parseQuantity", () => {
  it.each(["1.", ".5", "-3", "+3", "1e3", "12E2", "1e-3"])("reads %s as a number is read", text => {
    expect(parseQuantity(text)).toBe(Number(text));
  });

  const none = ["", " ", "1 m", "1\n", ..."1mm 1kk 1K 1ki 1i 0x1 1,5 1e 1e3m --1 Infinity NaN ..".split(" ")];

  it.each(none)("says that %j is none", text => {
    expect(parseQuantity(text)).toBeUndefined();
  });

  // As ParseQuantity in k8s.io/apimachinery 0.37.2.
  it.each([".", "+", "-", "m", "Mi", ".m", "+.", "e3", ".e3", "E", "+Ki"])(
    "reads %j, which has no digit, as 0",
    text => {
      expect([parseQuantity(text), milliValue(text)]).toEqual([0, 0]);
    },
  );

  it("takes up to 256 characters", () => {
    const digits = "1".padEnd(256, "0");
    expect([parseQuantity(digits), milliValue(digits)]).toEqual([2 ** 63, 2 ** 63]);
    expect([parseQuantity(`${digits}0`), milliValue(`${digits}0`)]).toEqual([undefined, undefined]);
  });

  it("multiplies by the suffix", () => {
    const suffixes = {
      ...{ n: 1e-9, u: 1e-6, m: 1e-3, "": 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18 },
      ...{ Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50, Ei: 2 ** 60 },
    };
    fc.assert(
      fc.property(fc.nat(1_000_000), fc.constantFrom(...Object.entries(suffixes)), (number, [suffix, factor]) => {
        const value = parseQuantity(`${number}${suffix}`) ?? NaN;
        const exact = Math.min(number * factor, 2 ** 63);
        expect(Math.abs(value - exact)).toBeLessThanOrEqual(1e-12 * exact);
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
      { numRuns: 400 },
    );
  });
});

describe("milliValue", () => {
  // As Go's Quantity.MilliValue printed them (apimachinery v0.36.3).
  const asGo = {
    ...{ "0": 0, ".5": 500, "5.": 5000, "+2": 2000, "2k": 2_000_000, "1e3": 1_000_000, "1E3": 1_000_000 },
    ...{ "1Ki": 1_024_000, "1.5Ki": 1_536_000, "0.1Ki": 102_400, "0.0005Ki": 512, "-0.0005Ki": -512 },
    ...{ "7u": 1, "85714u": 86, "123456n": 1, "1e-12": 1, "-1n": -1 },
    ...{ "12345678901234567890n": 12_345_678_901_235, "123456789012345678.1234m": 123_456_789_012_345_680 },
  };

  it.each(Object.entries(asGo))("of %s is %d", (text, milli) => {
    expect(milliValue(text)).toBe(milli);
  });

  it("of a number is that of its text", () => {
    expect([3, 0.1, 8.2, 1e21, 5e-7, -0].map(milliValue)).toEqual([3000, 100, 8200, 2 ** 63, 1, 0]);
    expect([NaN, Infinity, -Infinity].map(milliValue)).toEqual([undefined, undefined, undefined]);
  });

  it("is capped where Go overflows, however large the exponent", () => {
    expect(["10E", "9223372036854775807", "1e999999999", "1Ei"].map(milliValue)).toEqual(Array(4).fill(2 ** 63));
    expect(milliValue("-10E")).toBe(-(2 ** 63));
    expect([milliValue("0e999999999"), milliValue("1e-999999999")]).toEqual([0, 1]);
  });

  it("is exact for every decimal with three places, and rounds smaller fractions away from 0", () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e12, max: 1e12 }), fc.integer({ min: 1, max: 999_999 }), (milli, below) => {
        const [whole, places] = [Math.trunc(Math.abs(milli) / 1000), Math.abs(milli) % 1000];
        const text = `${milli < 0 ? "-" : ""}${whole}.${String(places).padStart(3, "0")}`;
        const away = milli < 0 ? -1 : 1;
        expect(milliValue(text)).toBe(milli);
        expect(milliValue(`${milli}m`)).toBe(milli);
        expect(milliValue(`${text}${String(below).padStart(6, "0")}`)).toBe(milli + away);
      }),
    );
  });
});

describe("quantityText", () => {
  // As NewMilliQuantity(…).String() of k8s.io/apimachinery 0.37.2.
  it.each<[milli: number, base: 1000 | 1024, text: string]>([
    [0, 1000, "0"],
    [1500, 1000, "1500m"],
    [75, 1000, "75m"],
    [20_000_000, 1000, "20k"],
    [25_500_000, 1000, "25500"],
    [134_217_728_000, 1000, "134217728"],
    [134_217_728_000, 1024, "128Mi"],
    [1_536_000, 1024, "1536"],
    [2_048_000, 1024, "2Ki"],
    [512_000, 1024, "512"],
    [134_217_728_500, 1024, "134217728500m"],
  ])("writes %d thousandths, base %d, as %s", (milli, base, text) => {
    expect(quantityText(milli, base)).toBe(text);
  });

  it("is read again as the same", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 2 ** 50 }),
        fc.constantFrom(1000 as const, 1024 as const),
        (milli, base) => {
          expect(milliValue(quantityText(milli, base))).toBe(milli);
        },
      ),
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

  it("never writes an exponent for a small value", () => {
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
