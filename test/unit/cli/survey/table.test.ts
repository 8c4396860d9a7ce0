import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { Verdict } from "../../../../cli/simulate/gain";
import { Row } from "../../../../cli/survey/judge";
import { tableOf } from "../../../../cli/survey/table";
import { totalsOf } from "../../../../cli/survey/totals";

const row = (workload: string, verdict: Verdict, savedPercent: number, saved: number): Row => ({
  ...{ workload, verdict, scaler: "HPA", target: "Deployment/web", metric: "cpu", reason: "a reason" },
  ...{ skill_percent: 41.6, trusted_percent: 100 },
  unserved_percent: { hpa: 0.5, mlscaler: 0.05, without_forecast_at_equal_cost: 0.25 },
  ...{ extra_replica_hours_percent: 12, saved_replica_hours_percent: savedPercent, saved_replica_hours: saved },
  average_replicas: { hpa: 5, mlscaler: 6 },
  load: { mean: 3.2, days: 14, capacity: 1, start_up_seconds: 120 },
  notes: [],
});

const rows = [
  row("shop/web", "gains", 12.4, 1500),
  row("shop/api", "unsure", 0.2, 10),
  row("shop/batch", "no gain", -8.6, -300),
];

describe("the totals of a survey", () => {
  it("sum up those that gain alone", () => {
    expect(totalsOf(rows, 0.04)).toEqual({
      workloads: 3,
      verdicts: { gains: 1, "no gain": 1, unsure: 1 },
      saved_replica_hours: 1500,
      saved_money: 60,
    });
    expect(totalsOf(rows, undefined)).not.toHaveProperty("saved_money");
  });
});

/** The lines of the table, without the colours that a terminal or a CI gets. */
const linesOf = (shown: Row[]): string[] => stripVTControlCharacters(tableOf(shown, totalsOf(shown, 0.04))).split("\n");

describe("the table of a survey", () => {
  it("has a line for each workload, and the totals in words", () => {
    const lines = linesOf(rows);
    expect(lines[1]).toMatch(/^shop\/web +cpu 3\.2 +42 % +0\.50 % +0\.05 % +0\.25 % +\+12 % +gains +a reason$/);
    expect(lines[2]).toMatch(/ 0 % +unsure +a reason$/);
    expect(lines[3]).toMatch(/ −9 % +no gain +a reason$/);
    expect(lines.slice(4)).toEqual([
      "",
      "1 of 3 gain, 1 do not, 1 are unsure.",
      "To serve those that gain as well without a forecast takes 1,500 replica-hours more in 30 days, which cost 60.",
    ]);
  });

  it("has a column of the waits for nodes where pods waited", () => {
    const [first, ...others] = rows;
    const waited = first ? [{ ...first, load: { ...first.load, node_seconds: 232 } }, ...others] : [];
    expect(linesOf(rows)[0]).not.toContain("node wait");
    expect(linesOf(waited)[0]).toContain("node wait");
    expect(linesOf(waited).slice(1, 3)).toEqual([expect.stringContaining(" 232 s "), expect.stringContaining(" – ")]);
  });

  it("promises nothing when none gains", () => {
    expect(linesOf(rows.slice(1)).at(-1)).toBe("0 of 2 gain, 1 do not, 1 are unsure.");
  });
});
