import * as z from "zod";
import { optionalInteger, optionalList } from "../../../definition/fields";
import { ifGiven, NestedRules, Rule, within } from "../../../definition/rules";
import {
  activationRules,
  activationSchema,
  isKnownWithoutPods,
  Metric,
  typesWithoutPods,
} from "../../metrics/registry";

/** The longest min_idle_seconds: the longest horizon of a forecast. */
export const longestIdleSeconds = 21_600;

export const scaleToZeroSchema = z.strictObject({
  cooldown_seconds: z
    .int32()
    .default(300)
    .describe(
      "Cool-down in seconds, 0 to 86400. The target goes to 0 when all activations stayed at or below their " +
        "threshold for this time.",
    ),
  activation: optionalList(activationSchema, 16).describe(
    "Metrics that say whether the target has work: one above its threshold wakes the target. By default the metrics of " +
      "type Object, External and Prometheus in spec.metrics, with the threshold 0.",
  ),
  min_idle_seconds: optionalInteger().describe(
    "Shortest idle time in seconds, 0 to 21600. The target stays up while a trusted forecast expects load above " +
      "the threshold within this time. By default cooldown_seconds plus the start-up time of the target's pods.",
  ),
  replicas: z
    .int32()
    .default(1)
    .describe(
      "Replicas when the target wakes, and while a forecast expects load, if its metrics ask for no more, 1 to " +
        "max_replicas.",
    ),
});

export type ScaleToZero = z.output<typeof scaleToZeroSchema>;

const blockRules: Rule<ScaleToZero>[] = [
  within("cooldown_seconds", 0, 86_400, "seconds"),
  ifGiven(within<ScaleToZero>("min_idle_seconds", 0, longestIdleSeconds, "seconds")),
  within("replicas", 1, 2 ** 31 - 1),
];

interface Zeroed {
  min_replicas: number;
  max_replicas?: number;
  metrics?: Metric[];
  scale_to_zero?: ScaleToZero;
}

const typesInCel = typesWithoutPods.map(type => `one.type == '${type}'`).join(" || ");

export const zeroRules: Rule<Zeroed>[] = [
  {
    path: "min_replicas",
    cel:
      `self.min_replicas != 0 || (has(self.metrics) && self.metrics.exists(one, ${typesInCel})) || ` +
      "(has(self.scale_to_zero) && has(self.scale_to_zero.activation) && size(self.scale_to_zero.activation) > 0)",
    check: ({ min_replicas: min, metrics = [], scale_to_zero: { activation = [] } = {} }) =>
      min !== 0 || metrics.some(isKnownWithoutPods) || activation.length > 0,
    message:
      "0 needs at least one metric that is known without pods: Object, External or Prometheus in spec.metrics, " +
      "or an activation in spec.scale_to_zero; else use 1 or more",
  },
  {
    path: "scale_to_zero",
    cel: "!has(self.scale_to_zero) || self.min_replicas == 0",
    check: ({ min_replicas: min, scale_to_zero: block }) => block === undefined || min === 0,
    message: "goes with spec.min_replicas 0, and that is %s; use 0 there, or leave this out",
    values: ["min_replicas"],
  },
  {
    path: "scale_to_zero",
    cel: "!has(self.scale_to_zero) || !has(self.max_replicas) || self.scale_to_zero.replicas <= self.max_replicas",
    check: ({ scale_to_zero: { replicas = 0 } = {}, max_replicas: max = Infinity }) => replicas <= max,
    message: "its replicas %s are above spec.max_replicas %s, use at most that",
    values: [{ cel: "self.scale_to_zero.replicas", of: spec => spec.scale_to_zero?.replicas }, "max_replicas"],
  },
];

export const scaleToZeroRules: NestedRules[] = [
  { at: "scale_to_zero", rules: blockRules },
  ...activationRules("scale_to_zero.activation"),
];
