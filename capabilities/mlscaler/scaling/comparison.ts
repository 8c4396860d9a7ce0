import { Form } from "./form";
import { hpaCount, TargetLoads } from "./propose";
import { Shadow, ShadowedSync } from "./shadow";

/** Updates the shadow, which simulates HPA alone. Undefined without a forecast, and while scaling is off. */
export function compareWithHpa(
  spec: Form,
  loads: TargetLoads,
  before: Shadow | undefined,
  sync: Omit<ShadowedSync, "hpa" | "period"> & { idle: boolean },
): Shadow | undefined {
  const { now, replicas, idle } = sync;
  if (!spec.forecast || (replicas === 0 && !idle)) return undefined;
  const shadow = before ?? new Shadow(replicas, now);
  const hpa = hpaCount(spec, loads, shadow.replicas);
  shadow.observe({ ...sync, hpa, period: spec.sync_period_seconds * 1000 });
  return shadow;
}
