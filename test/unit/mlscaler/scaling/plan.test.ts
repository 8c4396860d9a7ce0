import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Forecast } from "../../../../capabilities/mlscaler/forecast/forecast";
import { MetricsError } from "../../../../capabilities/mlscaler/metrics/reading";
import { metricNamed } from "../../../../capabilities/mlscaler/metrics/registry";
import { Loads, Measured } from "../../../../capabilities/mlscaler/scaling/loads";
import { carriedOut, plan, PlanFields, Remembered, World } from "../../../../capabilities/mlscaler/scaling/plan";
import { scaleToZeroSchema } from "../../../../capabilities/mlscaler/scaling/zero/scale-to-zero";
import { externalPerPod } from "./rule/hpa-cases/notation";

const now = Date.UTC(2026, 0, 1);
const { metric: external } = externalPerPod(0, "10");

/** The loads of a target: a total for each, with the capacity of a replica; undefined is unknown. */
function loadsOf(given: (number | undefined)[]): Loads {
  const found = given.map((load, index) => {
    const metric = index === 0 ? external : metricNamed("cpu", 2);
    const capacity = index === 0 ? 10 : 0.5;
    const total = load === undefined ? undefined : { load, capacity };
    const read: Measured = total ? { metric, total } : { metric, error: new MetricsError("FailedGet", "away") };
    return { read, total: { metric, index, capacity, load, total, settled: total !== undefined } };
  });
  const [measured, totals] = [found.map(({ read }) => read), found.map(({ total }) => total)];
  return { measured, totals, pods: [], starting: new Set(), now };
}

const load = fc.double({ min: 0, max: 500, noNaN: true });
const forecast = (upper: number, trusted: boolean): Forecast => ({
  ...{ model: "lags", load: upper, upper, samples: 2, wanted: 2, horizonSeconds: 60, trusted },
});

interface Given {
  spec: PlanFields;
  world: World;
  memory: Remembered;
}

const given: fc.Arbitrary<Given> = fc
  .record({
    loads: fc.array(fc.option(load, { nil: undefined }), { minLength: 1, maxLength: 2 }),
    uppers: fc.array(fc.tuple(load, fc.boolean()), { minLength: 2, maxLength: 2 }),
    replicas: fc.integer({ min: 1, max: 60 }),
    min: fc.integer({ min: 1, max: 10 }),
    more: fc.nat(50),
    extra: fc.option(fc.integer({ min: 0, max: 300 }), { nil: undefined }),
    pause: fc.constantFrom("None" as const, "All" as const, "Up" as const, "Down" as const),
    recommended: fc.array(fc.record({ at: fc.integer({ min: now - 400_000, max: now }), replicas: fc.nat(60) })),
    failedSyncs: fc.nat(5),
    hold: fc.constantFrom(undefined, "Replaying" as const, "StateUnread" as const),
  })
  .map(({ loads, uppers, replicas, min, more, extra, pause, recommended, failedSyncs, hold }) => {
    const found = loadsOf(loads);
    return {
      spec: { sync_period_seconds: 15, pause, forecast: { max_extra_percent: extra } },
      world: {
        ...{ scale: { replicas, observed: replicas }, bounds: { min, max: min + more }, loads: found },
        ...{ totals: found.totals, activations: [], idle: false, hold },
        forecasts: found.totals.map((_, index) => forecast(...(uppers[index] ?? ([0, false] as const)))),
      },
      memory: {
        past: { recommendations: recommended.sort((one, other) => one.at - other.at), scaleEvents: [] },
        ...{ lastSync: now - 15_000, failedSyncs, benefit: [] },
      },
    };
  });

const finalOf = ({ spec, world, memory }: Given): number => plan(spec, world, memory, now).decision.final;

describe("plan", () => {
  it("changes none of its inputs, and is the same for the same inputs", () => {
    fc.assert(
      fc.property(given, one => {
        const copy = structuredClone({ ...one, world: { ...one.world, loads: one.world.loads.totals } });
        const first = plan(one.spec, one.world, one.memory, now);
        expect(plan(one.spec, one.world, one.memory, now)).toEqual(first);
        carriedOut(one.memory, first, one.world.scale, now);
        expect({ ...one, world: { ...one.world, loads: one.world.loads.totals } }).toEqual(copy);
      }),
    );
  });

  it("asks with forecasts for no fewer replicas than without", () => {
    fc.assert(
      fc.property(given, one => {
        const without = finalOf({ ...one, world: { ...one.world, forecasts: [] } });
        expect(finalOf(one)).toBeGreaterThanOrEqual(without);
      }),
    );
  });

  it("stays within the bounds, or goes no further from them where it is paused", () => {
    fc.assert(
      fc.property(given, one => {
        const { bounds, scale } = one.world;
        const final = finalOf(one);
        if (one.spec.pause === "None") {
          expect(final).toBeGreaterThanOrEqual(bounds.min);
          expect(final).toBeLessThanOrEqual(bounds.max);
        } else if (final !== scale.replicas) {
          expect(Math.min(Math.max(final, bounds.min), bounds.max)).toBe(final);
        }
      }),
    );
  });

  it("lowers nothing within the bounds while a metric is unknown, or something holds the count", () => {
    fc.assert(
      fc.property(given, one => {
        const { bounds, scale, loads, hold } = one.world;
        const isKnown = loads.measured.every(read => !("error" in read)) && hold === undefined;
        if (isKnown || scale.replicas > bounds.max) return;
        expect(finalOf(one)).toBeGreaterThanOrEqual(scale.replicas);
      }),
    );
  });

  it("counts the syncs in a row without any known metric", () => {
    fc.assert(
      fc.property(given, ({ spec, world, memory }) => {
        const { failedSyncs } = plan(spec, world, memory, now);
        const failed = world.loads.measured.every(read => "error" in read);
        expect(failedSyncs).toBe(failed ? memory.failedSyncs + 1 : 0);
      }),
    );
  });

  it("keeps the last limit on a forecast's count while there is no forecast", () => {
    const world = (forecasts: World["forecasts"]): World => {
      const loads = loadsOf([100]);
      const scale = { replicas: 10, observed: 10 };
      return {
        ...{ scale, bounds: { min: 1, max: 99 }, loads, totals: loads.totals, activations: [], forecasts, idle: false },
      };
    };
    const spec: PlanFields = { sync_period_seconds: 15, pause: "None", forecast: { max_extra_percent: 50 } };
    const memory: Remembered = { past: { recommendations: [], scaleEvents: [] }, failedSyncs: 0, benefit: [] };
    const first = plan(spec, world([forecast(200, true)]), memory, now);
    expect(first.most).toBe(15);
    const after = carriedOut(memory, first, { replicas: 10, observed: 10 }, now);
    expect(plan(spec, world([undefined]), after, now + 15_000).most).toBe(15);
  });

  describe("with a capacity buffer", () => {
    const ahead = (upper: number, further: number): Forecast => ({
      ...forecast(upper, true),
      nodes: { horizonSeconds: 300, upper: further },
    });
    const loads = loadsOf([45]);
    const world = (change: Partial<World> = {}): World => ({
      ...{ scale: { replicas: 5, observed: 5 }, bounds: { min: 1, max: 12 }, loads, totals: loads.totals },
      ...{ activations: [], forecasts: [ahead(80, 100)], idle: false },
      ...change,
    });
    const memory: Remembered = { past: { recommendations: [], scaleEvents: [] }, failedSyncs: 0, benefit: [] };
    const spec: PlanFields = { sync_period_seconds: 15, pause: "None", capacity_buffer: {} };
    const bufferOf = (change: Partial<PlanFields> = {}, found: Partial<World> = {}): number | undefined =>
      plan({ ...spec, ...change }, world(found), memory, now).buffer?.replicas;

    it("asks for the nodes of the pods that it does not order yet, and with mode Observe of all that are missing", () => {
      expect(plan(spec, world(), memory, now).decision.final).toBe(8);
      expect(bufferOf()).toBe(2);
      expect(bufferOf({ mode: "Observe" })).toBe(5);
      expect(bufferOf({ capacity_buffer: undefined })).toBeUndefined();
    });

    it("is bounded as the forecast is", () => {
      const forecasts = [ahead(80, 900)];
      expect(bufferOf({}, { forecasts })).toBe(4);
      expect(bufferOf({ capacity_buffer: { max_replicas: 1 } }, { forecasts })).toBe(1);
      expect(bufferOf({ forecast: { max_extra_percent: 100 } }, { forecasts })).toBe(2);
    });

    it("is empty while the target may not grow, scaling is off, or the forecast is not trusted", () => {
      expect([bufferOf({ pause: "All" }), bufferOf({ pause: "Up" }), bufferOf({ pause: "Down" })]).toEqual([0, 0, 2]);
      expect(bufferOf({}, { scale: { replicas: 0, observed: 0 }, buffered: 2 })).toBe(0);
      expect(bufferOf({}, { forecasts: [{ ...ahead(80, 100), trusted: false }], buffered: 2 })).toBe(0);
    });

    it("asks for the node of a target at 0 whose load is expected", () => {
      const zero = scaleToZeroSchema.parse({ replicas: 2 });
      const idle = loadsOf([0]);
      const found = (upper: number, further: number): Partial<World> => ({
        ...{ scale: { replicas: 0, observed: 0 }, bounds: { min: 0, max: 12 }, loads: idle, totals: idle.totals },
        ...{
          activations: [{ metric: external, threshold: 5, load: 0 }],
          forecasts: [ahead(upper, further)],
          idle: true,
        },
      });
      const buffered = (upper: number, further: number): number | undefined =>
        bufferOf({ scale_to_zero: zero }, found(upper, further));
      expect([buffered(0, 0), buffered(0, 8), buffered(8, 8)]).toEqual([0, 2, 0]);
    });

    it("falls as slowly as the target", () => {
      const first = plan(spec, world(), memory, now);
      const after = carriedOut(memory, first, { replicas: 5, observed: 5 }, now, 8);
      const later = { scale: { replicas: 8, observed: 8 }, forecasts: [ahead(80, 80)], buffered: 2 };
      const at = (seconds: number): number | undefined =>
        plan(spec, world(later), after, now + 1000 * seconds).buffer?.replicas;
      expect([at(15), at(299), at(301)]).toEqual([2, 2, 0]);
    });
  });
});
