import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { calendarFaults, daysOf } from "../../../../capabilities/mlscaler/forecast/calendar-dates";
import { Forecaster, type Settings } from "../../../../capabilities/mlscaler/forecast/forecaster";
import { LocalTime } from "../../../../capabilities/mlscaler/forecast/local-time";
import { faultsOfForecast } from "../../../../capabilities/mlscaler/forecast/schema";
import { runSlices } from "../../../../capabilities/mlscaler/forecast/sliced";
import { faultText } from "../../../../capabilities/definition/check";
import { dayMilliseconds } from "../../../../capabilities/mlscaler/history/time";
import { calendar, saleLoads, sales } from "../../../bench/calendar";

const day = (text: string): number => Date.parse(`${text}T00:00Z`) / dayMilliseconds;

describe("the dates of a calendar", () => {
  it("are days, and ranges with both ends", () => {
    expect(daysOf("2026-12-24")).toEqual([day("2026-12-24")]);
    expect(daysOf("2026-12-31/2027-01-01")).toEqual([day("2026-12-31"), day("2027-01-01")]);
    expect(daysOf("2028-02-29")).toHaveLength(1);
  });

  it.each(["2026-02-29", "2026-13-01", "2026-12-26/2026-12-24", "2026-01-01/2026-12-31", "tomorrow", "", "2026-1-1"])(
    "are not %j",
    text => {
      expect(daysOf(text)).toEqual([]);
    },
  );

  it("are days that Date has, one after another", () => {
    const date = fc.date({ noInvalidDate: true, min: new Date("1970-01-01"), max: new Date("2999-01-01") });
    fc.assert(
      fc.property(date, fc.integer({ min: 0, max: 30 }), (first, more) => {
        const name = (at: number): string => new Date(at).toISOString().slice(0, 10);
        const days = daysOf(`${name(first.getTime())}/${name(first.getTime() + more * dayMilliseconds)}`);
        expect(days.map(number => name(number * dayMilliseconds))).toEqual(
          Array.from({ length: more + 1 }, (_, index) => name(first.getTime() + index * dayMilliseconds)),
        );
      }),
    );
  });

  it("have faults with the field, the value and the remedy", () => {
    const entries = [
      { name: "sale", dates: ["2026-02-30", "2026-12-24"] },
      { name: "holiday", dates: ["2026-12-24/2026-12-26"] },
    ];
    expect(faultsOfForecast({ forecast: { calendar: entries } }).map(faultText)).toEqual([
      'spec.forecast.calendar[0].dates[0]: "2026-02-30" has no days, use days that exist, the first one first, and at ' +
        "most 31 in a range",
      'spec.forecast.calendar[1].dates[0]: "2026-12-24/2026-12-26" has a day that sale has already, name each day once',
    ]);
    expect(calendarFaults(calendar)).toEqual([]);
  });
});

it("a day of a calendar begins at local midnight, and ordinary days look back past it", () => {
  const begins = Date.UTC(2026, 6, 1);
  const time = new LocalTime("Europe/Berlin", 3_600_000, begins, [{ name: "sale", dates: ["2026-07-03"] }]);
  // Berlin is two hours ahead of UTC in July.
  expect([45, 46, 69, 70].map(slot => time.nameOf(slot))).toEqual([undefined, "sale", "sale", undefined]);
  expect([time.before(80, 24), time.before(60, 24)]).toEqual([32, 36]);
  expect(time.latest(80, 24, 79)).toBe(32);
});

describe("a sale on each second Friday", () => {
  const settings: Settings = { model: "auto", step: 900_000, horizon: 2, quantile: 0.9 };
  const slotsADay = 96;
  const begins = Date.UTC(2026, 4, 4);
  const [, , third = 0] = sales;

  interface Day {
    /** The mean absolute error. */
    error: number;
    /** The names that were reported. */
    names: Set<unknown>;
  }

  function on(judged: number, changed: Partial<Settings>, hasSales = true): Day {
    const loads = saleLoads(judged + 1, hasSales).filter((_, slot) => slot % 3 === 0);
    const from = judged * slotsADay - settings.horizon;
    const set = { ...settings, ...changed };
    const forecaster = runSlices(Forecaster.replay(set, loads.slice(0, from), undefined, [], begins));
    const names = new Set<unknown>();
    let error = 0;
    for (let slot = from; slot + settings.horizon < loads.length; slot++) {
      runSlices(forecaster.observeAll([loads[slot] ?? NaN]));
      const outlook = forecaster.forecast();
      error += Math.abs((outlook?.loads.at(-1) ?? NaN) - (loads[slot + settings.horizon] ?? NaN));
      names.add(outlook?.calendarDay);
    }
    return { error: error / slotsADay, names };
  }

  /** The third sale without a calendar. */
  let known: Day | undefined;
  const plain = (): Day => (known ??= on(third, {}));

  it("is foreseen from the sales before, and its name is reported", () => {
    const { error, names } = on(third, { calendar });
    expect(error).toBeLessThan(0.7 * plain().error);
    expect([...names]).toEqual(["sale"]);
  });

  it("spoils no ordinary day after it", () => {
    const { error, names } = on(third + 1, { calendar });
    expect(error).toBeLessThan(on(third + 1, {}).error);
    expect([...names]).toEqual([undefined]);
  });

  it("costs little where there is none", () => {
    expect(on(third, { calendar }, false).error).toBeLessThan(1.1 * on(third, {}, false).error);
    expect(on(third + 7, { calendar }, false).error).toBeLessThan(1.1 * on(third + 7, {}, false).error);
  });

  it("changes nothing while no day of a calendar has come", () => {
    const later = [{ name: "sale", dates: ["2027-01-01"] }];
    expect(on(third, { calendar: later })).toEqual(plain());
  });
});
