import { describe, expect, it } from "vitest";
import { checkSpec } from "../../../../capabilities/definition/check";
import { decide, Fallback, Situation } from "../../../../capabilities/mlscaler/scaling/decide";
import { fallbackOf, MetricFailure } from "../../../../capabilities/mlscaler/scaling/metric-failure";
import { mlscaler } from "../../../../capabilities/mlscaler/schema";

describe("the rules on on_metric_failure", () => {
  const spec = { target_deployment: "web", max_replicas: 10, metric: "cpu", history_size: 5 };
  const check = (on_metric_failure: object): ReturnType<typeof checkSpec> =>
    checkSpec(mlscaler, { ...spec, on_metric_failure });

  it("take what is right, and fill in HPA's rule", () => {
    expect(check({}).spec).toMatchObject({ on_metric_failure: { failure_threshold: 3, behavior: "Hold" } });
    for (const given of [
      { behavior: "Floor", replicas: 10 },
      { behavior: "Forecast", failure_threshold: 100 },
    ])
      expect(check(given).faults).toEqual([]);
  });

  // What else is refused is in examples/invalid/mlscaler-schedule.yaml, see schedule.test.ts.
  it.each<[object, string]>([
    [{ failure_threshold: 101 }, "spec.on_metric_failure.failure_threshold: 101 is out of range, use 1 to 100 syncs"],
    [{ replicas: 3 }, "replicas: goes with behavior Floor, where it is required, and with no other: behavior is Hold"],
    [{ behavior: "Floor" }, "and with no other: behavior is Floor"],
    [{ behavior: "Floor", replicas: 0 }, "spec.on_metric_failure.replicas: 0 is out of range, use 1 to 2147483647"],
    [{ behavior: "Floor", replicas: 11 }, "its replicas 11 are above spec.max_replicas 10, use at most that"],
    [{ behavior: "floor" }, 'spec.on_metric_failure.behavior: "floor" is not allowed'],
  ])("refuse %j", (given, fault) => {
    expect(check(given).faults).toEqual([expect.stringContaining(fault)]);
  });
});

describe("fallbackOf", () => {
  const rule = (change: Partial<MetricFailure>): MetricFailure => ({
    failure_threshold: 3,
    behavior: "Hold",
    ...change,
  });
  const floor = rule({ behavior: "Floor", replicas: 6 });
  const forecast = rule({ behavior: "Forecast" });

  it.each<[string, MetricFailure, number, number | undefined, number | undefined, Fallback | undefined]>([
    ["nothing before the threshold", floor, 2, 9, 8, undefined],
    ["the floor from it on", floor, 3, 9, 8, { floor: 6 }],
    ["nothing to hold", rule({}), 99, 9, 8, undefined],
    ["the forecast", forecast, 3, 9, 8, { predictive: 9, most: 8 }],
    ["nothing without a trusted forecast", forecast, 3, undefined, 8, undefined],
    ["nothing where it is not known how far a forecast may go", forecast, 3, 9, undefined, undefined],
  ])("is %s", (_, given, syncs, predictive, most, expected) => {
    expect(fallbackOf(given, syncs, { predictive }, most)).toEqual(expected);
  });
});

const now = 1_767_225_600_000;
const at = (change: Partial<Situation>): Situation => ({
  ...{ now, current: 4, bounds: { min: 2, max: 10 }, pause: "None", lastSync: now - 15_000 },
  ...{ recommendations: [], scaleEvents: [] },
  ...change,
});

describe("decide, without metrics", () => {
  it.each<[string, Partial<Situation>, object]>([
    ["leaves the count as it is", {}, { final: 4, basis: "NoMetrics" }],
    ["raises to the floor at once", { current: 2, fallback: { floor: 9 } }, { final: 9, basis: "Floor" }],
    ["lowers nothing to the floor", { fallback: { floor: 3 } }, { final: 4, basis: "Floor" }],
    ["holds the floor within the bounds", { fallback: { floor: 30 } }, { final: 10, basis: "Floor" }],
    ["raises to no floor while that is paused", { pause: "Up", fallback: { floor: 9 } }, { final: 4, paused: true }],
    ["goes by the forecast", { fallback: { predictive: 6, most: 8 } }, { final: 6, basis: "ForecastAlone" }],
    ["up to what it may", { fallback: { predictive: 60, most: 8 } }, { final: 8, predictive: 60 }],
    ["and lowers nothing by it", { fallback: { predictive: 1, most: 8 } }, { final: 4, basis: "ForecastAlone" }],
    ["no faster than the rules", { current: 2, fallback: { predictive: 9, most: 9 } }, { limited: 4, final: 4 }],
    [
      "does without it once metrics are known",
      { fallback: { floor: 9 }, proposal: { reactive: 3, recommended: 3 } },
      { final: 3 },
    ],
    ["is off at 0", { current: 0, fallback: { floor: 9 } }, { final: 0, basis: "Disabled" }],
    ["corrects to the bounds first", { current: 12, fallback: { floor: 9 } }, { final: 10, basis: "Bounds" }],
  ])("%s", (_, change, expected) => {
    expect(decide(at(change))).toMatchObject(expected);
  });
});
