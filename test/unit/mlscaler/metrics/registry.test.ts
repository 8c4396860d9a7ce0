import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkSpec } from "../../../../capabilities/definition/check";
import {
  Metric,
  metricNamed,
  metricSchema,
  metricTypes,
  MetricType,
  sourceOf,
} from "../../../../capabilities/mlscaler/metrics/registry";
import { unitOfTotal } from "../../../../capabilities/mlscaler/metrics/total";
import { mlscaler } from "../../../../capabilities/mlscaler/schema";
import { container, cpu, externalPerPod, objectPerPod, qps } from "../scaling/rule/hpa-cases/notation";

/** A metric of each type. */
const prometheus: Metric = {
  type: "Prometheus",
  prometheus: { query: "sum(rate(qps[1m]))", server: "main", target: { type: "AverageValue", averageValue: "10" } },
};
const examples: Metric[] = [
  ...[cpu(50), container("web", 50), qps("10"), objectPerPod(1, "10"), externalPerPod(1, "10")].map(
    ({ metric }) => metric,
  ),
  prometheus,
];

function exampleOf(type: MetricType): Metric {
  const example = examples.find(one => one.type === type);
  if (!example) throw new Error(`there is no example of ${type}`);
  return example;
}

/** The field of the block of a type. */
const fieldOf = (type: MetricType): keyof Metric =>
  (type.charAt(0).toLowerCase() + type.slice(1)) as Uncapitalize<MetricType>;

/** A metric of this type with the blocks of these types. */
const metricWith = (type: MetricType, blocks: MetricType[]): Metric => ({
  type,
  ...Object.fromEntries(blocks.map(one => [fieldOf(one), exampleOf(one)[fieldOf(one)]])),
});

const specWith = (metric: object): unknown => ({ target_deployment: "web", max_replicas: 10, metrics: [metric] });
const anyType = fc.constantFrom(...metricTypes);

const rule = "the block of that name and no other";

describe("the registry of metrics", () => {
  it.each(metricTypes)("has the source of %s under the field of that name, and finds the block there", type => {
    const metric = exampleOf(type);
    const { source, block } = sourceOf(metric);
    expect(block).toBe(metric[fieldOf(type)]);
    expect(metricSchema.parse(metric)).toEqual(metric);
    expect(source.schema.parse(block)).toEqual(block);
    expect(source.description).toMatch(new RegExp(`^For ${type}: `));
  });

  it("accepts exactly the block of the type, and no other", () => {
    fc.assert(
      fc.property(anyType, fc.subarray(metricTypes), (type, types) => {
        const metric = metricWith(type, types);
        const { faults } = checkSpec(mlscaler, specWith(metric));
        const alone = types.length === 1 && types[0] === type;
        expect(faults).toEqual(
          alone ? [] : [`spec.metrics[0].type: ${type} goes with ${rule}, use ${fieldOf(type)} alone`],
        );
        if (alone) expect(sourceOf(metric).block).toBe(metric[fieldOf(type)]);
      }),
    );
  });

  it.each([[{ type: "Datadog" }], [{ type: "resource" }], [{}], [{ ...exampleOf("Resource"), datadog: {} }]])(
    "refuses what is no metric: %j",
    metric => {
      expect(metricSchema.safeParse(metric).success).toBe(false);
    },
  );

  it("makes a metric of spec.metric of any name: a Resource, or what the pods have", () => {
    const metrics = ["cpu", "memory", "requests_per_second", "constructor"].map(name => metricNamed(name, 10));
    expect(metrics.map(unitOfTotal)).toEqual(["cores", "GiB", "requests_per_second", "constructor"]);
    expect(metrics.map(({ type }) => type)).toEqual(["Resource", "Resource", "Pods", "Pods"]);
  });
});
