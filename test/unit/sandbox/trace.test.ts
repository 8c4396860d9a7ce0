import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { flights, shareAt, traceFromCsv } from "../../../sandbox/trace";

const folder = mkdtempSync(join(tmpdir(), "trace-"));
afterAll(() => rmSync(folder, { recursive: true }));

function csv(...lines: string[]): string {
  const path = join(folder, "load.csv");
  writeFileSync(path, lines.join("\n"));
  return path;
}

describe("traceFromCsv", () => {
  it("reads ISO times, epoch seconds and milliseconds, with and without a header", () => {
    const wanted = { startedAt: Date.UTC(2026, 0, 1), stepMilliseconds: 60_000, values: [1, 2.5, 0] };
    const iso = ["2026-01-01T00:00:00Z,1", "2026-01-01T00:01:00Z,2.5", "2026-01-01T00:02:00Z,0"];
    const seconds = ["1767225600,1", "1767225660,2.5", "1767225720,0"];
    expect(traceFromCsv(csv(...iso))).toMatchObject(wanted);
    expect(traceFromCsv(csv("timestamp,value", ...iso))).toMatchObject(wanted);
    expect(traceFromCsv(csv("t,v", ...seconds))).toMatchObject(wanted);
    expect(traceFromCsv(csv(...seconds.map(line => line.replace(",", "000,"))))).toMatchObject(wanted);
  });

  it("puts lines where loads are missing, in the middle and at the ends", () => {
    const lines = ["0,", "60,1", "120,4", "300,1", "360,", "420,3", "480,nan"];
    expect(traceFromCsv(csv(...lines)).values).toEqual([1, 1, 4, 3, 2, 1, 2, 3, 3]);
  });

  it.each([
    [["a,b", "0,1", "60,x"], 'line 3: "x" is not a load'],
    [["0,1", "60,-1"], 'line 2: "-1" is not a load'],
    [["a,b", "soon,1", "60,1"], 'line 2: "soon" is not a time'],
    [["a,b", "0,1"], "at least 2 are needed"],
  ])("names the line at fault: %j", (lines, message) => {
    expect(() => traceFromCsv(csv(...lines))).toThrow(message);
  });
});

describe("flights", () => {
  it("is half a year of quarters of an hour with a strong day", async () => {
    const { values, startedAt, stepMilliseconds } = await flights();
    expect(values).toHaveLength(181 * 96);
    expect(startedAt + values.length * stepMilliseconds).toBe(Date.UTC(2001, 6, 1));
    const mean = (hour: number): number => {
      const ofHour = values.filter((_, slot) => Math.floor((slot % 96) / 4) === hour);
      return ofHour.reduce((sum, value) => sum + value, 0) / ofHour.length;
    };
    expect(mean(8)).toBeGreaterThan(20 * mean(3));
  });
});

describe("shareAt", () => {
  const trace = { name: "t", startedAt: 0, stepMilliseconds: 1000, values: [1, 4, 2] };
  it("goes from value to value in shares of the maximum, and begins anew at the end", () => {
    expect([0, 0.5, 1, 2, 2.5, 3, 4].map(at => shareAt(trace, at))).toEqual([0.25, 0.625, 1, 0.5, 0.375, 0.25, 1]);
  });
  it("is 0 where the trace is", () => {
    expect(shareAt({ ...trace, values: [0, 0] }, 0.5)).toBe(0);
  });
});
