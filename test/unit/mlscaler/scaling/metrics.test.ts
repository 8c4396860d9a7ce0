import { describe, expect, it } from "vitest";
import { Forecast } from "../../../../capabilities/mlscaler/forecast/forecast";
import { MetricReading } from "../../../../capabilities/mlscaler/metrics/observation";
import { MetricsError, Pod, Reading } from "../../../../capabilities/mlscaler/metrics/reading";
import { Metric } from "../../../../capabilities/mlscaler/metrics/registry";
import { describe as describedAs, Description } from "../../../../capabilities/mlscaler/report/description";
import { Counts } from "../../../../capabilities/mlscaler/scaling/rule/count";
import { Loads, loadsOf } from "../../../../capabilities/mlscaler/scaling/loads";
import { Proposal } from "../../../../capabilities/mlscaler/scaling/proposal";
import { propose } from "../../../../capabilities/mlscaler/scaling/propose";
import { Spec, specSchema } from "../../../../capabilities/mlscaler/schema";
import {
  container,
  cpu,
  external,
  externalPerPod,
  memory,
  now,
  object,
  objectPerPod,
  qps,
} from "./rule/hpa-cases/notation";
import { podWith } from "../pod";

const hour = 3_600_000;

const specOf = (metrics: Metric[], fields: object = {}): Spec =>
  specSchema.parse({ target_deployment: "web", max_replicas: 100, metrics, ...fields });

/** Pods with one container that requests 1000 m of cpu and of memory, Ready for an hour. */
const podsOf = (count: number): Pod[] =>
  Array.from({ length: count }, (_, index) =>
    podWith({
      ...{ name: `${index}`, ready: { status: true, since: now - hour }, startedAt: now - hour },
      containers: [{ name: "web", requests: { cpu: 1000, memory: 1000 } }],
    }),
  );

/** A sample for each pod, in milli-units. */
const samples = (...milli: number[]): Reading => ({
  samples: new Map(milli.map((value, index) => [`${index}`, { milli: value, at: now, windowMilliseconds: 15_000 }])),
});

const scale = (replicas: number, observed = replicas): Counts => ({ replicas, observed });

const away = (reason = "FailedGetExternalMetric"): MetricsError => new MetricsError(reason, "the adapter is away");

interface Given {
  pods?: Pod[];
  starting?: string[];
  fields?: object;
}

/** The spec and the loads of these readings; of three pods unless others are given. */
function loadsIn(
  readings: MetricReading[],
  { pods = podsOf(3), starting = [], fields }: Given = {},
): { spec: Spec; loads: Loads } {
  const spec = specOf(
    readings.map(({ metric }) => metric),
    fields,
  );
  return { spec, loads: loadsOf(spec, { pods, readings }, new Set(starting), now) };
}

/** A recommendation with its words. */
type Asked = Omit<Proposal, "counted"> & Description;

/** What loads and forecasts ask for of a target with these counts. */
function proposed(spec: Spec, loads: Loads, forecasts: (Forecast | undefined)[], of: Counts): Asked {
  const { counted, ...proposal } = propose(spec, loads, forecasts, 1, of);
  return { ...proposal, ...describedAs(loads, forecasts, { ...proposal, counted }) };
}

/** What readings ask for of a target with these counts, when nothing is forecast. */
function asks(readings: MetricReading[], of: Counts, given: Given = {}): Asked {
  const { spec, loads } = loadsIn(readings, given);
  return proposed(spec, loads, [], of);
}

const cpuRead = (percent: number, ...milli: number[]): MetricReading => ({
  metric: cpu(percent).metric,
  reading: samples(...milli),
});
const externalRead = (milli: number, averageValue: string): MetricReading => ({
  metric: externalPerPod(milli, averageValue).metric,
  reading: { milli },
});
const failed = (reason?: string): MetricReading => ({ metric: external(0, "1").metric, error: away(reason) });

describe("a sample that is too old", () => {
  const fresh = samples(300, 300, 300);
  /** The reading with such samples of these pods. */
  const withStale = (names: string[], milli = 100, of: Reading = fresh): Reading => {
    if (!("samples" in of)) throw new Error("it is no reading of pods");
    const sample = { milli, at: now - hour, windowMilliseconds: 15_000 };
    return { ...of, stale: new Map(names.map(name => [name, sample])) };
  };
  const pods = podsOf(4);

  it("counts as the whole request before the count falls, or as itself if that is more", () => {
    const { metric } = cpu(90);
    expect(asks([{ metric, reading: fresh }], scale(4), { pods }).proposed).toEqual({ reactive: 3, recommended: 3 });
    const ask = (milli: number): Asked => asks([{ metric, reading: withStale(["3"], milli) }], scale(4), { pods });
    expect(ask(100).proposed).toEqual({ reactive: 3, recommended: 3 });
    expect(ask(2500).proposed).toEqual({ reactive: 4, recommended: 4 });
  });

  it("of a pod that is another's, or on its way out, says nothing", () => {
    const leaving = pods.map(pod => ({ ...pod, deleting: pod.name === "3" }));
    const read = { metric: cpu(90).metric, reading: withStale(["3", "of-another"], 9000) };
    expect(asks([read], scale(4), { pods: leaving })).toMatchObject({
      ...{ proposed: { reactive: 1, recommended: 1 }, failures: [] },
    });
  });
});

describe("a value of unknown age", () => {
  const ageUnknown = (milli: number): MetricReading => ({
    metric: externalPerPod(milli, "1").metric,
    reading: { milli, ageUnknown: true },
  });
  const undated = (percent: number): MetricReading => {
    const [first, ...others] = [300, 300, 300].map((milli, index) => [`${index}`, milli] as const);
    const at =
      (time: number) =>
      ([name, milli]: readonly [string, number]) =>
        [name, { milli, at: time, windowMilliseconds: 15_000 }] as const;
    const dated = others.map(at(now));
    return { metric: cpu(percent).metric, reading: { samples: new Map(first ? [at(0)(first), ...dated] : dated) } };
  };

  it.each<[string, MetricReading, MetricReading, string]>([
    ["of all", ageUnknown(2000), ageUnknown(5000), "FailedGetExternalMetric"],
    ["of a pod", undated(90), undated(10), "FailedGetResourceMetric"],
  ])("lowers nothing, and raises: %s", (_, low, high, reason) => {
    const down = asks([low], scale(3));
    expect(down.proposed).toBeUndefined();
    expect(down.failures[0]).toMatchObject({ type: "ScalingActive", reason });
    expect(asks([high], scale(3)).proposed?.recommended).toBeGreaterThan(3);
  });
});

describe("the metrics of an HPA", () => {
  it("ask by HPA's rule, and say what is measured by what", () => {
    expect(asks([cpuRead(30, 300, 500, 700)], scale(3))).toEqual({
      proposed: { reactive: 5, recommended: 5 },
      failures: [],
      metrics: [{ name: "cpu", type: "Resource", target: "30%", current: "50%" }],
      what: "cpu resource utilization (percentage of request) 50%",
      measure: "target 30%",
    });
  });

  it("ask for what the one does that asks for the most, and tell of that one", () => {
    const asked = asks([cpuRead(30, 300, 500, 700), externalRead(14_000, "2")], scale(3));
    expect(asked).toMatchObject({
      proposed: { reactive: 7, recommended: 7 },
      failures: [],
      what: "external metric qps(nil) 4667m",
      measure: "target 2",
    });
    expect(asked.metrics).toMatchObject([
      { name: "cpu", current: "50%" },
      { name: "qps", type: "External", target: "2", current: "4667m" },
    ]);
  });

  // prettier-ignore
  it.each<[string, MetricReading, object]>([
    ["Resource by utilization", cpuRead(50, 500, 500, 500), { name: "cpu", target: "50%", current: "50%" }],
    ["memory", { ...memory(80), reading: samples(400, 400, 400) }, { name: "memory", target: "80%", current: "40%" }],
    ["Resource by average", { ...cpu("500m"), reading: samples(400, 401, 400) }, { name: "cpu", target: "500m", current: "400m" }],
    ["ContainerResource", { ...container("web", 40), reading: samples(200, 200, 200) }, { name: "cpu", type: "ContainerResource", target: "40%", current: "20%" }],
    ["Pods", { ...qps("10"), reading: samples(20_000, 10_000, 30_000) }, { type: "Pods", target: "10", current: "20" }],
    ["Object", { ...object(0, "20"), reading: { milli: 9_500 } }, { type: "Object", target: "20", current: "9500m" }],
    ["Object per pod", { ...objectPerPod(0, "20"), reading: { milli: 9_000 } }, { target: "20", current: "3" }],
    ["External", { ...external(0, "20"), reading: { milli: 9_000 } }, { type: "External", current: "9" }],
    ["External per pod", externalRead(9_000, "20"), { target: "20", current: "3" }],
  ])("are in the status as they are in an HPA's: %s", (_, read, expected) => {
    expect(asks([read], scale(3)).metrics).toMatchObject([expected]);
  });

  it("go by the tolerance of spec.behavior", () => {
    const read = cpuRead(100, 1200, 1200, 1200);
    expect(asks([read], scale(3)).proposed?.recommended).toBe(4);
    const fields = { behavior: { scaleUp: { tolerance: "0.25" } } };
    expect(asks([read], scale(3), { fields }).proposed?.recommended).toBe(3);
    expect(asks([cpuRead(100, 600, 600, 600)], scale(3), { fields }).proposed?.recommended).toBe(2);
  });
});

describe("metrics of which some failed", () => {
  const message = "invalid metrics (1 invalid out of 2), first error is: failed to get qps external metric value: ";

  it("raise the count, and say what failed: not Ready, and scaling", () => {
    const asked = asks([failed(), cpuRead(30, 300, 500, 700)], scale(3));
    expect(asked).toMatchObject({
      proposed: { reactive: 5, recommended: 5 },
      failures: [
        {
          ...{ type: "Ready", status: "False", reason: "FailedGetExternalMetric" },
          message: `${message}the adapter is away`,
        },
      ],
      what: "cpu resource utilization (percentage of request) 50%",
    });
    expect(asked.metrics).toMatchObject([{ name: "qps", target: "1" }, { name: "cpu" }]);
    expect(asked.metrics?.[0]?.current).toBeUndefined();
  });

  it("lower nothing: the one that is not known may ask for more", () => {
    const asked = asks([cpuRead(50, 100, 100, 100), failed()], scale(3));
    expect(asked.proposed).toBeUndefined();
    expect(asked.failures).toMatchObject([{ type: "ScalingActive", reason: "FailedGetExternalMetric" }]);
    expect(asked.what).toBe("no metrics");
    expect(asked.metrics).toMatchObject([{ name: "cpu", current: "10%" }, { name: "qps" }]);
  });
});

describe("metrics during a rollout", () => {
  it("raise nothing by what only its own pods use", () => {
    const reads = [cpuRead(50, 500, 500, 2000)];
    expect(asks(reads, scale(3)).proposed).toEqual({ reactive: 6, recommended: 6 });
    expect(asks(reads, scale(3), { starting: ["2"] })).toMatchObject({
      proposed: { reactive: 6, recommended: 3, held: "Rollout" },
      // What is measured is told as it is.
      metrics: [{ current: "100%" }],
      failures: [],
    });
  });
});

describe("forecasts of metrics", () => {
  const learning: Forecast = { model: "auto", samples: 3, wanted: 288, horizonSeconds: 110, trusted: false };
  const foreseen = (upper: number, rest: Partial<Forecast> = {}): Forecast => ({
    ...{
      model: "lags",
      load: upper - 1,
      upper,
      percent: 90,
      samples: 288,
      wanted: 288,
      horizonSeconds: 110,
      trusted: true,
    },
    ...rest,
  });
  const read = (name: string, milli: number, averageValue: string): MetricReading => ({
    metric: { type: "External", external: { metric: { name }, target: { type: "AverageValue", averageValue } } },
    reading: { milli },
  });

  /** What metrics ask for of three replicas, with the forecast of each, by name. */
  function foretold(
    readings: MetricReading[],
    forecasts: Record<string, Forecast | undefined>,
    fields?: object,
  ): Asked {
    const { spec, loads } = loadsIn(readings, { fields });
    const ofTotals = loads.totals.map(({ metric }) => forecasts[metric.external?.metric.name ?? metric.type]);
    return proposed(spec, loads, ofTotals, scale(3));
  }

  const two = [read("a", 2_500, "1"), read("b", 250_000, "100")];

  it("raise the count, the one of many that asks for the most, which is told by its own target", () => {
    const asked = foretold(two, { a: foreseen(4), b: foreseen(480) });
    expect(asked).toMatchObject({
      proposed: { reactive: 3, predictive: 5, recommended: 5 },
      forecast: { upper: 480 },
      load: 250,
      ahead: "p90 480.00 b in 110 s (model lags)",
      aheadMeasure: "target 100",
      what: "external metric a(nil) 834m",
      measure: "target 1",
    });
    expect(asked.metrics).toMatchObject([{ forecast: "3.00" }, { forecast: "479.00" }]);
    expect(foretold(two, { a: foreseen(6), b: foreseen(480) }).forecast?.upper).toBe(6);
  });

  it("tell of one that is trusted before others, of those that ask alike of the first", () => {
    expect(foretold(two, { a: foreseen(4), b: foreseen(900, { trusted: false }) }).forecast?.upper).toBe(4);
    expect(foretold(two, { a: foreseen(4), b: foreseen(399) }).forecast?.upper).toBe(4);
    expect(foretold(two, { a: learning, b: foreseen(500, { trusted: false }) }).forecast?.upper).toBe(500);
    expect(foretold(two, { a: learning, b: { ...learning, samples: 7 } }).forecast?.samples).toBe(3);
  });

  it("are made of loads only: not of a value that all share, nor of what failed", () => {
    const readings = [
      cpuRead(50, 500, 500, 500),
      { ...external(0, "20"), reading: { milli: 9_000 } },
      failed(),
      read("b", -1, "100"),
      read("b", 7_000, "100"),
    ];
    expect(loadsIn(readings).loads.totals.map(({ load }) => load)).toEqual([1.5, undefined, 7]);
  });

  it("see a rollout without its start, and a gap where there is no telling", () => {
    const readings = [cpuRead(50, 500, 500, 2000)];
    const loads = [["2"], ["0", "1", "2"]].map(starting => loadsIn(readings, { starting }).loads.totals[0]?.load);
    expect(loads).toEqual([1.5, undefined]);
  });
});
