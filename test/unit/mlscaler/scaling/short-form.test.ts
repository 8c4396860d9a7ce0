import { describe, expect, it } from "vitest";
import { Forecast } from "../../../../capabilities/mlscaler/forecast/forecast";
import { lineOf } from "../../../../capabilities/mlscaler/forecast/models/line";
import { continuous, emptySeries, recorded, Series } from "../../../../capabilities/mlscaler/history/series";
import { Pod, Reading, Sample } from "../../../../capabilities/mlscaler/metrics/reading";
import { Metric } from "../../../../capabilities/mlscaler/metrics/registry";
import { describe as describedAs, Description } from "../../../../capabilities/mlscaler/report/description";
import { Loads, loadsOf } from "../../../../capabilities/mlscaler/scaling/loads";
import { Proposal as Asked } from "../../../../capabilities/mlscaler/scaling/proposal";
import { propose } from "../../../../capabilities/mlscaler/scaling/propose";
import { Spec, specSchema } from "../../../../capabilities/mlscaler/schema";
import { podWith } from "../pod";

const step = 30_000;
const begin = Date.UTC(2026, 0, 1);
/** The time of the n-th sync. */
const at = (sync: number): number => begin + sync * step;

const specOf = (fields: object = {}): Spec =>
  specSchema.parse({
    ...{ target_deployment: "web", max_replicas: 100, metric: "cpu", history_size: 3 },
    ...fields,
  });

/** The pods of a target and their samples, as one sync reads them. */
interface Seen {
  pods: Pod[];
  samples: Map<string, number>;
  starting: Set<string>;
}

const podOf = (name: string, readySeconds = 3600): Pod =>
  podWith({ name, ready: { status: true, since: begin - readySeconds * 1000 } });

/** Pods with these samples, and so many without one: Ready for long, or too young to have one. */
function seen(samples: number[], without = 0, young = 0): Seen {
  const sampled = samples.map((sample, index): [string, number] => [`pod-${index}`, sample]);
  const others = Array.from({ length: without }, (_, index) => podOf(`without-${index}`));
  const newest = Array.from({ length: young }, (_, index) => podOf(`young-${index}`, 1));
  return {
    pods: [...sampled.map(([name]) => podOf(name)), ...others, ...newest],
    samples: new Map(sampled),
    starting: new Set(),
  };
}

/** A load of which every pod has a sample. */
const whole = (load: number): Seen => seen([load]);

/** A load during a rollout: what is no start-up load, undefined when it cannot be told, and the start-up load. */
const duringRollout = (settled: number | undefined, start: number): Seen =>
  settled === undefined
    ? { ...seen([start]), starting: new Set(["pod-0"]) }
    : { ...seen([settled / 2, settled / 2 + start]), starting: new Set(["pod-1"]) };

const loadsIn = (spec: Spec, { pods, samples, starting }: Seen, now: number): Loads =>
  loadsOf(
    spec,
    { pods, readings: [{ metric: metricOf(spec), reading: readingOf(spec, samples, now) }] },
    starting,
    now,
  );

const metricOf = ({ metrics: [metric] }: Spec): Metric => metric ?? { type: "Resource" };

/** The samples of a metric in milli-units; those of memory are bytes. */
function readingOf({ metric }: Spec, samples: Map<string, number>, at: number): Reading {
  const milli = metric === "memory" ? 1000 * 2 ** 30 : 1000;
  const sampleOf = (load: number): Sample => ({ milli: load * milli, at, windowMilliseconds: 15_000 });
  return { samples: new Map([...samples].map(([name, load]) => [name, sampleOf(load)])) };
}

/** A recommendation with its words. */
type Proposal = Omit<Asked, "counted"> & Description;

const proposeFor = (spec: Spec, loads: Loads, forecast: Forecast | undefined, replicas: number): Proposal =>
  described(loads, [forecast], propose(spec, loads, [forecast], 1, { replicas, observed: replicas }));

const described = (loads: Loads, forecasts: (Forecast | undefined)[], asked: Asked): Proposal => ({
  ...{ proposed: asked.proposed, failures: asked.failures, failed: asked.failed },
  ...describedAs(loads, forecasts, asked),
});

/** A target whose load is read sync after sync. */
class Target {
  series: Series = emptySeries(step, 0, 100);
  #syncs = 0;

  constructor(readonly spec = specOf()) {}

  /** One sync: what its load asks for, of so many replicas. */
  sync(found: Seen): (replicas: number) => Proposal {
    const now = at(this.#syncs++);
    const loads = loadsIn(this.spec, found, now);
    const [total] = loads.totals;
    if (total?.load !== undefined) this.series = recorded(this.series, now, total.load);
    const { line } = this.spec;
    const forecast = line && lineOf(this.series, line.samples, now, total?.cautious);
    return replicas => proposeFor(this.spec, loads, forecast, replicas);
  }
}

/** What loads ask for, one a sync, at the last of them. */
function after(loads: number[], replicas: number, spec = specOf()): Proposal {
  const target = new Target(spec);
  const proposals = loads.map(load => target.sync(whole(load)));
  const proposal = proposals.at(-1)?.(replicas);
  if (!proposal) throw new Error("there is no load");
  return proposal;
}

/** A number but for the rounding of doubles. */
const close = (value: number): number => expect.closeTo(value, 12) as number;

describe("a load", () => {
  it("asks for the higher of what it needs and what its forecast does, and says so", () => {
    expect(after([0.3, 0.4, 0.5], 3)).toEqual({
      proposed: {
        ...{ reactive: 5, predictive: 6, ahead: 6, recommended: 6, held: undefined, most: Infinity },
      },
      failures: [],
      metrics: [{ name: "cpu", current: "0.50", forecast: "0.60" }],
      what: "load 0.50 cores",
      measure: "10 replicas per core",
      load: 0.5,
      ahead: "0.60 cores in 30 s (linear over 3 samples)",
      aheadMeasure: "10 replicas per core",
      aheadOf: { metric: "cpu", unit: "cores" },
      forecast: {
        ...{ model: "linear", load: close(0.6), lowest: close(0.6), samples: 3, wanted: 3 },
        ...{ horizonSeconds: 30, trusted: true },
      },
    });
  });

  it("has no forecast with the model off", () => {
    const spec = specOf({ forecast: { model: "off" } });
    const proposal = after([0.3, 0.4, 0.5], 3, spec);
    expect(proposal).toMatchObject({ proposed: { reactive: 5, recommended: 5 }, load: 0.5 });
    expect([proposal.forecast, proposal.proposed?.predictive]).toEqual([undefined, undefined]);
  });

  it.each([
    ["cpu", 10, "load 2.00 cores", "10 replicas per core"],
    ["memory", "500m", "load 2.00 GiB", "500m replicas per GiB"],
    ["requests_per_second", 1, "load 2.00 requests_per_second", "1 replicas per requests_per_second"],
  ])("of %s is told in its unit", (metric, replicas_per_unit, what, measure) => {
    const proposal = after([2], 1, specOf({ metric, replicas_per_unit }));
    expect(proposal).toMatchObject({ what, measure, metrics: [{ name: metric }] });
  });

  it("counts a replicas_per_unit as the Quantity that it is", () => {
    expect(after([7], 2, specOf({ replicas_per_unit: "500m" })).proposed?.recommended).toBe(4);
  });

  it("asks for a count of its own for each count of the target, and is a gap where too much of it is unknown", () => {
    const target = new Target();
    // A pod of three has no sample.
    const proposalFor = target.sync(seen([0.2, 0.2], 1));
    expect(proposalFor(3).proposed).toMatchObject({ recommended: 4 });
    expect(proposalFor(5).proposed).toMatchObject({ recommended: 5, held: "Unsampled" });
    expect(proposalFor(9).proposed).toMatchObject({ recommended: 6 });
    expect(proposalFor(9).what).toBe("load 0.60 cores with 1 of 3 pods unsampled");
    expect(continuous(target.series, at(0))).toEqual([]);
  });

  it("is unknown where fewer than half of the Ready pods have a sample", () => {
    const errorOf = (found: Seen): string | undefined => {
      const loads = loadsIn(specOf(), found, at(0));
      const [read] = loads.measured;
      return read && "error" in read ? read.error.message : undefined;
    };
    expect(errorOf(seen([0.2, 0.2], 2))).toBeUndefined();
    expect(errorOf(seen([0.2, 0.2], 3))).toContain("only 2 of 5 Ready pods have a fresh sample, half must");
  });
});

describe("a load during a rollout", () => {
  it("goes into the history without that of the start, and raises nothing by it", () => {
    const target = new Target();
    const proposalFor = target.sync(duringRollout(0.5, 0.4));
    expect(continuous(target.series, at(0))).toEqual([0.5]);
    expect(proposalFor(5)).toMatchObject({
      proposed: { reactive: 5, recommended: 5, held: "Rollout" },
      load: 0.9,
      what: "load 0.90 cores",
    });
    expect(proposalFor(4).proposed).toMatchObject({ recommended: 5 });
    // What there is carries the start as well: nothing goes that it may need.
    expect(proposalFor(9).proposed).toMatchObject({ recommended: 9 });
    expect(proposalFor(12).proposed).toMatchObject({ recommended: 9 });
  });

  it("is a gap in the history when nothing can be told of it, and raises nothing", () => {
    const target = new Target();
    const proposalFor = target.sync(duringRollout(undefined, 0.9));
    expect(continuous(target.series, at(0))).toEqual([]);
    expect(proposalFor(2).proposed).toMatchObject({ recommended: 2, held: "Rollout" });
    expect(proposalFor(12).proposed).toMatchObject({ recommended: 9 });
  });

  it("with a rise of its own is followed", () => {
    const proposalFor = new Target().sync(duringRollout(0.8, 0.4));
    expect(proposalFor(5).proposed).toMatchObject({ reactive: 8, recommended: 8 });
  });
});

describe("a load with a forecast block", () => {
  const spec = specOf({ forecast: { max_extra_percent: 100 } });
  const foreseen: Forecast = {
    ...{ model: "lags", load: 0.7, upper: 0.8, samples: 288, wanted: 288, horizonSeconds: 120, trusted: true },
    ...{ skill: 0.3, coverage: 0.9 },
  };
  const proposal = (load: Seen, replicas: number, forecast: Forecast | undefined): Proposal =>
    proposeFor(spec, loadsIn(spec, load, at(0)), forecast, replicas);

  it("bounds the forecast by what it asks for itself, not by pods that have no sample yet", () => {
    const high = { ...foreseen, upper: 9 };
    expect(proposal(whole(0.5), 5, high).proposed?.recommended).toBe(10);
    // Five of ten pods were just added: as the mean of the others they would carry as much again.
    const young = seen([0.1, 0.1, 0.1, 0.1, 0.1], 0, 5);
    expect(proposal(young, 10, high).proposed?.recommended).toBe(10);
  });
});
