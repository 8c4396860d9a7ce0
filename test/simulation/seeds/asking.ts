import { copy, Fields, isFields } from "../objects";
import { Draw } from "./draw";

/** A spec that a user tries with `kubectl apply --dry-run=server`, as a new object or in place of a stored one. */
interface Try {
  spec: Fields;
  /** Whether it was changed in a valid way. Else it has a fault. */
  isValid: boolean;
  isNew: boolean;
}

/** Ways to break a valid spec. What does not fit a spec breaks it in another way. */
const faults: Record<string, (spec: Fields) => Fields> = {
  "min above max": spec => ({ ...spec, min_replicas: Number(spec.max_replicas) + 1 }),
  "replicas as text": spec => ({ ...spec, max_replicas: "many" }),
  "no target": ({ target_deployment: _name, target_ref: _ref, ...spec }) => spec,
  "two targets": spec => ({
    ...{ ...spec, target_deployment: "one" },
    target_ref: { apiVersion: "apps/v1", kind: "Deployment", name: "other" },
  }),
  "an unknown mode": spec => ({ ...spec, mode: "Watch" }),
  "an unknown field": spec => ({ ...spec, behavior: { scaleSideways: {} } }),
  "both forms": spec => ({
    ...{ ...spec, metric: "cpu", replicas_per_unit: 4, history_size: 5 },
    metrics: [{ type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } }],
  }),
  "no form": ({ metric: _metric, metrics: _metrics, ...spec }) => spec,
  "an unknown model": spec => ({ ...spec, forecast: { model: "oracle" } }),
  "hour 25": spec => ({
    ...spec,
    schedules: [{ name: "late", cron: "0 25 * * *", duration_seconds: 60, min_replicas: 1 }],
  }),
};

const window = { name: "noon", cron: "0 12 * * *", duration_seconds: 600, min_replicas: 2 };

/** Changes that leave a spec valid. */
const changes: Record<string, (spec: Fields) => Fields> = {
  nothing: spec => spec,
  "more replicas": spec => ({ ...spec, max_replicas: Number(spec.max_replicas) + 5 }),
  "a schedule": spec => ({ ...spec, schedules: [{ ...window, timezone: "Europe/Vienna" }] }),
  "a pause": spec => ({ ...spec, pause: "All" }),
  "another end": spec => ({ ...spec, on_delete: "Min" }),
  "a fallback": spec => ({ ...spec, on_metric_failure: { behavior: "Hold", failure_threshold: 2 } }),
};

/** What a user tries with the spec of an MLScaler. */
export function tryOf(spec: Fields, draw: Draw): Try {
  const one = copy(spec);
  const isNew = draw.chance(0.5);
  if (draw.chance(0.5)) return { spec: draw.pick(Object.values(faults))(one), isValid: false, isNew };
  const changed = draw.pick(Object.values(changes))(one);
  // A new one beside the stored one: it observes, scales nothing that is there, or is a rival.
  const how = draw.pick(["observes", "other target", "rival"]);
  if (!isNew || how === "rival") return { spec: changed, isValid: true, isNew };
  if (how === "observes") return { spec: { ...changed, mode: "Observe" }, isValid: true, isNew };
  const { target_ref: ref, ...rest } = changed;
  const target = isFields(ref) ? { target_ref: { ...ref, name: "not-there" } } : { target_deployment: "not-there" };
  return { spec: { ...rest, ...target }, isValid: true, isNew };
}
