import { Forecast } from "../forecast/forecast";
import { type BenefitDay, marginOf } from "./benefit";
import { Form } from "./form";
import { hpaCount, outlooksOf, raisedCount, TargetLoads } from "./propose";
import { Shadow, ShadowedSync } from "./shadow";

/**
 * Updates the shadow, which simulates HPA alone, raised by trusted forecasts, and raised by a margin. Undefined without
 * a forecast, and while scaling is off.
 * @param benefit the trials so far
 */
export function compareWithHpa(
  spec: Form,
  loads: TargetLoads,
  forecasts: (Forecast | undefined)[],
  benefit: BenefitDay[],
  before: Shadow | undefined,
  sync: Omit<ShadowedSync, "hpa" | "raised" | "margin" | "trusted" | "period"> & { idle: boolean },
): Shadow | undefined {
  const { now, replicas, idle, bounds } = sync;
  if (!spec.forecast || (replicas === 0 && !idle)) return undefined;
  const shadow = before ?? new Shadow(replicas, now);
  const ahead = outlooksOf(spec, loads, forecasts);
  const factor = marginOf(benefit);
  const withMargin = ahead.map(outlook => ({ ...outlook, upper: outlook.load && outlook.load * factor }));
  const { hpa, raised, margin } = shadow.counts;
  shadow.observe({
    ...sync,
    hpa: hpaCount(spec, loads, hpa),
    raised: raisedCount(spec, loads, ahead, bounds.min, raised),
    margin: raisedCount(spec, loads, withMargin, bounds.min, margin),
    trusted: ahead.some(({ upper }) => upper !== undefined),
    period: spec.sync_period_seconds * 1000,
  });
  return shadow;
}
