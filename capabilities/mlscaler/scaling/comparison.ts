import { Forecast } from "../forecast/forecast";
import { Form } from "./form";
import { hpaCount, raisedCount, TargetLoads } from "./propose";
import { Shadow, ShadowedSync } from "./shadow";

/**
 * Updates the shadow, which simulates HPA alone and HPA with trusted forecasts. Undefined without a forecast, and while
 * scaling is off.
 */
export function compareWithHpa(
  spec: Form,
  loads: TargetLoads,
  forecasts: (Forecast | undefined)[],
  before: Shadow | undefined,
  sync: Omit<ShadowedSync, "hpa" | "raised" | "period"> & { idle: boolean },
): Shadow | undefined {
  const { now, replicas, idle, bounds } = sync;
  if (!spec.forecast || (replicas === 0 && !idle)) return undefined;
  const shadow = before ?? new Shadow(replicas, now);
  const hpa = hpaCount(spec, loads, shadow.replicas);
  const raised = raisedCount(spec, loads, forecasts, bounds.min, shadow.raisedReplicas);
  shadow.observe({ ...sync, hpa, raised, period: spec.sync_period_seconds * 1000 });
  return shadow;
}
