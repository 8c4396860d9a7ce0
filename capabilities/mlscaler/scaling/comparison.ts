import { Form } from "./form";
import { hpaCount, TargetLoads } from "./propose";
import { Shadow, ShadowedSync } from "./shadow";

/** Updates the shadow, which simulates HPA alone. Undefined without a forecast and at 0 replicas. */
export function compareWithHpa(
  spec: Form,
  loads: TargetLoads,
  before: Shadow | undefined,
  sync: Omit<ShadowedSync, "hpa" | "period">,
): Shadow | undefined {
  const { now, replicas } = sync;
  if (!spec.forecast || replicas === 0) return undefined;
  const shadow = before ?? new Shadow(replicas, now);
  const hpa = hpaCount(spec, loads, shadow.replicas);
  shadow.observe({ ...sync, hpa, period: spec.sync_period_seconds * 1000 });
  return shadow;
}
