import type { Condition } from "../../../../capabilities/kubernetes/conditions";
import type { Status } from "../../../../capabilities/mlscaler/schema";

const since = "2026-11-25T00:00:00Z";

/** A condition since midnight of 2026-11-25. */
export const condition = (
  type: string,
  status: Condition["status"],
  reason: string,
  message = `the message of ${reason}`,
): Condition => ({ type, status, reason, message, lastTransitionTime: since });

/** The conditions of an MLScaler that works, with a trusted forecast; `changed` takes the place of some. */
export const conditionsWith = (...changed: Condition[]): Condition[] => {
  const types = changed.map(({ type }) => type);
  return [
    condition("Ready", "True", "Synced"),
    condition("Scaled", "False", "NotScaledYet"),
    condition("AbleToScale", "True", "ReadyForNewScale"),
    condition("ScalingActive", "True", "ValidMetricFound"),
    condition("ScalingLimited", "False", "DesiredWithinRange"),
    condition("ForecastReady", "True", "Trusted"),
  ]
    .filter(({ type }) => !types.includes(type))
    .concat(changed);
};

export interface Given {
  name?: string;
  spec?: object;
  status?: Status | null;
  generation?: number;
}

/** An MLScaler as the API server lists it, which works unless `given` says otherwise. Null is no status. */
export const scaler = ({ name = "web", spec = {}, status = {}, generation = 2 }: Given = {}): object => ({
  metadata: { name, namespace: "shop", uid: "1", generation, creationTimestamp: since, managedFields: [{}] },
  spec: { target_deployment: name, max_replicas: 20, metrics: [{}], ...spec },
  ...(status && {
    status: {
      observedGeneration: 2,
      target: `Deployment/${name}`,
      current_replicas: 5,
      predicted_replicas: 9,
      load: "0.45",
      forecast: { model: "boosted", horizon_seconds: 50, samples: 288, skill_percent: 42, trusted: true },
      decision: { final: 9, reason: "5 → 9" },
      shadow: {
        hpa_replicas: 5,
        replica_hours_saved_24h: -12,
        underprovisioned_seconds_24h: 60,
        underprovisioned_seconds_hpa_24h: 3720,
      },
      conditions: conditionsWith(),
      ...status,
    } satisfies Status,
  }),
});
