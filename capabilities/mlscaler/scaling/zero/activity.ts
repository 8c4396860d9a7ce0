import { type Instant, timestamp } from "../../../kubernetes/time";
import type { Forecast } from "../../forecast/forecast";
import type { ActivationReading } from "../../metrics/activation";
import { type Metric, referenceTo } from "../../metrics/registry";
import { loadText, unitOfTotal } from "../../metrics/total";
import type { Work } from "../decide";
import type { Failure, Proposal } from "../proposal";
import { longestIdleSeconds, type ScaleToZero } from "./scale-to-zero";
import type { TargetLoad } from "../loads";

export type ForecastActivation = ActivationReading & { forecast?: Forecast };

/** Whether there is work for a target, by the activations of its `scale_to_zero`. */
export interface Activity extends Work {
  /** What the state rests on, for people. */
  what: string;
  forecast?: Forecast;
}

export interface Rest {
  current: number;
  counted: boolean;
  /** Since when no activation is above its threshold, epoch milliseconds; see `idleSince`. */
  since?: number;
  now: Instant;
}

const isAbove = ({ load = NaN, threshold }: ActivationReading): boolean => load > threshold;

const isKnown = ({ load, ageUnknown, skew }: ActivationReading): boolean => load !== undefined && !ageUnknown && !skew;

// Where waking by the chance of load was tried, the chance decides, and else the upper quantile.
function expects(
  { trusted, upper, idleUpper, noise = 0, occurrence }: Forecast,
  threshold: number,
  current: number,
): boolean {
  if (occurrence) return occurrence.trusted && (current === 0 ? occurrence.wake : occurrence.idle) > occurrence.chance;
  const ahead = (current === 0 ? upper : (idleUpper ?? upper)) ?? NaN;
  return trusted && ahead > Math.max(threshold, noise);
}

/** The activity of a target. Pure. */
export function activityOf(
  { cooldown_seconds: cooldown, replicas }: ScaleToZero,
  activations: ForecastActivation[],
  { current, counted, since, now }: Rest,
): Activity {
  const above = activations.find(isAbove);
  if (above) {
    const what = `${referenceTo(above.metric).metric} is ${above.load}, above ${above.threshold}`;
    return { state: "Active", replicas, what };
  }
  const expected = activations.find(({ forecast, threshold }) => forecast && expects(forecast, threshold, current));
  if (expected)
    return {
      ...{ state: "Expected", replicas, forecast: expected.forecast },
      what: expectationText(expected, current),
    };
  const unknown = activations.length === 0 || activations.some(one => !isKnown(one));
  const what = `no activation is above its threshold for ${cooldown} s`;
  if (unknown || (current > 0 && !counted))
    return { state: "Unknown", replicas, what: "it is unknown whether there is work" };
  if (current > 0 && (since === undefined || now - since < 1000 * cooldown))
    return { state: "CoolingDown", replicas, what };
  return { state: "Idle", replicas, what: current === 0 ? `${what}${nextText(activations)}` : what };
}

/** Since when all activations are known and not above their threshold; undefined when one is not. */
export const idleSince = (
  activations: ActivationReading[],
  before: number | undefined,
  now: number,
): number | undefined =>
  activations.length > 0 && activations.every(one => isKnown(one) && !isAbove(one)) ? (before ?? now) : undefined;

/** The time that a target stays idle for when it goes to 0, in seconds; 0 by HPA's rule. */
export const idleSecondsOf = (block: ScaleToZero | undefined, startUp: number): number =>
  block ? Math.min(block.min_idle_seconds ?? block.cooldown_seconds + startUp, longestIdleSeconds) : 0;

/** The loads of the metrics and those of the activations, each once. */
export function withLoadsOf({ totals }: { totals: TargetLoad[] }, activations: ActivationReading[]): TargetLoad[] {
  const added = activations.filter(({ metric }) => placeOf(totals, metric) < 0);
  return [...totals, ...added.map(({ metric, threshold, load }) => ({ metric, load, capacity: threshold }))];
}

/** The activations with the forecasts of their loads. `forecasts` has one for each of `totals`. */
export const foreseen = (
  activations: ActivationReading[],
  totals: TargetLoad[],
  forecasts: (Forecast | undefined)[],
): ForecastActivation[] => activations.map(one => ({ ...one, forecast: forecasts[placeOf(totals, one.metric)] }));

/** The threshold of the load of an activation; undefined for a load that is none. */
export const thresholdOf = (activations: ActivationReading[], total: TargetLoad): number | undefined =>
  activations.find(({ metric }) => placeOf([total], metric) === 0)?.threshold;

const placeOf = (totals: TargetLoad[], metric: Metric): number =>
  totals.findIndex(total => loadText(total.metric) === loadText(metric));

/** A proposal with the failures of activations. At 0 replicas nothing else can wake the target. */
export function withActivations(proposal: Proposal, activations: ActivationReading[], current: number): Proposal {
  const errors = activations.flatMap(({ error }) => error ?? []);
  const told = proposal.failures.flatMap(({ causes = [] }) => causes);
  const [first] = current === 0 ? errors : errors.filter(error => !told.includes(error));
  if (!first) return proposal;
  const all = errors.length === activations.length;
  const hint =
    "; at 0 replicas it wakes nothing; a metric that the pods themselves export is not there without them, " +
    "use a metric of what is in front of them, for example of the ingress or the queue";
  const type = current === 0 && all ? "ScalingActive" : "Ready";
  const message = `${first.message}${current === 0 ? hint : ""}`;
  const failure: Failure = { type, status: "False", reason: first.reason, message, causes: errors };
  return {
    ...proposal,
    failures: current === 0 ? [failure] : [...proposal.failures, failure],
    ...(current === 0 && all && { failed: proposal.failed ?? {} }),
  };
}

function expectationText({ metric, threshold, forecast }: ForecastActivation, current: number): string {
  const { wake, idle } = forecast?.occurrence ?? {};
  const chance = current === 0 ? wake : idle;
  const unit = unitOfTotal(metric);
  if (chance === undefined) return `the forecast of ${unit} is above ${threshold}`;
  return `the chance of ${unit} above ${threshold} is ${Math.round(100 * chance)} %`;
}

/** The time of the next usual load, by the activation that has it first: "; next load expected 08:00 UTC, 92 %". */
function nextText(activations: ForecastActivation[]): string {
  const trusted = activations.flatMap(({ forecast }) => (forecast?.occurrence?.trusted ? forecast.occurrence : []));
  const [first] = trusted.flatMap(({ next }) => next ?? []).sort((one, other) => one.at - other.at);
  if (!first) return "";
  return `; next load expected ${timestamp(new Date(first.at)).slice(11, 16)} UTC, ${Math.round(100 * first.chance)} %`;
}
