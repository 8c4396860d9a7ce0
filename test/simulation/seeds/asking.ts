import { copy, Fields, isFields } from "../objects";
import { Draw } from "./draw";

/**
 * What is known of a spec by how it was made: a valid one that somebody has changed in a valid way, or one with a fault
 * of its own.
 */
export type Validity = "valid" | "invalid";

/** A spec that a user tries with `kubectl apply --dry-run=server`, as a new object or in place of a stored one. */
export interface Try {
  what: string;
  spec: Fields;
  validity: Validity;
  isNew: boolean;
}

/** Ways to break a valid spec. What does not fit a spec breaks it in another way. */
const faults: Record<string, (spec: Fields) => Fields> = {
  "min above max": spec => ({ ...spec, min_replicas: Number(spec.max_replicas) + 1 }),
  "no replicas": spec => ({ ...spec, max_replicas: 0 }),
  "replicas as text": spec => ({ ...spec, max_replicas: "many" }),
  "half a replica": spec => ({ ...spec, max_replicas: 7.5 }),
  "no target": ({ target_deployment: _name, target_ref: _ref, ...spec }) => spec,
  "two targets": spec => ({
    ...{ ...spec, target_deployment: "one" },
    target_ref: { apiVersion: "apps/v1", kind: "Deployment", name: "other" },
  }),
  "an impossible name": ({ target_ref: _ref, ...spec }) => ({ ...spec, target_deployment: "Not_A_Name" }),
  "an unknown mode": spec => ({ ...spec, mode: "Watch" }),
  "an unknown field": spec => ({ ...spec, behavior: { scaleSideways: {} } }),
  "both forms": spec => ({
    ...{ ...spec, metric: "cpu", replicas_per_unit: 4, history_size: 5 },
    metrics: [{ type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } }],
  }),
  "no form": ({ metric: _metric, metrics: _metrics, ...spec }) => spec,
  "a metric without its block": ({ metric: _metric, replicas_per_unit: _unit, history_size: _size, ...spec }) => ({
    ...spec,
    metrics: [{ type: "Pods" }],
  }),
  "0 percent": ({ metric: _metric, replicas_per_unit: _unit, history_size: _size, ...spec }) => ({
    ...spec,
    metrics: [{ type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 0 } } }],
  }),
  "no number": ({ metrics: _metrics, forecast: _forecast, scale_to_zero: _zero, ...spec }) => ({
    ...{ ...spec, min_replicas: 1, metric: "cpu", history_size: 5, replicas_per_unit: "four" },
  }),
  "a window of two hours": spec => ({ ...spec, behavior: { scaleDown: { stabilizationWindowSeconds: 7200 } } }),
  "a policy of nothing": spec => ({ ...spec, behavior: { scaleUp: { policies: [] } } }),
  "no period": spec => ({ ...spec, sync_period_seconds: 0 }),
  "an unknown model": spec => ({ ...spec, forecast: { model: "oracle" } }),
  "hour 25": spec => ({
    ...spec,
    schedules: [{ name: "late", cron: "0 25 * * *", duration_seconds: 60, min_replicas: 1 }],
  }),
  "a time zone of nowhere": spec => ({
    ...spec,
    schedules: [{ ...window, timezone: "Mars/Olympus_Mons" }],
  }),
  "an unknown end": spec => ({ ...spec, on_delete: "Explode" }),
};

const window = { name: "noon", cron: "0 12 * * *", duration_seconds: 600, min_replicas: 2 };

/** Changes that leave a spec valid. */
const changes: Record<string, (spec: Fields) => Fields> = {
  nothing: spec => spec,
  "more replicas": spec => ({ ...spec, max_replicas: Number(spec.max_replicas) + 5 }),
  "a window": spec => ({ ...spec, behavior: { scaleDown: { stabilizationWindowSeconds: 30 } } }),
  "a schedule": spec => ({ ...spec, schedules: [{ ...window, timezone: "Europe/Vienna" }] }),
  "a pause": spec => ({ ...spec, pause: "All" }),
  "a slower period": spec => ({ ...spec, sync_period_seconds: 45 }),
  "another end": spec => ({ ...spec, on_delete: "Min" }),
  "a fallback": spec => ({ ...spec, on_metric_failure: { behavior: "Hold", failure_threshold: 2 } }),
};

/** What a user tries with the spec of an MLScaler. */
export function tryOf(spec: Fields, draw: Draw): Try {
  const one = copy(spec);
  const isNew = draw.chance(0.5);
  if (draw.chance(0.5)) {
    const what = draw.pick(Object.keys(faults));
    return { what, spec: faults[what]?.(one) ?? one, validity: "invalid", isNew };
  }
  const what = draw.pick(Object.keys(changes));
  const changed = changes[what]?.(one) ?? one;
  // A new one beside the stored one: it observes, scales nothing that is there, or is a rival.
  const how = draw.pick(["observes", "other target", "rival"]);
  if (!isNew || how === "rival") return { what, spec: changed, validity: "valid", isNew };
  if (how === "observes") return { what, spec: { ...changed, mode: "Observe" }, validity: "valid", isNew };
  const { target_ref: ref, ...rest } = changed;
  const target = isFields(ref) ? { target_ref: { ...ref, name: "not-there" } } : { target_deployment: "not-there" };
  return { what, spec: { ...rest, ...target }, validity: "valid", isNew };
}
