import * as z from "zod";
import { int32 } from "../../common/crd";
import { ifGiven, NestedRules, Rule, within } from "../../common/rules";
import type { Fallback } from "./decide";

export const metricFailureSchema = z.strictObject({
  failure_threshold: int32()
    .default(3)
    .describe("After how many syncs in a row in which no metric was known, 1 to 100."),
  behavior: z
    .enum(["Hold", "Floor", "Forecast"])
    .default("Hold")
    .describe(
      "Hold leaves the count as it is; Floor raises it to replicas; Forecast lets a trusted forecast raise it. None lowers it.",
    ),
  replicas: int32().optional().describe("With Floor: the count that there is to be at least, up to max_replicas."),
});

/** The `on_metric_failure` block, its defaults filled in. */
export type MetricFailure = z.output<typeof metricFailureSchema>;

/**
 * What is done where metrics failed in `syncs` syncs in a row, the running one included; undefined: nothing, as by HPA's rule.
 * @param predictive what trusted forecasts ask for
 * @param most what a forecast was allowed to ask for at most when the metrics were last known
 */
export function fallbackOf(
  { failure_threshold, behavior, replicas }: MetricFailure,
  syncs: number,
  predictive: number | undefined,
  most: number | undefined,
): Fallback | undefined {
  if (syncs < failure_threshold) return undefined;
  if (behavior === "Floor" && replicas !== undefined) return { floor: replicas };
  if (behavior === "Forecast" && predictive !== undefined && most !== undefined) return { predictive, most };
  return undefined;
}

const blockRules: Rule<MetricFailure>[] = [
  within("failure_threshold", 1, 100, "syncs"),
  {
    path: "replicas",
    cel: "has(self.replicas) == (self.behavior == 'Floor')",
    check: ({ replicas, behavior }) => (replicas !== undefined) === (behavior === "Floor"),
    message: "goes with behavior Floor, where it is required, and with no other: behavior is %s",
    values: ["behavior"],
  },
  ifGiven(within<MetricFailure>("replicas", 1, 2 ** 31 - 1)),
];

interface Bounded {
  max_replicas: number;
  on_metric_failure?: MetricFailure;
}

/** The rule that the block has with the bounds of the spec. */
export const metricFailureInBounds: Rule<Bounded> = {
  path: "on_metric_failure",
  cel: "!has(self.on_metric_failure) || !has(self.on_metric_failure.replicas) || self.on_metric_failure.replicas <= self.max_replicas",
  check: ({ on_metric_failure: { replicas } = {}, max_replicas }) => replicas === undefined || replicas <= max_replicas,
  message: "its replicas %s are above spec.max_replicas %s, use at most that",
  values: [{ cel: "self.on_metric_failure.replicas", of: spec => spec.on_metric_failure?.replicas }, "max_replicas"],
};

/** Everything about the block that types and enums do not say. */
export const metricFailureRules: NestedRules[] = [{ at: "on_metric_failure", rules: blockRules }];
