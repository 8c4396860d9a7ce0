import { describe, expect, it } from "vitest";
import { Forecast } from "../../../../capabilities/mlscaler/forecast/forecast";
import { Observation } from "../../../../capabilities/mlscaler/metrics/observation";
import { PodSamples } from "../../../../capabilities/mlscaler/metrics/load";
import { MetricsError, Pod } from "../../../../capabilities/mlscaler/metrics/reading";
import { Form } from "../../../../capabilities/mlscaler/scaling/form";
import {
  hpaCount,
  TargetLoads,
  loadsOf,
  propose,
  outlooksOf,
  raisedCount,
} from "../../../../capabilities/mlscaler/scaling/propose";
import { specSchema } from "../../../../capabilities/mlscaler/schema";
import { externalPerPod, now } from "./hpa-cases/notation";

const { metric } = externalPerPod(0, "2");
const specOf = (fields: object): Form => specSchema.parse({ target_deployment: "web", max_replicas: 100, ...fields });
const short = specOf({ metric: "cpu", history_size: 3, forecast: {} });
const long = specOf({ metrics: [metric] });

const pods: Pod[] = ["a", "b"].map(name => ({
  ...{ name, labels: {}, phase: "Running", deleting: false, containers: [] },
  ready: { status: true, since: now - 3_600_000 },
}));
const samplesOf = (value: number): PodSamples => ({
  fresh: new Map(pods.map(({ name }) => [name, value])),
  doubtful: new Map(),
});
const ofShort: Observation = { form: "short", pods, samples: samplesOf(0.25) };
const ofLong: Observation = { form: "long", pods, readings: [{ metric, reading: { milli: 8000 } }] };
const scale = { replicas: 3, observed: 3 };
const upTo = (upper: number): Forecast => ({
  ...{ model: "lags", load: upper, upper, samples: 288, wanted: 288, horizonSeconds: 110, trusted: true },
});

const loadsIn = (spec: Form, observation: Observation): TargetLoads => loadsOf(spec, observation, new Set(), now);

describe("the loads of an observation", () => {
  it("are those of the form that was observed", () => {
    expect(loadsIn(short, ofShort)).toMatchObject({ form: "short", totals: [{ metric: "cpu", load: 0.5 }] });
    expect(loadsIn(long, ofLong)).toMatchObject({ form: "long", totals: [{ metric, load: 8, capacity: 2 }] });
  });

  it("are none of a target without replicas, or whose pods are unknown", () => {
    const error = new MetricsError("AmbiguousSelector", "other pods");
    for (const spec of [short, long]) {
      expect(loadsIn(spec, { form: "none", pods: [] })).toEqual({ form: "none", totals: [], error: undefined });
      expect(loadsIn(spec, { form: "none", pods: [], error })).toEqual({ form: "none", totals: [], error });
    }
  });

  it("are none where the spec has the other form than was observed", () => {
    expect(loadsIn(short, ofLong)).toEqual({ form: "none", totals: [], error: undefined });
    expect(loadsIn(long, ofShort)).toEqual({ form: "none", totals: [], error: undefined });
  });
});

describe("a proposal", () => {
  it("is made by the rule of the form of the loads", () => {
    expect(propose(short, loadsIn(short, ofShort), [], 1, scale)).toMatchObject({
      proposed: { reactive: 5, recommended: 5 },
      measure: "10 replicas per core",
    });
    expect(propose(long, loadsIn(long, ofLong), [], 1, scale)).toMatchObject({
      proposed: { reactive: 4, recommended: 4 },
      measure: "target 2",
    });
  });

  it("raises at least as far as the lower bound allows, when the load of now asks for less", () => {
    const bounded = specOf({ metric: "cpu", history_size: 3, forecast: { max_extra_percent: 100 } });
    const idle = loadsIn(bounded, { form: "short", pods, samples: samplesOf(0) });
    // Twice the load of now is nothing; the lower bound is doubled instead.
    expect(propose(bounded, idle, [upTo(9)], 4, scale).proposed?.recommended).toBe(8);
    expect(propose(short, idle, [upTo(9)], 4, scale).proposed?.recommended).toBe(90);
  });

  it("is none without loads, and a failure only where there was an error", () => {
    const none = { what: "no metrics", measure: "" };
    expect(propose(short, { form: "none", totals: [] }, [], 1, scale)).toEqual({ ...none, failures: [] });
    const error = new MetricsError("AmbiguousSelector", "other pods");
    expect(propose(long, { form: "none", totals: [], error }, [], 1, scale)).toEqual({
      ...none,
      failures: [{ type: "ScalingActive", status: "False", reason: "AmbiguousSelector", message: "other pods" }],
      failed: {},
    });
  });
});

describe("the count of HPA alone", () => {
  it("is what the loads ask for without a forecast, of the replicas that HPA would have", () => {
    expect(hpaCount(short, loadsIn(short, ofShort), 3)).toMatchObject({
      ...{ loads: [{ load: 0.5, capacity: 0.1 }], tolerance: 0, proposed: { reactive: 5 } },
    });
    expect(hpaCount(long, loadsIn(long, ofLong), 3)).toEqual({
      ...{ loads: [{ load: 8, capacity: 2 }], tolerance: 0.1, proposed: { reactive: 4, recommended: 4 } },
    });
  });

  it("is unknown where the load is", () => {
    const error = new MetricsError("FailedGetResourceMetric", "away");
    expect(hpaCount(short, loadsIn(short, { form: "short", pods, samples: error }), 3)).toBeUndefined();
    expect(hpaCount(short, { form: "none", totals: [] }, 3)).toBeUndefined();
    const failed = loadsIn(long, { form: "long", pods, readings: [{ metric, error }] });
    expect(hpaCount(long, failed, 3)).toEqual({ loads: [], tolerance: 0.1, proposed: undefined });
  });
});

describe("the count with forecasts", () => {
  const raised = (
    spec: Form,
    loads: TargetLoads,
    forecasts: (Forecast | undefined)[],
  ): ReturnType<typeof raisedCount> => raisedCount(spec, loads, outlooksOf(spec, loads, forecasts), 1, 3);

  it("is that of HPA alone raised by trusted forecasts, of the replicas that it would have", () => {
    const [ofShortForm, ofLongForm] = [loadsIn(short, ofShort), loadsIn(long, ofLong)];
    expect(raised(short, ofShortForm, [upTo(0.8)])).toMatchObject({ reactive: 5, recommended: 8 });
    expect(raised(long, ofLongForm, [upTo(12)])).toMatchObject({ reactive: 4, predictive: 6, recommended: 6 });
    for (const forecasts of [[], [undefined], [{ ...upTo(20), trusted: false }]])
      expect(raised(long, ofLongForm, forecasts)).toEqual({ reactive: 4, recommended: 4 });
  });

  it("is unknown where the load is", () => {
    const error = new MetricsError("FailedGetResourceMetric", "away");
    expect(raised(short, loadsIn(short, { form: "short", pods, samples: error }), [upTo(1)])).toBeUndefined();
    expect(raised(short, { form: "none", totals: [] }, [])).toBeUndefined();
  });
});
