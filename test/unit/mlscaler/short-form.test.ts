import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Forecast } from "../../../capabilities/mlscaler/forecast";
import { Memory, memoryOf } from "../../../capabilities/mlscaler/history/memory";
import { continuous } from "../../../capabilities/mlscaler/history/series";
import { Load } from "../../../capabilities/mlscaler/metrics/load";
import { Asked } from "../../../capabilities/mlscaler/observation";
import { replicasFor } from "../../../capabilities/mlscaler/scaling/load";
import { ShortForm, specSchema } from "../../../capabilities/mlscaler/schema";
import { observeLoad } from "../../../capabilities/mlscaler/short-form";
import { Scale } from "../../../capabilities/mlscaler/target";

const nothingForeseen = (): undefined => undefined;

const step = 30_000;
const begin = Date.UTC(2026, 0, 1);
/** The time of the n-th sync. */
const at = (sync: number): number => begin + sync * step;

const specOf = (fields: object = {}): ShortForm =>
  specSchema.parse({
    ...{ target_deployment: "web", max_replicas: 100, metric: "cpu", history_size: 3 },
    ...fields,
  }) as ShortForm;

const newMemory = (spec = specOf()): Memory => memoryOf(undefined, "shop/web", "uid-web", spec);

/** A load of which every pod has a sample. */
const whole = (load: number): Load => ({ lowest: load, likely: load, recorded: load });

const scale = (replicas: number): Scale => ({
  ...{ path: "", namespace: "shop", name: "web", selector: "app=web", resourceVersion: "1" },
  ...{ replicas, observed: replicas },
});

/** What loads ask for, one a sync, at the last of them. */
function after(loads: number[], replicas: number, spec = specOf()): Asked {
  const memory = newMemory(spec);
  const observations = loads.map((load, sync) =>
    observeLoad(spec, memory, whole(load), undefined, at(sync), nothingForeseen),
  );
  const asked = observations.at(-1)?.asks(scale(replicas));
  if (!asked) throw new Error("there is no load");
  return asked;
}

describe("a load", () => {
  it("asks for the higher of what it needs and what its forecast does, and says so", () => {
    expect(after([0.3, 0.4, 0.5], 3)).toEqual({
      proposed: {
        ...{ reactive: 5, predictive: 6, recommended: 6, held: undefined },
        demand: { load: 0.5, forecast: expect.closeTo(0.6, 12) as number },
      },
      failures: [],
      metrics: [{ name: "cpu", current: "0.50", forecast: "0.60" }],
      what: "load 0.50 cores",
      measure: "10 replicas per core",
      load: 0.5,
      ahead: "0.60 cores in 30 s (linear over 3 samples)",
      forecast: {
        ...{ model: "linear", load: expect.closeTo(0.6, 12) as number, samples: 3, wanted: 3 },
        ...{ horizonSeconds: 30, trusted: true },
      },
    });
  });

  it("asks without a forecast while that learns", () => {
    expect(after([0.4, 0.5], 3)).toMatchObject({
      proposed: { reactive: 5, predictive: undefined, recommended: 5 },
      metrics: [{ current: "0.50", forecast: undefined }],
      forecast: { samples: 2, wanted: 3 },
    });
  });

  it("has no forecast with the model off, and goes into the history all the same", () => {
    const spec = specOf({ forecast: { model: "off" } });
    const memory = newMemory(spec);
    [0.3, 0.4, 0.5].forEach((load, sync) =>
      observeLoad(spec, memory, whole(load), undefined, at(sync), nothingForeseen),
    );
    expect(continuous(memory.series, at(2))).toEqual([0.3, 0.4, 0.5]);
    const asked = after([0.3, 0.4, 0.5], 3, spec);
    expect(asked).toMatchObject({ proposed: { reactive: 5, recommended: 5 }, load: 0.5 });
    expect([asked.forecast, asked.proposed?.predictive]).toEqual([undefined, undefined]);
  });

  it.each([
    ["cpu", 10, "load 2.00 cores", "10 replicas per core"],
    ["memory", "500m", "load 2.00 GiB", "500m replicas per GiB"],
    ["requests_per_second", 1, "load 2.00 requests_per_second", "1 replicas per requests_per_second"],
  ])("of %s is told in its unit", (metric, replicas_per_unit, what, measure) => {
    const asked = after([2], 1, specOf({ metric, replicas_per_unit }));
    expect(asked).toMatchObject({ what, measure, metrics: [{ name: metric }] });
  });

  it("counts a replicas_per_unit as the Quantity that it is", () => {
    expect(after([7], 2, specOf({ replicas_per_unit: "500m" })).proposed?.recommended).toBe(4);
  });

  it("is asked again with the count that somebody else set meanwhile, and goes into the history once", () => {
    const memory = newMemory();
    // A pod of three has no sample.
    const observation = observeLoad(
      specOf(),
      memory,
      { lowest: 0.4, likely: 0.6, recorded: 0.6 },
      undefined,
      at(0),
      nothingForeseen,
    );
    expect(observation.asks(scale(3)).proposed).toMatchObject({ recommended: 4, demand: { load: 0.4 } });
    expect(observation.asks(scale(5)).proposed).toMatchObject({ recommended: 5, held: "Unsampled" });
    expect(observation.asks(scale(9)).proposed).toMatchObject({ recommended: 6, demand: { load: 0.6 } });
    expect(continuous(memory.series, at(0))).toEqual([0.6]);
  });

  it("asks for a scale-up by its forecast no further than the samples there are let it", () => {
    const memory = newMemory();
    for (const sync of [0, 1])
      observeLoad(specOf(), memory, whole(0.3 + sync / 10), undefined, at(sync), nothingForeseen);
    const load = { lowest: 0.4, likely: 0.5, recorded: 0.5 };
    const { proposed } = observeLoad(specOf(), memory, load, undefined, at(2), nothingForeseen).asks(scale(4));
    // The line through 0.3 0.4 0.5 gives 0.6, that through 0.3 0.4 0.4 gives 0.47.
    expect(proposed).toMatchObject({ reactive: 4, predictive: 5, recommended: 5 });
  });
});

describe("a load during a rollout", () => {
  it("goes into the history without that of the start, and raises nothing by it", () => {
    const memory = newMemory();
    const spec = specOf();
    const observation = observeLoad(spec, memory, whole(0.9), { settled: whole(0.5) }, at(0), nothingForeseen);
    expect(continuous(memory.series, at(0))).toEqual([0.5]);
    expect(observation.asks(scale(5))).toMatchObject({
      proposed: { reactive: 5, recommended: 5, held: "Rollout" },
      load: 0.9,
      what: "load 0.90 cores",
    });
    expect(observation.asks(scale(4)).proposed).toMatchObject({ recommended: 5, held: undefined });
    // What there is carries the start as well: nothing goes that it may need.
    expect(observation.asks(scale(9)).proposed).toMatchObject({ recommended: 9, held: undefined });
    expect(observation.asks(scale(12)).proposed).toMatchObject({ recommended: 9, held: undefined });
  });

  it("is a gap in the history when nothing can be told of it, and raises nothing", () => {
    const memory = newMemory();
    const observation = observeLoad(specOf(), memory, whole(0.9), {}, at(0), nothingForeseen);
    expect(continuous(memory.series, at(0))).toEqual([]);
    expect(observation.asks(scale(2)).proposed).toMatchObject({ recommended: 2, held: "Rollout" });
    expect(observation.asks(scale(12)).proposed).toMatchObject({ recommended: 9 });
  });

  it("with a rise of its own is followed", () => {
    const observation = observeLoad(specOf(), newMemory(), whole(1.2), { settled: whole(0.8) }, at(0), nothingForeseen);
    expect(observation.asks(scale(5)).proposed).toMatchObject({ reactive: 8, recommended: 8, held: undefined });
  });

  it("never asks for an increase above what is left of it, whatever the history", () => {
    const load = fc.integer({ min: 0, max: 5000 }).map(milli => milli / 1000);
    const given = fc.record({
      past: fc.array(load, { maxLength: 6 }),
      settled: fc.option(load, { nil: undefined }),
      start: load,
      replicas: fc.integer({ min: 1, max: 100 }),
    });
    fc.assert(
      fc.property(given, ({ past, settled, start, replicas }) => {
        const spec = specOf({ forecast: { model: "off" } });
        const memory = newMemory(spec);
        past.forEach((value, sync) => observeLoad(spec, memory, whole(value), undefined, at(sync), nothingForeseen));
        const rollout = { settled: settled === undefined ? undefined : whole(settled) };
        const measured = whole((settled ?? 0) + start);
        const { proposed } = observeLoad(spec, memory, measured, rollout, at(past.length), nothingForeseen).asks(
          scale(replicas),
        );
        const recommended = proposed?.recommended ?? NaN;
        expect(recommended).toBeLessThanOrEqual(Math.max(replicas, replicasFor(settled ?? 0, 10)));
        // And takes nothing away that its start needs.
        expect(recommended).toBeGreaterThanOrEqual(Math.min(replicas, replicasFor(measured.likely, 10)));
      }),
    );
  });

  it("with a forecast asks for no more than without the start", () => {
    const load = fc.integer({ min: 0, max: 5000 }).map(milli => milli / 1000);
    fc.assert(
      fc.property(fc.array(load, { maxLength: 6 }), load, load, fc.nat(100), (past, settled, start, replicas) => {
        const proposedBy = (measured: Load, rollout?: { settled: Load }): number => {
          const memory = newMemory();
          past.forEach((value, sync) =>
            observeLoad(specOf(), memory, whole(value), undefined, at(sync), nothingForeseen),
          );
          const observation = observeLoad(specOf(), memory, measured, rollout, at(past.length), nothingForeseen);
          return observation.asks(scale(replicas)).proposed?.recommended ?? NaN;
        };
        const during = proposedBy(whole(settled + start), { settled: whole(settled) });
        expect(during).toBeLessThanOrEqual(Math.max(replicas, proposedBy(whole(settled))));
      }),
    );
  });
});

describe("a load with a forecast block", () => {
  const spec = specOf({ forecast: {} });
  const foreseen: Forecast = {
    ...{ model: "lags", load: 0.7, upper: 0.8, samples: 288, wanted: 288, horizonSeconds: 120, trusted: true },
    ...{ skill: 0.3, coverage: 0.9 },
  };
  const asked = (load: Load, replicas: number, forecast: Forecast | undefined, rollout?: { settled?: Load }): Asked =>
    observeLoad(spec, newMemory(spec), load, rollout, at(0), () => forecast).asks(scale(replicas));

  it("is raised to the upper quantile of a forecast that is trusted, and says so", () => {
    expect(asked(whole(0.5), 5, foreseen)).toMatchObject({
      proposed: { reactive: 5, predictive: 8, recommended: 8, demand: { load: 0.5 } },
      metrics: [{ name: "cpu", current: "0.50", forecast: "0.70" }],
      load: 0.5,
      forecast: foreseen,
      ahead: "0.80 cores in 120 s (lags, 90 % below)",
    });
  });

  it("is what counts while no forecast is trusted, or there is none", () => {
    for (const forecast of [{ ...foreseen, trusted: false }, { ...foreseen, upper: undefined }, undefined])
      expect(asked(whole(0.5), 3, forecast).proposed).toMatchObject({ reactive: 5, recommended: 5 });
  });

  it("bounds the forecast by what it asks for itself, not by pods that have no sample yet", () => {
    const high = { ...foreseen, upper: 9 };
    expect(asked(whole(0.5), 5, high).proposed?.recommended).toBe(10);
    // Five of ten pods were just added: as the mean of the others they would carry as much again.
    const young = { lowest: 0.5, likely: 1, recorded: 0.5 };
    expect(asked(young, 10, high).proposed?.recommended).toBe(10);
  });

  it("is foreseen without the start of a rollout, as a gap where that cannot be told", () => {
    const seen: (number | undefined)[] = [];
    const note = (_: unknown, load: number | undefined): undefined => void seen.push(load);
    for (const rollout of [undefined, { settled: whole(0.5) }, {}])
      observeLoad(spec, newMemory(spec), whole(0.9), rollout, at(0), note);
    expect(seen).toEqual([0.9, 0.5, undefined]);
  });

  it("never asks for less than without, nor for more than twice as much, whatever is forecast", () => {
    const load = fc.double({ min: 0, max: 1e4, noNaN: true });
    const anything = fc.oneof(fc.double(), fc.constantFrom(NaN, Infinity, -1, 1e308, 5e-324));
    fc.assert(
      fc.property(load, anything, fc.nat(1000), (now, upper, replicas) => {
        const without = asked(whole(now), replicas, undefined).proposed?.recommended ?? NaN;
        const recommended = asked(whole(now), replicas, { ...foreseen, upper }).proposed?.recommended ?? NaN;
        expect(recommended).toBeGreaterThanOrEqual(without);
        expect(recommended).toBeLessThanOrEqual(Math.max(without, 2 * Math.max(1, replicasFor(now, 10))));
      }),
    );
  });
});
