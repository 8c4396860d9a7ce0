import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkSpec } from "../../../capabilities/definition/check";
import { Rule } from "../../../capabilities/definition/rules";
import { mlscaler } from "../../../capabilities/mlscaler/schema";
import * as cluster from "../cluster";
import { average, Blocks, blocks, cpu, policies } from "../hpa-blocks";

/** The webhook is not asked here: the CRD alone gives the verdict. */
const namespace = "kube-system";

const ofHpa = (given: Blocks): Promise<string> =>
  cluster.refusal(namespace, {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "hpa" },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      maxReplicas: 10,
      ...given,
    },
  });

const specOf = (given: Blocks): object => ({ target_deployment: "web", max_replicas: 10, ...given });

const ofMLScaler = (given: Blocks): Promise<string> =>
  cluster.refusal(namespace, cluster.scalerManifest("mlscaler", specOf(given)));

/**
 * The API server does not validate the selectors of an HPA, nor that the type of a target is that of its field, and takes
 * targets below a thousandth.
 */
const onPurpose = (ours: string): boolean =>
  /\.selector\b|does not fit the field that is set, use|is not an integer or Quantity of 0\.001 or more/.test(ours);

/** An averageUtilization out of range beside another target. The generator does not make these. */
const outOfRange: Blocks[] = ["Pods", "External"].map(type => {
  const block = { metric: { name: "requests" }, target: { ...average, averageUtilization: 0 } };
  return { metrics: [{ type, [type.toLowerCase()]: block }] };
});

/** The objects: valid and invalid ones. */
const corpus = fc
  .sample(blocks, { numRuns: 3000, seed: 11 })
  .map(generated => JSON.parse(JSON.stringify(generated)) as Blocks)
  .concat(outOfRange);

describe("the corpus", () => {
  it("breaks every rule on metrics and behavior alone", () => {
    // An HPA has no Prometheus metrics.
    const nested = (mlscaler.nested ?? []).filter(({ at }) => /^(metrics|behavior)(?!.*prometheus)/.test(at));
    const named = nested.map(({ at, rules }) => ({
      at,
      rules: rules.map((rule, index): Rule<never> => ({ ...rule, path: "", message: `${at} ${index}`, values: [] })),
    }));
    const faults = corpus.map(given => checkSpec({ ...mlscaler, nested: named }, specOf(given)).faults);
    const alone = new Set(
      faults.filter(({ length }) => length === 1).map(([fault = ""]) => fault.replace(/^.*?: /, "")),
    );
    const all = named.flatMap(({ rules }) => rules.map(({ message }) => message));
    expect(all.filter(message => !alone.has(message))).toEqual([]);
  });
});

describe("metrics and behavior", () => {
  it("get the same verdict of an HPA, of an MLScaler from the CRD, and of an MLScaler from the schema", async () => {
    const queue = corpus.values();
    const disagreements: string[] = [];
    const count = { accepted: 0, refused: 0 };
    const work = async (): Promise<void> => {
      for (const given of queue) {
        const schema = checkSpec(mlscaler, specOf(given)).faults.join();
        const [hpa, ours] = await Promise.all([ofHpa(given), ofMLScaler(given)]);
        count[ours === "" ? "accepted" : "refused"]++;
        if ((ours === "") !== (schema === "") || ((hpa === "") !== (ours === "") && !onPurpose(ours)))
          disagreements.push(`${JSON.stringify(given)}: HPA "${hpa}", MLScaler "${ours}", schema "${schema}"`);
      }
    };
    await Promise.all(Array.from({ length: 8 }, work));
    expect(disagreements).toEqual([]);
    expect(count.accepted).toBeGreaterThan(500);
    expect(count.refused).toBeGreaterThan(500);
  });

  const ofPods = (name: string, selected?: object): object => ({
    type: "Pods",
    pods: { metric: { name, selector: selected }, target: average },
  });
  const up = (change: object): Blocks => ({ metrics: [cpu], behavior: { scaleUp: change } });

  it.each<[what: string, given: Blocks, ours: string]>([
    ["no metrics, which an HPA takes for cpu 80 %", {}, "set exactly one of"],
    ["an empty list of metrics, which it takes for the same", { metrics: [] }, "0 metrics, use 1 to 16"],
    [
      "a target of another type than its field",
      {
        metrics: [
          { type: "External", external: { metric: { name: "a" }, target: { type: "AverageValue", value: 6 } } },
        ],
      },
      "AverageValue does not fit the field that is set",
    ],
    [
      "a target below a thousandth",
      { metrics: [{ type: "Pods", pods: { metric: { name: "a" }, target: { ...average, averageValue: "400u" } } }] },
      "400u is not an integer or Quantity of 0.001 or more",
    ],
    ["more than 16 metrics", { metrics: Array.from({ length: 17 }, () => cpu) }, "must have at most 16 items"],
    ["more than 16 policies", up({ policies: Array.from({ length: 17 }, () => policies[0]) }), "at most 16 items"],
    ["a name above 253 characters", { metrics: [ofPods("a".repeat(254))] }, "may not be more than 253"],
    ["a number with a fraction, without quotes", up({ tolerance: 0.05 }), "must be of type integer"],
    ["a Quantity with space around it", up({ tolerance: " 50m " }), "is not an integer or Quantity"],
    [
      "a selector that selects nothing",
      { metrics: [ofPods("a", { matchLabels: { "a b": "c" } })] },
      'no labels: ["a b"]',
    ],
    [
      "an operator that there is not",
      { metrics: [ofPods("a", { matchExpressions: [{ key: "a", operator: "Is" }] })] },
      "Unsupported value",
    ],
  ])("differ on purpose: an MLScaler refuses %s", async (_, given, ours) => {
    expect(await ofHpa(given)).toBe("");
    expect(await ofMLScaler(given)).toContain(ours);
    expect(checkSpec(mlscaler, JSON.parse(JSON.stringify(specOf(given)))).faults).toHaveLength(1);
  });
});
