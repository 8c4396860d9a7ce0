import fc from "fast-check";
import { DateTime } from "luxon";
import { describe, expect, it } from "vitest";
import { Forecaster, type Settings } from "../../../../capabilities/mlscaler/forecast/forecaster";
import { LocalTime } from "../../../../capabilities/mlscaler/forecast/local-time";
import { runSlices } from "../../../../capabilities/mlscaler/forecast/sliced";
import { dayMilliseconds } from "../../../../capabilities/mlscaler/history/retention";
import { chanceFrom } from "../../../bench/forecast-traces";

const step = 300_000;
const day = 288;
const zone = "Europe/Berlin";

const wall = (at: number, of = zone): string => DateTime.fromMillis(at, { zone: of }).toFormat("HH:mm");

describe("LocalTime", () => {
  it("looks back to the same time on the clocks, whatever the zone and the time", () => {
    const zones = fc.constantFrom(zone, "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "Pacific/Apia");
    const begins = fc.integer({ min: 0, max: 20_000 }).map(days => Date.UTC(2000, 0, 1) + days * dayMilliseconds);
    fc.assert(
      fc.property(zones, begins, fc.integer({ min: -2 * day, max: 30 * day }), (of, begins, slot) => {
        const time = new LocalTime(of, step, begins);
        const [at, before] = [slot, time.ago(slot, day)].map(slot => begins + slot * step);
        const [now = "", then = ""] = [wall(at ?? 0, of), wall(before ?? 0, of)];
        // Clocks skip a time: then it is the one after the skipped part.
        const skipped = DateTime.fromMillis(at ?? 0, { zone: of }).minus({ days: 1 });
        if (skipped.toFormat("HH:mm") === now) expect(then).toBe(now);
        expect(time.place(slot, day)).toBeGreaterThanOrEqual(0);
        expect(time.place(slot, day)).toBeLessThan(day);
      }),
    );
  });

  it("takes the hour after the skipped one, and the second of the two repeated ones", () => {
    const at = (text: string): number => Date.parse(text);
    const ago = (text: string): string => {
      const time = new LocalTime(zone, step, at("2026-01-01T00:00Z"));
      const slot = (at(text) - at("2026-01-01T00:00Z")) / step;
      return new Date(at("2026-01-01T00:00Z") + time.ago(slot, day) * step).toISOString().slice(0, 16);
    };
    // 02:30 of the 30th of March: the 29th has no 02:30, and 03:30 is at 01:30 UTC.
    expect(ago("2026-03-30T00:30Z")).toBe("2026-03-29T01:30");
    // 02:30 of the 26th of October: the 25th has two, at 00:30 and at 01:30 UTC.
    expect(ago("2026-10-26T01:30Z")).toBe("2026-10-25T01:30");
    // Both of the 25th look back to the one of the 24th.
    expect([ago("2026-10-25T00:30Z"), ago("2026-10-25T01:30Z")]).toEqual(["2026-10-24T00:30", "2026-10-24T00:30"]);
  });

  it("never looks ahead of the newest known slot", () => {
    const time = new LocalTime(zone, step, Date.UTC(2026, 2, 1));
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 40 * day }), fc.integer({ min: 1, max: 2 * day }), (newest, ahead) => {
        const before = time.latest(newest + ahead, day, newest);
        expect(before).toBeLessThanOrEqual(newest);
        expect(before).toBeGreaterThan(newest - day - 24);
      }),
      // Around the skipped hour of the 29th.
      {
        examples: [
          [28 * day, 13],
          [29 * day, 6],
          [29 * day - 12, day],
        ],
      },
    );
  });

  it("is UTC for what is no zone, and does not fail before the first load", () => {
    expect(new LocalTime("Mars", step).ago(1000, day)).toBe(1000 - day);
    expect(new LocalTime(zone, step, -Infinity).place(5, day)).toBe(5);
  });
});

/** A change of the clocks in Berlin, and by how many hours they are ahead of UTC before and after. */
const changes = {
  spring: { at: Date.UTC(2026, 2, 29, 1), before: 1, after: 2 },
  autumn: { at: Date.UTC(2026, 9, 25, 1), before: 2, after: 1 },
};
type ClockChange = (typeof changes)["spring"];

/** A made-up load of Berlin: it rises at eight and falls at eighteen by the clock on the wall, less at weekends. */
function berlinLoads(change: ClockChange, begins: number, slots: number): number[] {
  const chance = chanceFrom(1);
  // From 0 to 1 within about an hour and a half.
  const rise = (hours: number): number => 1 / (1 + Math.exp(-4 * hours));
  let noise = 0;
  return Array.from({ length: slots }, (_, slot) => {
    const at = begins + slot * step;
    const local = new Date(at + 3_600_000 * (at < change.at ? change.before : change.after));
    const hour = local.getUTCHours() + local.getUTCMinutes() / 60;
    const weekend = [0, 6].includes(local.getUTCDay());
    noise = 0.9 * noise + 0.01 * chance.normal();
    return (100 + (weekend ? 200 : 900) * (rise(hour - 8) - rise(hour - 18))) * (1 + noise);
  });
}

describe("a load by local time", () => {
  const settings: Settings = { model: "auto", step: 900_000, horizon: 2, quantile: 0.9 };
  const slotsADay = 96;
  /** Mean absolute error of the day after the change. Every third slot of the load: steps of 15 minutes. */
  const errorAfter = (change: ClockChange, changed: Partial<Settings>): number => {
    const begins = Math.floor(change.at / dayMilliseconds) * dayMilliseconds - 21 * dayMilliseconds;
    const loads = berlinLoads(change, begins, 24 * day).filter((_, slot) => slot % 3 === 0);
    const from = 22 * slotsADay;
    const set = { ...settings, ...changed };
    const forecaster = runSlices(Forecaster.replay(set, loads.slice(0, from), undefined, [], begins));
    let error = 0;
    for (let slot = from; slot < 23 * slotsADay; slot++) {
      runSlices(forecaster.observeAll([loads[slot] ?? NaN]));
      error += Math.abs((forecaster.forecast()?.loads.at(-1) ?? NaN) - (loads[slot + settings.horizon] ?? NaN));
    }
    return error / slotsADay;
  };

  it.each(Object.entries(changes))("is foreseen on the day after the change in %s", (_, change) => {
    expect(errorAfter(change, { timezone: zone })).toBeLessThan(0.6 * errorAfter(change, {}));
  });
});
