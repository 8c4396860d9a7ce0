import { installAgain } from "../../operator/installed";
import { Target } from "./target";

export type StandBackReason = "AmbiguousTarget" | "HPAsUnknown" | "NoAutoscaler";

/** The message for an MLScaler that assists, and has nothing to assist. */
export const noAutoscaler = ({ kind, name }: Target): string =>
  `no HPA or ScaledObject scales ${kind} ${name}, and spec.mode Assist needs one; create it, and this MLScaler begins ` +
  "by itself, or set spec.mode to Active";

/** The message for an MLScaler that assists, and has more than one HPA on its target. */
export const manyAutoscalers = ({ kind, name }: Target, hpas: { text: string }[]): string =>
  `${kind} ${name} is scaled by ${hpas.map(({ text }) => text).join(" and ")}; delete all but one`;

/** The note on bounds of the spec that are above the maximum of the assisted HPA. */
export const aboveMaximum = (
  bounds: { min_replicas?: number; max_replicas?: number },
  { text, maximum }: { text: string; maximum: number },
): string[] =>
  (["min_replicas", "max_replicas"] as const)
    .filter(field => (bounds[field] ?? 0) > maximum)
    .map(field => `spec.${field}: ${bounds[field]} is above the maximum of ${text}, which is ${maximum} and counts`);

/** The message for an MLScaler whose target is scaled by an HPA, named as in "HPA web". */
export const scaledByHpa = ({ kind, name }: Target, hpa: string): string =>
  `${kind} ${name} is already scaled by ${hpa}; ` +
  "set spec.mode to Assist to keep that, delete it, or set spec.mode to Observe";

/** The message for an MLScaler that may not list HPAs. `why` is in the words of the API server. */
export const hpasUnknown = ({ kind, name }: Target, why: string): string =>
  `an HPA may scale ${kind} ${name}, because HPAs cannot be listed: ${why}; grant list and watch of ` +
  `horizontalpodautoscalers of the group autoscaling (${installAgain}), or set spec.mode to Observe`;

/** The message for an MLScaler whose target is scaled by the MLScaler `other`. */
export const scaledByMLScaler = ({ kind, name }: Target, other: string): string =>
  `${kind} ${name} is already scaled by MLScaler ${other}; ` +
  "delete one of them, name another target, or set spec.mode to Observe";

/** The message for an MLScaler whose target is scaled by the older MLScaler `other`, named as in "shop/web". */
export const scaledByOlderMLScaler = ({ kind, name }: Target, other: string): string =>
  `${kind} ${name} is already scaled by MLScaler ${other}, which is older; ` +
  "delete one of them, or set spec.mode to Observe";

/** The message for an MLScaler whose target has its replicas set by its owner, named as in "EasyService web". */
export const replicasSetByOwner = ({ kind, name }: Target, owner: string): string =>
  `the replicas of ${kind} ${name} are set by ${owner}; name that in the target_ref of a new MLScaler`;
