import { stripVTControlCharacters } from "node:util";
import { describe, expect, it } from "vitest";
import { Row, rowOf, sorted } from "../../../../cli/fleet/row";
import { tableOf } from "../../../../cli/fleet/table";
import { totalsOf } from "../../../../cli/fleet/totals";
import { condition, conditionsWith, Given, scaler } from "./scalers";

const now = Date.parse("2026-11-25T02:05:00Z");

const rowsOf = (...given: Given[]): Row[] => sorted(given.flatMap(one => rowOf(scaler(one)) ?? []));

/** The lines of the table, without the colours that a terminal or a CI gets. */
const linesOf = (rows: Row[]): string[] => stripVTControlCharacters(tableOf(rows, totalsOf(rows), now)).split("\n");

const shadow = (saved: number, under: number, underWithout: number): Given["status"] => ({
  shadow: {
    hpa_replicas: 5,
    replica_hours_saved_24h: saved,
    underprovisioned_seconds_24h: under,
    underprovisioned_seconds_hpa_24h: underWithout,
  },
});

const demoted = {
  conditions: conditionsWith(condition("ForecastReady", "False", "Demoted", "costs 12 % and saves nothing")),
};
const failing = {
  conditions: conditionsWith(condition("Ready", "False", "FailedGetResourceMetric", "no metrics\nof cpu")),
};

const fleet = rowsOf(
  { name: "web" },
  { name: "mail", spec: { mode: "Observe" } },
  { name: "new", status: null },
  { name: "api", status: { ...demoted, ...shadow(-1000, 7200, 7200) } },
  { name: "db", status: { ...failing, current_replicas: 3, predicted_replicas: 3 } },
);

describe("the table of a fleet", () => {
  it("has a line for each MLScaler with units, those that need attention first", () => {
    const lines = linesOf(fleet);
    expect(lines[0]).toMatch(
      /^mlscaler +state +target +mode +replicas +model +skill +trust +added +under target +no forecast +why$/,
    );
    expect(lines[1]).toMatch(/^shop\/db +fault .* 3 +boosted .* FailedGetResourceMetric: no metrics of cpu$/);
    expect(lines[2]).toMatch(/^shop\/new +not synced +Deployment\/new +Active +– +– +– +– +– +– +– +NeverSynced: not/);
    expect(lines[3]).toMatch(
      /^shop\/api +demoted .* \+1,000 h +2 h +2 h +for 2 h 5 min: costs 12 % and saves nothing$/,
    );
    expect(lines[4]).toMatch(
      /^shop\/web +ok +Deployment\/web +Active +5 → 9 +boosted +42 % +Trusted +\+12 h +1 min +1 h 2 min$/,
    );
    expect(lines[5]).toMatch(/^shop\/mail +ok +Deployment\/mail +Observe +5 → 9 +boosted +42 % +Trusted +– +– +–$/);
  });

  it("names what an MLScaler assists, and its minimum", () => {
    const assist = { autoscaler: "HPA web", own_min_replicas: 2, min_replicas: 9 };
    const [, line] = linesOf(rowsOf({ spec: { mode: "Assist" }, status: { min_replicas: "2→9", assist } }));
    expect(line).toMatch(/^shop\/web +ok +Deployment\/web +Assist: HPA web 2→9 +5 → 9 /);
  });

  it("has the totals in words", () => {
    expect(linesOf(fleet).slice(6)).toEqual([
      "",
      "5 MLScalers: 1 with a fault, 1 not synced, 1 with a demoted forecast, 2 ok. 1 of them only observes.",
      "3 forecasts are trusted, with a median skill of 42 %.",
      "In the last 24 hours 3 forecasts added 1,024 replica-hours, and loads were above target for 2 h 2 min instead " +
        "of 4 h 4 min.",
      "1 of them added replica-hours, and the load was above target as long as without the forecast.",
    ]);
  });

  it("says what a forecast saved, and nothing of forecasts where there are none", () => {
    expect(linesOf(rowsOf({ status: shadow(3, 0, 0) })).slice(-3)).toEqual([
      "1 MLScaler: 1 ok.",
      "1 forecast is trusted, with a median skill of 42 %.",
      "In the last 24 hours 1 forecast saved 3 replica-hours, and loads were above target for 0 s instead of 0 s.",
    ]);
    expect(linesOf(rowsOf({ status: null })).slice(-2)).toEqual([
      "1 MLScaler: 1 not synced.",
      "0 forecasts are trusted.",
    ]);
  });

  it("says why one is paused or learning, and cuts off a long message", () => {
    const learning = condition("ForecastReady", "False", "Learning", "Learning 2 of 3 samples");
    const long = condition("Ready", "False", "Forbidden", "x".repeat(1000));
    const lines = linesOf(
      rowsOf(
        { name: "a", status: { conditions: conditionsWith(long) } },
        { name: "b", spec: { pause: "Down" } },
        { name: "c", status: { conditions: conditionsWith(learning) } },
      ),
    );
    expect(lines[1]).toMatch(/ Forbidden: x+…$/);
    expect(lines[1]?.length).toBeLessThan(250);
    expect(lines[2]).toMatch(/ spec\.pause is Down$/);
    expect(lines[3]).toMatch(/ Learning 2 of 3 samples$/);
  });
});

describe("the totals of a fleet", () => {
  it("sum up what is compared, and take the median skill of trusted forecasts", () => {
    const skill = (skill_percent: number): Given["status"] => ({
      forecast: { model: "holt", horizon_seconds: 50, samples: 288, skill_percent },
    });
    const rows = rowsOf({ status: skill(10) }, { status: skill(30) }, { status: skill(90) }, { status: demoted });
    expect(totalsOf(rows)).toMatchObject({
      mlscalers: 4,
      states: { ok: 3, demoted: 1, fault: 0 },
      trusted: 3,
      median_skill_percent: 30,
      last_24_hours: { mlscalers: 4, saved_replica_hours: -48, without_gain: 0 },
    });
    expect(totalsOf([])).toMatchObject({ mlscalers: 0, trusted: 0, last_24_hours: { mlscalers: 0 } });
    expect(totalsOf([]).median_skill_percent).toBeUndefined();
  });
});
