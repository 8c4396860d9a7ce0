import { Forecast } from "../forecast/forecast";
import { Observation } from "../metrics/observation";
import { MetricsError } from "../metrics/reading";
import { Form } from "./form";
import { Proposed } from "./decide";
import { Counts, hpaOfLong, LongLoads, longLoads, outlooksOfLong, proposeLong } from "./long-form";
import { noProposal, Proposal } from "./proposal";
import { LoadOutlook, withForecasts } from "./raise";
import { hpaOfShort, outlookOfShort, proposeShort, ShortLoads, shortLoads } from "./short-form";
import { HpaCount } from "./target-load";

/** The loads of a target, by the form of its spec. `totals` are remembered and forecast. */
export type TargetLoads = ShortLoads | LongLoads | { form: "none"; totals: []; error?: MetricsError };

/**
 * The loads of an observation. Pure.
 * @param started names of the pods that a rollout starts. With rollout_freeze their start-up load does not count.
 * @param now epoch milliseconds
 */
export function loadsOf(spec: Form, observation: Observation, started: Set<string>, now: number): TargetLoads {
  const { pods } = observation;
  if (observation.form === "short" && spec.metrics === undefined)
    return shortLoads(spec, pods, observation.samples, started, now);
  if (observation.form === "long" && spec.metrics !== undefined)
    return longLoads(spec, pods, observation.readings, started, now);
  return { form: "none", totals: [], error: observation.form === "none" ? observation.error : undefined };
}

/**
 * The replicas that the loads recommend by HPA's rules or those of the short form, raised by trusted forecasts. Pure.
 * @param forecasts one for each of the totals; undefined for a load without a forecast
 * @param least the lower bound of the replicas
 */
export function propose(
  spec: Form,
  loads: TargetLoads,
  forecasts: (Forecast | undefined)[],
  least: number,
  scale: Counts,
): Proposal {
  if (loads.form === "short" && spec.metrics === undefined)
    return proposeShort(spec, loads, forecasts[0], least, scale.replicas);
  if (loads.form === "long" && spec.metrics !== undefined) return proposeLong(spec, loads, forecasts, least, scale);
  return noProposal(loads.form === "none" ? loads.error : undefined);
}

/** The recommendation of HPA alone, if the target had `replicas`; undefined when the loads are unknown. Pure. */
export function hpaCount(spec: Form, loads: TargetLoads, replicas: number): HpaCount | undefined {
  if (loads.form === "short" && spec.metrics === undefined) return hpaOfShort(spec, loads, replicas);
  if (loads.form === "long" && spec.metrics !== undefined) return hpaOfLong(spec, loads, replicas);
  return undefined;
}

/**
 * The recommendation of HPA raised to the replicas for `ahead`, if the target had `replicas`; undefined when the loads
 * are unknown. Pure.
 * @param least the lower bound of the replicas
 */
export function raisedCount(
  spec: Form,
  loads: TargetLoads,
  ahead: LoadOutlook[],
  least: number,
  replicas: number,
): Proposed | undefined {
  const proposed = hpaCount(spec, loads, replicas)?.proposed;
  return proposed && withForecasts(proposed, ahead, replicas, least, spec.forecast?.max_extra_percent);
}

/** The known loads of a target, and their trusted forecasts. Pure. */
export function outlooksOf(spec: Form, loads: TargetLoads, forecasts: (Forecast | undefined)[]): LoadOutlook[] {
  if (loads.form === "long") return outlooksOfLong(loads, forecasts);
  if (loads.form !== "short" || loads.error || spec.metrics !== undefined) return [];
  return [outlookOfShort(spec, loads.settled, forecasts[0])];
}
