import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { flights, traceFromCsv } from "../../bench/trace";

const folder = mkdtempSync(join(tmpdir(), "trace-"));
afterAll(() => rmSync(folder, { recursive: true }));

function csv(...lines: string[]): string {
  const path = join(folder, "load.csv");
  writeFileSync(path, lines.join("\n"));
  return path;
}

describe("traceFromCsv", () => {
  it("puts lines where loads are missing, in the middle and at the ends", () => {
    const lines = ["0,", "60,1", "120,4", "300,1", "360,", "420,3", "480,nan"];
    expect(traceFromCsv(csv(...lines)).values).toEqual([1, 1, 4, 3, 2, 1, 2, 3, 3]);
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
