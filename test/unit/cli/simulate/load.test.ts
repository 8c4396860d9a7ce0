import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isLoad, readLoads } from "../../../../cli/simulate/load";

const cells = (...texts: string[]): { line: number; text: string }[] =>
  texts.map((text, index) => ({ line: index + 2, text }));

describe("readLoads", () => {
  it.each<[string, string[], number[], string]>([
    ["requests", ["201.7 req/s", "0 req/s", "1.02K req/s"], [201.7, 0, 1020], "req/s"],
    ["billions of requests", ["1.2B req/s", "3 M req/s"], [1.2e9, 3e6], "req/s"],
    ["short numbers", ["950", "1.5 K", "2.1 Mil", "1 Bil"], [950, 1500, 2.1e6, 1e9], ""],
    ["thousands", ["1,024", "1,234,567.5"], [1024, 1_234_567.5], ""],
    ["bytes", ["12.3 MiB", "1 KiB", "2 kB", "512 B"], [12.3 * 2 ** 20, 1024, 2000, 512], "B"],
    ["bits", ["5 Mbps", "3 kb/s"], [5e6, 3000], "b/s"],
    ["percent", ["45 %", "45.5%"], [45, 45.5], "%"],
    ["quantities of Kubernetes", ["500m", "1.5", "2k", "1Gi"], [0.5, 1.5, 2000, 2 ** 30], ""],
    ["powers of ten with a unit", ["2e-1 cores", "1.5e+3 cores"], [0.2, 1500], "cores"],
    ["gaps", ["", "NaN", "null", "-", "3 ops"], [NaN, NaN, NaN, NaN, 3], "ops"],
    ["thousands with spaces", ["12 345,6", "1\u202f234,5"], [12_345.6, 1234.5], ""],
    ["thousands with dots", ["1.234,5", "12,25"], [1234.5, 12.25], ""],
  ])("reads %s", (_, texts, loads, unit) => {
    const read = readLoads(cells(...texts), true);
    expect([...read.faults.values()]).toEqual([]);
    expect(read.unit).toBe(unit);
    expect(read.loads).toEqual(loads.map(load => (Number.isNaN(load) ? NaN : (expect.closeTo(load, 6) as number))));
    expect(texts.every(isLoad)).toBe(true);
  });

  it("says which unit it found, and how it scaled", () => {
    expect(readLoads(cells("201.7 req/s", "1.02K req/s"), true).notes).toEqual([
      "the loads are in req/s",
      '"1.02K req/s" in line 3 is read as 1020 req/s',
    ]);
    expect(readLoads(cells("1", "1.1 K"), true).notes).toEqual(['"1.1 K" in line 3 is read as 1100']);
    expect(readLoads(cells("1", "2.5"), true).notes).toEqual([]);
  });

  it("names the line with another unit", () => {
    const { faults } = readLoads(cells("201.7 req/s", "12 MiB", "3"), true);
    expect([...faults]).toEqual([
      [1, '"12 MiB" is in B, but line 2 ("201.7 req/s") is in req/s; use one unit in the column'],
      [2, '"3" is without a unit, but line 2 ("201.7 req/s") is in req/s; use one unit in the column'],
    ]);
  });

  it("tells a decimal comma from one between thousands, and says so where only the delimiter tells", () => {
    const read = (separator: boolean, ...texts: string[]): unknown => {
      const { loads, notes, faults } = readLoads(cells(...texts), separator);
      return faults.size > 0 ? "fault" : [...loads, ...notes];
    };
    expect(read(true, "1,024")).toEqual([
      1024,
      '"1,024" in line 2 is read with a comma between thousands: 1024; --decimal decides',
    ]);
    expect(read(false, "1,024")).toEqual([
      1.024,
      '"1,024" in line 2 is read with a decimal comma: 1.024; --decimal decides',
    ]);
    const beside = '"1,065" in line 3 is read with a comma between thousands: 1065; --decimal decides';
    expect(read(false, "950", "1,065")).toEqual([950, 1065, beside]);
    expect(read(false, "1", "1,065")).toEqual([1, 1.065, expect.stringContaining("with a decimal comma")]);
    for (const decimal of [".", ","] as const)
      expect(readLoads(cells("1,024"), false, decimal)).toMatchObject({
        loads: [decimal === "." ? 1024 : 1.024],
        notes: [],
      });
    for (const separator of [true, false]) {
      expect(read(separator, "1,024", "1,5")).toEqual([1.024, 1.5]);
      expect(read(separator, "0,125")).toEqual([0.125]);
      expect(read(separator, "1,024", "12.5")).toEqual([1024, 12.5]);
      expect(read(separator, "1,024", "1,024.5", "2,5")).toBe("fault");
    }
  });

  const none = ["5 req2", "1 2", ..."many -3 1,2,3 12,34,567 1.2.3 --1 Infinity 10:00 2024-05-01 +".split(" ")];

  it.each(none)("refuses %j", text => {
    expect(readLoads(cells(text), true).faults.get(0)).toBe(
      `"${text}" is not a load, use a number of 0 or more, or nothing for a gap`,
    );
  });

  it("reads any number back with thousands, a scale and a unit", () => {
    const given = fc.record({
      number: fc.integer({ min: 0, max: 1e12 }).map(thousandths => thousandths / 1000),
      scale: fc.constantFrom<[string, number]>(["", 1], ["K", 1e3], [" Mil", 1e6], ["Mi", 2 ** 20], ["m", 1e-3]),
      unit: fc.constantFrom("", " req/s", " cores"),
    });
    fc.assert(
      fc.property(given, ({ number, scale: [scale, factor], unit }) => {
        const text = `${number.toLocaleString("en-US", { minimumFractionDigits: 3 })}${scale}${unit}`;
        const { loads, faults } = readLoads(cells(text), true);
        expect([...faults.values()]).toEqual([]);
        expect(loads[0]).toBeCloseTo(number * factor, 6);
      }),
    );
  });

  it("gives a load of 0 or more, a gap or a fault for any text", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: fc.constantFrom(..."0159.,-+eEkKMi %/Bs\u00a0") })), texts => {
        const { loads, faults } = readLoads(cells(...texts), true);
        loads.forEach((load, index) => expect(load >= 0 || Number.isNaN(load) || faults.has(index)).toBe(true));
      }),
      { numRuns: 200 },
    );
  });

  it("takes time in proportion to the length of a cell", () => {
    const took = (text: string): number => {
      const before = process.cpuUsage();
      readLoads(cells(text), true);
      return process.cpuUsage(before).user / 1000;
    };
    // Anything quadratic would take minutes.
    for (const part of ["1", "1,", "1 ", "1e", ".", " ", "K "])
      expect(took(`1${part.repeat(200_000)}!`)).toBeLessThan(5000);
  });
});
