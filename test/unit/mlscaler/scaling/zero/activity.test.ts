import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Forecast, OccurrenceForecast } from "../../../../../capabilities/mlscaler/forecast/forecast";
import type { Metric } from "../../../../../capabilities/mlscaler/metrics/registry";
import { activityOf, ForecastActivation, Rest } from "../../../../../capabilities/mlscaler/scaling/zero/activity";

const metric = { type: "External", external: { metric: { name: "jobs" }, target: { type: "AverageValue" } } } as Metric;
const block = { cooldown_seconds: 60, replicas: 1 };
const now = 1_000_000;
const idle: Rest = { current: 1, counted: true, since: now - 60_000, now };

const jobs = (more: Partial<ForecastActivation>): ForecastActivation => ({ metric, threshold: 2, load: 0, ...more });
const forecast = (more: Partial<Forecast>): Forecast => ({
  ...{ model: "auto", horizonSeconds: 90, samples: 288, wanted: 288, trusted: true, upper: 0, ...more },
});
const occurrence = (more: Partial<OccurrenceForecast>): OccurrenceForecast => ({
  ...{ wake: 0, idle: 0, chance: 0.1, trusted: true, ...more },
});
const stateOf = (activations: ForecastActivation[], rest: Partial<Rest> = {}): string =>
  activityOf(block, activations, { ...idle, ...rest }).state;

describe("the activity of a target", () => {
  it.each([
    ["Active", jobs({ load: 3 }), {}],
    ["Active", jobs({ load: 3 }), { current: 0 }],
    ["Idle", jobs({ load: 2 }), {}],
    ["Active", jobs({ load: 3, ageUnknown: true }), {}],
    ["Unknown", jobs({ ageUnknown: true }), {}],
    ["Unknown", jobs({ skew: { server: "main", milliseconds: -3_600_000 } }), {}],
    ["Unknown", jobs({ load: undefined }), {}],
    ["Unknown", jobs({}), { counted: false }],
    ["Idle", jobs({}), { current: 0, counted: false, since: undefined }],
    ["CoolingDown", jobs({}), { since: now - 59_000 }],
    ["CoolingDown", jobs({}), { since: undefined }],
    ["Expected", jobs({ forecast: forecast({ upper: 3 }) }), {}],
    ["Idle", jobs({ forecast: forecast({ upper: 3, trusted: false }) }), {}],
    ["Idle", jobs({ forecast: forecast({ upper: 3, noise: 4 }) }), {}],
    // A target with replicas looks further ahead than one that has none.
    ["Expected", jobs({ forecast: forecast({ idleUpper: 3 }) }), {}],
    ["Idle", jobs({ forecast: forecast({ idleUpper: 3 }) }), { current: 0 }],
    // Where waking was tried, the chance decides and not the quantile.
    ["Expected", jobs({ forecast: forecast({ occurrence: occurrence({ wake: 0.3 }) }) }), { current: 0 }],
    ["Idle", jobs({ forecast: forecast({ occurrence: occurrence({ idle: 0.3 }) }) }), { current: 0 }],
    ["Expected", jobs({ forecast: forecast({ occurrence: occurrence({ idle: 0.3 }), trusted: false }) }), {}],
    ["Idle", jobs({ forecast: forecast({ occurrence: occurrence({ idle: 0.3, trusted: false }), upper: 3 }) }), {}],
    ["Idle", jobs({ forecast: forecast({ occurrence: occurrence({ idle: 0.1 }), upper: 3 }) }), {}],
  ])("is %s, case %#", (state, activation, rest) => {
    expect(stateOf([activation], rest)).toBe(state);
  });

  it("says how likely the load is that it expects", () => {
    const { what } = activityOf(block, [jobs({ forecast: forecast({ occurrence: occurrence({ wake: 0.917 }) }) })], {
      ...{ ...idle, current: 0 },
    });
    expect(what).toBe("the chance of jobs above 2 is 92 %");
  });

  it("says at 0 replicas when load is usual next, if waking by it is trusted", () => {
    const next = { at: Date.UTC(2024, 0, 1, 8, 0), chance: 0.92 };
    const of = (trusted: boolean, current: number): string =>
      activityOf(block, [jobs({ forecast: forecast({ occurrence: occurrence({ trusted, next }) }) })], {
        ...{ ...idle, current },
      }).what;
    const none = "no activation is above its threshold for 60 s";
    expect(of(true, 0)).toBe(`${none}; next load expected 08:00 UTC, 92 %`);
    expect(of(false, 0)).toBe(none);
    expect(of(true, 1)).toBe(none);
  });

  it("goes to 0 with no forecast only where it does without one, and wakes by none", () => {
    const chance = fc.double({ min: 0, max: 1, noNaN: true });
    const ahead = fc.option(
      fc.record({
        ...{ trusted: fc.boolean(), upper: fc.double({ min: 0, max: 9, noNaN: true }) },
        occurrence: fc.option(fc.record({ wake: chance, idle: chance, chance, trusted: fc.boolean() }), {
          nil: undefined,
        }),
      }),
      { nil: undefined },
    );
    const load = fc.option(fc.double({ min: 0, max: 4, noNaN: true }), { nil: undefined });
    const current = fc.constantFrom(0, 1);
    const since = fc.constantFrom(undefined, now - 60_000, now);
    fc.assert(
      fc.property(ahead, load, current, since, (given, load, current, since) => {
        const without = stateOf([jobs({ load })], { current, since });
        const state = stateOf([jobs({ load, forecast: given && forecast(given) })], { current, since });
        if (state === without) return;
        // A forecast only turns to Expected, and only one that is trusted.
        expect(state).toBe("Expected");
        expect((given?.occurrence ?? given)?.trusted).toBe(true);
      }),
    );
  });

  it("is unknown without an activation", () => {
    expect(stateOf([])).toBe("Unknown");
  });
});
