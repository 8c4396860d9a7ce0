import * as z from "zod";
import { optionalInteger } from "../../definition/fields";
import { ifGiven, NestedRules, Rule, within } from "../../definition/rules";
import type { Fallback } from "./decide";

export const metricFailureSchema = z.strictObject({
  failure_threshold: z
    .int32()
    .default(3)
    .describe(
      "Number of consecutive syncs in which all metrics failed, 1 to 100. With a sync every 15 s, 4 are a minute.",
    ),
  behavior: z
    .enum(["Hold", "Floor", "Forecast"])
    .default("Hold")
    .describe(
      "Hold keeps the count. Floor raises it to replicas. Forecast lets a trusted forecast raise it. None lowers it.",
    ),
  replicas: optionalInteger().describe(
    "Lowest number of replicas with Floor, up to max_replicas, for example 5. Required with Floor, not " +
      "allowed otherwise.",
  ),
});

export type MetricFailure = z.output<typeof metricFailureSchema>;

/** The fallback after that many syncs without metrics; undefined keeps the count, as HPA does. */
export function fallbackOf(
  rule: MetricFailure | undefined,
  syncs: number,
  failed: { predictive?: number } | undefined,
  most: number | undefined,
): Fallback | undefined {
  if (!rule || !failed || syncs < rule.failure_threshold) return undefined;
  const { behavior, replicas } = rule;
  const { predictive } = failed;
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

export const metricFailureInBounds: Rule<{ max_replicas?: number; on_metric_failure?: MetricFailure }> = {
  path: "on_metric_failure",
  cel:
    "!has(self.on_metric_failure) || !has(self.on_metric_failure.replicas) || !has(self.max_replicas) || " +
    "self.on_metric_failure.replicas <= self.max_replicas",
  check: ({ on_metric_failure: { replicas = 0 } = {}, max_replicas = Infinity }) => replicas <= max_replicas,
  message: "its replicas %s are above spec.max_replicas %s, use at most that",
  values: [{ cel: "self.on_metric_failure.replicas", of: spec => spec.on_metric_failure?.replicas }, "max_replicas"],
};

export const metricFailureRules: NestedRules[] = [{ at: "on_metric_failure", rules: blockRules }];
