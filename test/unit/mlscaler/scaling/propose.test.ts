import { describe, expect, it } from "vitest";
import { Forecast } from "../../../../capabilities/mlscaler/forecast/forecast";
import { Observation, unobserved } from "../../../../capabilities/mlscaler/metrics/observation";
import { MetricsError, Reading } from "../../../../capabilities/mlscaler/metrics/reading";
import { Metric } from "../../../../capabilities/mlscaler/metrics/registry";
import { Loads, loadsOf, settledLoads } from "../../../../capabilities/mlscaler/scaling/loads";
import { propose } from "../../../../capabilities/mlscaler/scaling/propose";
import { Spec, specSchema } from "../../../../capabilities/mlscaler/schema";
import { externalPerPod, now } from "./rule/hpa-cases/notation";
import { podWith } from "../pod";

const { metric } = externalPerPod(0, "2");
const specOf = (fields: object): Spec => specSchema.parse({ target_deployment: "web", max_replicas: 100, ...fields });
const short = specOf({ metric: "cpu", history_size: 3, forecast: {} });
const long = specOf({ metrics: [metric] });
const [cpu = metric] = short.metrics;

const pods = ["a", "b"].map(name => podWith({ name, ready: { status: true, since: now - 3_600_000 } }));
const samplesOf = (milli: number): Reading => ({
  samples: new Map(pods.map(({ name }) => [name, { milli, at: now, windowMilliseconds: 15_000 }])),
});
const observed = (of: Metric, reading: Reading): Observation => ({ pods, readings: [{ metric: of, reading }] });
const ofShort = observed(cpu, samplesOf(250));
const ofLong = observed(metric, { milli: 8000 });
const scale = { replicas: 3, observed: 3 };
const upTo = (upper: number): Forecast => ({
  ...{ model: "lags", load: upper, upper, samples: 288, wanted: 288, horizonSeconds: 110, trusted: true },
});
const error = new MetricsError("AmbiguousSelector", "other pods");

const loadsIn = (spec: Spec, observation: Observation): Loads => loadsOf(spec, observation, new Set(), now);

describe("the loads of an observation", () => {
  it("are none of a target without replicas, or whose pods are unknown", () => {
    for (const spec of [short, long]) {
      expect(loadsIn(spec, unobserved)).toMatchObject({ measured: [], totals: [], error: undefined });
      expect(loadsIn(spec, { ...unobserved, error })).toMatchObject({ measured: [], totals: [], error });
    }
  });

  it("count for any replicas once they are settled, and are unknown where they cannot be", () => {
    expect(settledLoads(loadsIn(short, ofShort)).measured).toEqual([
      { metric: cpu, total: { load: 0.5, capacity: 0.1 } },
    ]);
    const rollout = loadsOf(short, ofShort, new Set(["a", "b"]), now);
    expect(settledLoads(rollout).measured).toMatchObject([
      { metric: cpu, error: { message: "the load is not known" } },
    ]);
  });
});

describe("a proposal", () => {
  it("is made by the rule of the metric, and the same for settled loads", () => {
    for (const [spec, observation, reactive] of [
      [short, ofShort, 5],
      [long, ofLong, 4],
    ] as const) {
      const loads = loadsIn(spec, observation);
      for (const of of [loads, settledLoads(loads)])
        expect(propose(spec, of, [], 1, scale).proposed).toEqual({ reactive, recommended: reactive });
    }
  });

  it("raises at least as far as the lower bound allows, when the current load asks for less", () => {
    const bounded = specOf({ metric: "cpu", history_size: 3, forecast: { max_extra_percent: 100 } });
    const idle = loadsIn(bounded, observed(cpu, samplesOf(0)));
    // Twice the current load is nothing; the lower bound is doubled instead.
    expect(propose(bounded, idle, [upTo(9)], 4, scale).proposed?.recommended).toBe(8);
    expect(propose(short, idle, [upTo(9)], 4, scale).proposed?.recommended).toBe(90);
  });

  it("is none without loads, and a failure only where there was an error", () => {
    const none = propose(short, loadsIn(short, unobserved), [], 1, scale);
    expect([none.proposed, none.failures, none.failed]).toEqual([undefined, [], undefined]);
    expect(propose(long, loadsIn(long, { ...unobserved, error }), [], 1, scale)).toMatchObject({
      failures: [{ type: "ScalingActive", status: "False", reason: "AmbiguousSelector", message: "other pods" }],
      failed: {},
    });
  });
});
