import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hasTotal, Total, totalOf } from "../../../../capabilities/mlscaler/metrics/total";
import { proposeMetric } from "../../../../capabilities/mlscaler/scaling/rule/hpa";
import { countOf } from "../../../../capabilities/mlscaler/scaling/ahead/raise";
import { MetricsError, NoCount } from "../../../../capabilities/mlscaler/metrics/reading";
import {
  container,
  cpu,
  external,
  externalPerPod,
  Measured,
  memory,
  now,
  object,
  objectPerPod,
  podsOf,
  qps,
  readingOf,
} from "../scaling/rule/hpa-cases/notation";

/** The total of a metric over pods of two containers (see podsOf). */
function total(measured: Measured, words = "", requests?: string): Total {
  const { pods, samples } = podsOf(words, requests);
  return totalOf(measured.metric, readingOf(measured, samples), pods, new Set(), now);
}

const memoryPerPod: Measured = {
  metric: { type: "Resource", resource: { name: "memory", target: { type: "AverageValue", averageValue: "1Gi" } } },
};
const gibibyte = 1000 * 2 ** 30;

describe("totalOf", () => {
  it.each<[string, Measured, string, string | undefined, Total]>([
    ["cpu in cores, of what pods request", cpu(50), "300 500 700", "1000 1000 1000", { load: 3, capacity: 1 }],
    ["cpu in cores, where pods request differently", cpu(50), "300 500", "1000 3000", { load: 1.6, capacity: 2 }],
    ["cpu in cores, against a value a pod", cpu("250m"), "100/150 0/100", undefined, { load: 0.35, capacity: 0.25 }],
    ["one container's", container("container2", 50), "9000/300 9000/500", "1000 1000", { load: 0.8, capacity: 0.5 }],
    ["memory in GiB", memoryPerPod, `${gibibyte}/0 ${gibibyte}/${gibibyte}`, undefined, { load: 3, capacity: 1 }],
    ["memory of what pods request", memory(50), `${gibibyte}/0`, `${gibibyte}`, { load: 1, capacity: 1 }],
    ["a metric of the pods", qps("500m"), "300 500 700", undefined, { load: 1.5, capacity: 0.5 }],
    ["one of the outside", externalPerPod(12_500, "2"), "", undefined, { load: 12.5, capacity: 2 }],
    ["an object's", objectPerPod(12_500, "2500m"), "", undefined, { load: 12.5, capacity: 2.5 }],
    [
      "in whole thousandths, rounded up, as the rule reads it",
      qps("1100u"),
      "4",
      undefined,
      { load: 0.004, capacity: 0.002 },
    ],
    ["what ready pods use, no others", cpu("1"), "300 900U 900F 900D", undefined, { load: 0.6, capacity: 1 }],
    [
      "one pod of many without a sample as the mean of the others",
      ...([cpu("100m"), "300 500 400 400 400 400 400 400 400 400 -", undefined] as const),
      { load: 8.8, capacity: 0.1 },
    ],
    ["unknown where more than a tenth of it has no sample", cpu("1"), "300 500 -", undefined, { capacity: 1 }],
    ["unknown without a sample, of what pods request", cpu(50), "- -", undefined, { capacity: 1 }],
    ["unknown where no pod is Ready, of what the others request", cpu(50), "300U", "1000", { capacity: 1 }],
  ])("is %s", (_, measured, words, requests, expected) => {
    const { load, capacity } = total(measured, words, requests);
    if (expected.load === undefined) expect(load).toBeUndefined();
    else expect(load).toBeCloseTo(expected.load, 9);
    expect(capacity).toBeCloseTo(expected.capacity, 9);
  });

  it("does not move when pods are added and the load stays, as a count or a mean would", () => {
    const { load, capacity } = total(cpu(50), "400 400", "1000 1000");
    expect(total(cpu(50), "200 200 200 200", "1000 1000 1000 1000")).toMatchObject({ load, capacity });
  });

  it.each<[string, Measured, string, string | undefined, string]>([
    ["a pod requests nothing", cpu(50), "300 300", "1000 -", "missing request for cpu"],
    [
      "the value is negative",
      externalPerPod(-1, "2"),
      "",
      undefined,
      "External metric qps: the value -1 is not a load",
    ],
    ["the value is no number", externalPerPod(NaN, "2"), "", undefined, "the value NaN is not a load"],
    ["the value has no end", objectPerPod(Infinity, "2"), "", undefined, "the value Infinity is not a load"],
  ])("throws where %s", (_, measured, words, requests, message) => {
    expect(() => total(measured, words, requests)).toThrow(message);
    try {
      total(measured, words, requests);
    } catch (error) {
      expect(error instanceof MetricsError || error instanceof NoCount).toBe(true);
    }
  });

  it("asks for the replicas that HPA's rule does, where that moves at all", () => {
    const milli = fc.integer({ min: 0, max: 1_000_000 });
    const each = fc.integer({ min: 1, max: 10_000 });
    fc.assert(
      fc.property(milli, each, fc.integer({ min: 1, max: 100 }), (value, average, replicas) => {
        const measured = externalPerPod(value, `${average}m`);
        const tolerance = { up: 0, down: 0 };
        const state = { now, pods: [], specReplicas: replicas, statusReplicas: replicas, tolerance };
        const { load, capacity } = total(measured);
        expect(countOf(load, capacity)).toBe(proposeMetric(measured.metric, { milli: value }, state).replicas);
      }),
    );
    const usages = fc.array(fc.integer({ min: 1, max: 5000 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(usages, fc.integer({ min: 10, max: 100 }), (used, percent) => {
        const { pods, samples } = podsOf(used.join(" "));
        const measured = cpu(percent);
        const tolerance = { up: 0, down: 0 };
        const state = { now, pods, specReplicas: 1000, statusReplicas: 1000, tolerance };
        const { averageUtilization = NaN } = proposeMetric(
          measured.metric,
          readingOf(measured, samples),
          state,
        ).current;
        // Where it is just the target HPA leaves the count as it is, and its doubles may come to one more.
        const replicas = Math.ceil((averageUtilization * used.length) / percent);
        const { load, capacity } = totalOf(measured.metric, readingOf(measured, samples), pods, new Set(), now);
        // HPA rounds the utilisation down to whole percent first.
        const needed = countOf(load, capacity) ?? NaN;
        expect(needed).toBeGreaterThanOrEqual(replicas);
        expect(needed).toBeLessThanOrEqual(Math.ceil(replicas + used.length / percent));
      }),
    );
  });
});

describe("a metric", () => {
  it("has a total, but where its target is a value that all replicas share", () => {
    for (const { metric } of [cpu(50), cpu("1"), memory(50), qps("1"), externalPerPod(1, "1"), objectPerPod(1, "1")])
      expect(hasTotal(metric)).toBe(true);
    for (const { metric } of [external(1, "1"), object(1, "1")]) expect(hasTotal(metric)).toBe(false);
  });
});
