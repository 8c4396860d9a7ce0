import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toleranceOf } from "../../../../../capabilities/mlscaler/scaling/rule/behavior";
import { combine, MetricResult } from "../../../../../capabilities/mlscaler/scaling/rule/combine";
import { decide } from "../../../../../capabilities/mlscaler/scaling/decide";
import { proposeMetric, MetricProposal } from "../../../../../capabilities/mlscaler/scaling/rule/hpa";
import { TargetState } from "../../../../../capabilities/mlscaler/scaling/rule/pod-groups";
import { MetricsError } from "../../../../../capabilities/mlscaler/metrics/reading";
import * as calculator from "./hpa-cases/calculator";
import * as horizontal from "./hpa-cases/horizontal";
import * as notation from "./hpa-cases/notation";
import {
  container,
  cpu,
  external,
  externalPerPod,
  Measured,
  now,
  object,
  objectPerPod,
  podsOf,
  qps,
} from "./hpa-cases/notation";

interface Given extends Partial<Pick<TargetState, "tolerance" | "statusReplicas">> {
  requests?: string;
}

function proposed(specReplicas: number, measured: Measured, text: string, given: Given = {}): MetricProposal {
  const { pods, samples } = podsOf(text, given.requests);
  const { tolerance = { up: 0.1, down: 0.1 }, statusReplicas = specReplicas } = given;
  const target = { now, pods, specReplicas, statusReplicas, tolerance };
  return proposeMetric(measured.metric, notation.readingOf(measured, samples), target);
}

function failureOf(propose: () => unknown): MetricsError {
  try {
    propose();
  } catch (error) {
    if (error instanceof MetricsError) return error;
    throw error;
  }
  throw new Error("it did not fail");
}

const resultOf = ({ metric }: Measured, propose: () => MetricProposal): MetricResult => {
  try {
    return { metric, proposal: propose() };
  } catch (error) {
    if (error instanceof MetricsError) return { metric, error };
    throw error;
  }
};

describe("one metric, as HPA's replica calculator has it", () => {
  it.each(calculator.rows)("%s: at %d replicas", (_, spec, measured, pods, replicas, current, given) => {
    expect(proposed(spec, measured, pods, given)).toMatchObject({ replicas, current });
  });

  it.each(calculator.failures)(
    "%s: at %d replicas there is no count",
    (_, spec, measured, pods, reason, message, requests) => {
      const { reason: found, message: said } = failureOf(() => proposed(spec, measured, pods, { requests }));
      expect({ reason: found, message: said }).toEqual({ reason, message });
    },
  );
});

describe("the whole loop, as HPA's controller has it", () => {
  it.each(horizontal.rows)("%s: at %d replicas", (_, spec, [min, max], metrics, pods, final, reasons, given = {}) => {
    const { behavior, recommendations = [], scaledToZero: idle, ...more } = given;
    const tolerance = toleranceOf(behavior);
    const results = metrics.map(one => resultOf(one, () => proposed(spec, one, pods, { ...more, tolerance })));
    const {
      proposal,
      errors: [error],
    } = combine(results, spec);
    const decision = decide({
      now,
      current: spec,
      bounds: { min, max },
      pause: "None",
      ...{ behavior, idle },
      proposal: proposal && { reactive: proposal.replicas, recommended: proposal.replicas },
      recommendations: recommendations.map(([replicas, seconds]) => ({ at: now - seconds * 1000, replicas })),
      scaleEvents: [],
      lastSync: now - 15_000,
    });
    expect({ failed: error?.reason, ...decision }).toMatchObject({
      final,
      failed: reasons.failed,
      ableToScale: reasons.ableToScale ?? "ReadyForNewScale",
      scalingLimited: reasons.scalingLimited ?? "DesiredWithinRange",
    });
  });
});

describe("what a proposal is of, in HPA's words", () => {
  it.each<[string, Measured]>([
    ["cpu resource utilization (percentage of request)", cpu(30)],
    ["cpu resource", cpu("500m")],
    ["cpu container resource utilization (percentage of request)", container("container1", 30)],
    ["pods metric qps", qps("15")],
    ["Deployment metric qps", object(1000, "1")],
    ["external metric qps(nil)", objectPerPod(1000, "1")],
    ["external metric qps(nil)", external(1000, "1")],
    ["external metric qps(nil)", externalPerPod(1000, "1")],
  ])("%s", (of, measured) => {
    expect(proposed(3, measured, "300 500 700").of).toBe(of);
  });

  it("a selector is printed as Go does", () => {
    const { metric, milli } = external(1000, "1");
    const selector = {
      matchLabels: { queue: "b", app: "a" },
      matchExpressions: [
        { key: "tier", operator: "In" as const, values: ["x", "y"] },
        { key: "old", operator: "DoesNotExist" as const },
      ],
    };
    const selected = {
      ...metric,
      external: metric.external && { ...metric.external, metric: { name: "qps", selector } },
    };
    expect(proposed(3, { metric: selected, milli }, "- - -").of).toBe(
      "external metric qps(&LabelSelector{MatchLabels:map[string]string{app: a,queue: b,}," +
        "MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:tier,Operator:In,Values:[x y],}," +
        "LabelSelectorRequirement{Key:old,Operator:DoesNotExist,Values:[],},},})",
    );
  });
});

describe("what is no count", () => {
  // prettier-ignore
  it.each<[string, string, RegExp, () => MetricProposal]>([
    ["a value that is no number", "FailedGetExternalMetric", /NaN, which is not a number/, () => proposed(3, external(NaN, "1"), "- - -")],
    ["an infinite value", "FailedGetObjectMetric", /Infinity, which is not a number/, () => proposed(3, object(Infinity, "1"), "- - -")],
    ["no pods, for a resource", "FailedGetResourceMetric", /no pods returned by selector/, () => proposed(3, cpu(30), "")],
    ["no pods, for a value", "FailedGetObjectMetric", /unable to calculate ready pods: no pods/, () => proposed(3, object(9000, "1"), "")],
    ["one value where pods have their own", "FailedGetPodsMetric", /the source has one value/, () => proposed(3, { ...qps("1"), milli: 5 }, "1 1 1")],
    ["samples where there is one value", "FailedGetExternalMetric", /the source has samples of pods/, () => proposed(3, { metric: external(1, "1").metric }, "1 1 1")],
    ["a block that is missing", "InvalidMetricSourceType", /a metric of type Resource has no resource/, () => proposed(3, notation.unknown, "1 1 1")],
  ])("%s: %s", (_, reason, message, propose) => {
    const error = failureOf(propose);
    expect(error.reason).toBe(reason);
    expect(error.message).toMatch(message);
  });
});

describe("arithmetic", () => {
  it("what is more than Kubernetes can count is the most that it can", () => {
    expect(proposed(1, cpu(50), `${2 ** 40}`, { requests: "1" })).toMatchObject({
      replicas: Math.ceil((2 ** 31 - 1) / 50),
      current: { averageUtilization: 2 ** 31 - 1 },
    });
    expect(proposed(2, external(2 ** 70, "1"), "- -").current.value).toBe(2 ** 63);
    expect(proposed(2, externalPerPod(2 ** 63, "1"), "- -").current.averageValue).toBe(2 ** 63);
    expect(proposed(2, objectPerPod(2 ** 62, "1"), "- -").current.averageValue).toBe(2 ** 61);
  });

  it("utilization is cut off, not rounded: 33.9 % of a target of 30 % is 33 %", () => {
    expect(proposed(10, cpu(30), "339").current.averageUtilization).toBe(33);
    expect(proposed(1, cpu(30), "339", { tolerance: { up: 0.1, down: 0.1 } }).replicas).toBe(1);
  });

  it("averages are cut off to milli-units: 10, 10 and 12 are 10", () => {
    expect(proposed(3, qps("1m"), "10 10 12").current.averageValue).toBe(10);
  });

  it("is exact where a hundred times the usage is beyond a double", () => {
    const usage = 2 ** 52 - 1;
    const given = { requests: `${usage} ${usage}` };
    expect(proposed(2, cpu(50), `${usage} ${usage}`, given).current.averageUtilization).toBe(100);
    const less = { requests: `${usage + 1} ${usage}` };
    expect(proposed(2, cpu(50), `${usage} ${usage}`, less).current.averageUtilization).toBe(99);
  });

  it("targets are milli-units, rounded up", () => {
    expect(proposed(1, externalPerPod(8200, "8.2"), "-").replicas).toBe(1);
    expect(proposed(1, external(3, "100u"), "-").replicas).toBe(3);
  });

  it("without replicas a total has no average, and asks for its share", () => {
    expect(proposed(0, externalPerPod(8600, "2"), "", { statusReplicas: 0 })).toMatchObject({
      replicas: 5,
      current: {},
    });
    expect(proposed(0, objectPerPod(0, "2"), "", { statusReplicas: 0 })).toMatchObject({ replicas: 0, current: {} });
  });

  it("within the tolerance a total keeps the count through the surges of a rollout, where that of an HPA grows", () => {
    let count = 10;
    for (let surge = 0; surge < 5; surge++)
      count = proposed(count, externalPerPod(20_000, "2"), "- - -", { statusReplicas: count + 1 }).replicas;
    expect(count).toBe(10);
  });

  it("of a value without a Ready pod keeps the count, where an HPA asks for 0", () => {
    expect(proposed(3, external(9000, "3"), "-U -U -U").replicas).toBe(3);
  });

  it("a value below 0 is no count, where an HPA goes to its minimum", () => {
    for (const measured of [external(-5000, "1"), externalPerPod(-5000, "1"), object(-5000, "1")])
      expect(() => proposed(3, measured, "- - -")).toThrow("the source has the value -5, which is below 0");
  });
});

describe("many metrics", () => {
  const good = (replicas: number): MetricResult => ({
    metric: qps("1").metric,
    proposal: { replicas, of: `${replicas}`, current: {} },
  });
  const bad = (metric = external(1, "1").metric): MetricResult => ({
    metric,
    error: new MetricsError("FailedGetExternalMetric", "it is gone"),
  });

  it("when all failed there is no proposal, and the first failure is told", () => {
    const { proposal, errors, failure } = combine([bad(), bad(cpu(1).metric)], 3);
    expect([proposal, errors[0]?.reason]).toEqual([undefined, "FailedGetExternalMetric"]);
    expect(failure).toBe(
      "invalid metrics (2 invalid out of 2), first error is: failed to get qps external metric value: it is gone",
    );
  });

  it.each<[string, Measured]>([
    ["cpu resource", cpu(1)],
    ["container1 container", container("container1", 1)],
    ["pods", qps("1")],
    ["object", object(1, "1")],
    ["qps external", external(1, "1")],
  ])("a failure is told as that of the %s metric", (what, { metric }) => {
    expect(combine([bad(metric)], 1).failure).toBe(
      `invalid metrics (1 invalid out of 1), first error is: failed to get ${what} metric value: it is gone`,
    );
  });

  it("the highest counts, and never lowers the count while one metric is unknown", () => {
    const one = fc.oneof(fc.nat(20).map(good), fc.constant(bad()));
    fc.assert(
      fc.property(fc.array(one, { minLength: 1 }), fc.nat(20), (results, spec) => {
        const { proposal, errors } = combine(results, spec);
        expect(errors).toHaveLength(results.filter(result => "error" in result).length);
        const counts = results.flatMap(result => ("proposal" in result ? result.proposal.replicas : []));
        const most = Math.max(...counts);
        const known = counts.length > 0 && (errors.length === 0 || most >= spec);
        expect(proposal?.replicas).toBe(known ? most : undefined);
      }),
    );
  });
});

describe("always", () => {
  const usage = fc.integer({ min: 0, max: 4000 });
  const spec = fc.integer({ min: 1, max: 8 });
  const measured = fc.oneof(
    fc.integer({ min: 1, max: 300 }).map(cpu),
    fc.integer({ min: 1, max: 4000 }).map(milli => qps(`${milli}m`)),
  );

  it("pods without a sample, or not ready, never turn a change round", () => {
    const known = fc.array(usage.map(String), { minLength: 1, maxLength: 6 });
    const unknown = fc.array(fc.constantFrom("-", "-Q", "500U", "500H"), { maxLength: 3 });
    fc.assert(
      fc.property(known, unknown, fc.integer({ min: 1, max: 300 }), (sure, unsure, target) => {
        const pods = [...sure, ...unsure];
        const { replicas, current } = proposed(pods.length, cpu(target), pods.join(" "));
        const now = current.averageUtilization ?? NaN;
        if (now > target) expect(replicas).toBeGreaterThanOrEqual(pods.length);
        else expect(replicas).toBeLessThanOrEqual(pods.length);
      }),
    );
  });

  it("within the tolerance, its ends included, nothing moves, and beyond it the count does", () => {
    fc.assert(
      fc.property(spec, fc.integer({ min: 900, max: 1100 }), (replicas, milli) => {
        for (const of of [object, external]) expect(proposed(replicas, of(milli, "1"), "- -").replicas).toBe(replicas);
        for (const of of [objectPerPod, externalPerPod])
          expect(proposed(replicas, of(milli * replicas, "1"), "").replicas).toBe(replicas);
        expect(proposed(replicas, qps("1"), `${milli} ${milli}`).replicas).toBe(replicas);
      }),
      {
        examples: [
          [8, 900],
          [8, 1100],
        ],
      },
    );
    const beyond = [1101, 899].map(milli => proposed(10, external(milli, "1"), "- - - - -").replicas);
    expect(beyond).toEqual([6, 5]);
  });

  it("more usage, or a higher value, never asks for less, where every pod is ready", () => {
    const given = fc.tuple(fc.array(usage, { minLength: 1, maxLength: 6 }), fc.nat(4000), measured);
    const values = fc.tuple(fc.constantFrom(object, external, objectPerPod, externalPerPod), fc.nat(100_000));
    fc.assert(
      fc.property(given, values, fc.nat(100_000), ([known, more, one], [of, value], higher) => {
        const byUsage = (add: number): number =>
          proposed(known.length, one, known.map(milli => milli + add).join(" ")).replicas;
        expect(byUsage(more)).toBeGreaterThanOrEqual(byUsage(0));
        const byValue = (milli: number): number =>
          proposed(known.length, of(milli, "7"), "- ".repeat(known.length)).replicas;
        expect(byValue(value + higher)).toBeGreaterThanOrEqual(byValue(value));
      }),
    );
  });
});
