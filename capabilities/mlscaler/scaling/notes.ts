import { isLive, Pod } from "../metrics/reading";
import { isKnownWithoutPods, type Metric, sourceOf } from "../metrics/registry";
import { startsTooSlowly } from "./ahead/start-up";

export interface NotedFields {
  metrics: Metric[];
  rollout_freeze: boolean;
  forecast?: { horizon_seconds?: number };
}

/** What people should know of the pods of a target although nothing is wrong with their MLScaler. Pure. */
export function notesOn({ metrics, rollout_freeze: freezes, forecast }: NotedFields, pods: Pod[]): string[] {
  const live = pods.filter(isLive);
  const notes: string[] = [];
  const stuck = live.flatMap(({ unresizable }) => unresizable ?? []);
  const byRequests = metrics.some(metric => sourceOf(metric).block.target.averageUtilization !== undefined);
  if (stuck.length > 0 && byRequests)
    notes.push(
      `${stuck.length} of ${live.length} pods keep the requests that they have, because their resize is Infeasible: ` +
        `${stuck[0]}`,
    );
  const ofPods = !metrics.every(isKnownWithoutPods);
  if (freezes && ofPods && live.length > 0 && live.every(({ revision }) => revision === undefined))
    notes.push("spec.rollout_freeze has no effect, because the pods have no label of a revision");
  if (forecast && forecast.horizon_seconds === undefined && startsTooSlowly(live))
    notes.push(
      "every Ready pod became Ready more than 60 min after its start, so none shows how long a start takes; " +
        "set spec.forecast.horizon_seconds",
    );
  return notes;
}
