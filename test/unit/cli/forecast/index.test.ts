import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { call } from "../call";

const hour = 3_600_000;
const begins = Date.UTC(2026, 5, 1);

/** A load with 50 from nine to five, and 10 else, that grows by a tenth a day. */
const loadAt = (index: number): number => (index % 24 >= 9 && index % 24 < 17 ? 50 : 10) * 1.1 ** (index / 24);

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "forecast-"));
  const file = (name: string, hours: number): void => {
    const lines = Array.from(
      { length: hours },
      (_, index) => `${new Date(begins + index * hour).toISOString()},${loadAt(index).toFixed(3)}`,
    );
    writeFileSync(join(folder, name), ["time,load", ...lines].join("\n"));
  };
  file("web.csv", 10 * 24);
  file("new.csv", 30);
});

afterAll(() => rmSync(folder, { recursive: true }));

const web = (): string => join(folder, "web.csv");

describe("mlscaler forecast --csv", () => {
  it("prints an hour a line, with the replicas for the upper quantile", async () => {
    const { code, stdout } = await call(["forecast", "--csv", web(), "--capacity", "10"]);
    expect(code).toBe(0);
    const lines = stdout.trimEnd().split("\n");
    expect(lines[0]).toMatch(/^web\.csv: skill \d+ % beside/);
    expect(lines).toHaveLength(26);
    const [at, load, upper, replicas] = (lines[14] ?? "").trim().split(/ {2,}/);
    expect(at).toBe("2026-06-11 12:00");
    // Within a tenth of what comes.
    expect(Math.abs(Number(load) / loadAt(252) - 1)).toBeLessThan(0.1);
    expect(replicas).toBe(String(Math.ceil(Number(upper) / 10)));
  });

  it("prints the same as JSON and as CSV", async () => {
    const days = JSON.parse((await call(["forecast", "--csv", web(), "-o", "json"])).stdout) as {
      hours: { at: string; load: number; upper: number; replicas?: number }[];
    }[];
    const { stdout } = await call(["forecast", "--csv", web(), "-o", "csv"]);
    const [head, ...lines] = stdout.trimEnd().split("\n");
    expect(head).toBe("load,at,mean,upper,replicas");
    // Nothing tells the load of a replica.
    expect(lines).toEqual(days[0]?.hours.map(({ at, load, upper }) => `web.csv,${at},${load},${upper},`));
    expect(lines).toHaveLength(24);
  });

  it("ends with code 2 for a file with less than two days", async () => {
    const { code, stderr } = await call(["forecast", "--csv", join(folder, "new.csv")]);
    expect(code).toBe(2);
    expect(stderr).toContain("new.csv: has less than two days of load");
  });
});
