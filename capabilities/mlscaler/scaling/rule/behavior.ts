import { defaultTolerance, stabilizationMilliseconds, syncPeriodSeconds } from "../../hpa-defaults";
import { parseQuantity } from "../../../kubernetes/quantity";
import type { Instant } from "../../../kubernetes/time";
import { Behavior, ScalingRules } from "./behavior-schema";

/** A recommended count, before stabilization. */
export interface Recommendation {
  at: Instant;
  replicas: number;
}

export interface ScaleEvent {
  at: Instant;
  /** Replicas added; negative when removed. */
  change: number;
}

/** The past decisions of one target, oldest first. */
export interface Past {
  recommendations: Recommendation[];
  scaleEvents: ScaleEvent[];
  planned?: Recommendation[];
  /** What they asked for at the horizon of new nodes; absent without a capacity buffer. */
  nodes?: Recommendation[];
}

export interface ScalingState extends Past {
  now: Instant;
  /** The target's spec.replicas. */
  current: number;
  behavior?: Behavior;
  lastSync: Instant;
}

interface Rules {
  windowMilliseconds: number;
  selectPolicy: NonNullable<ScalingRules["selectPolicy"]>;
  policies: NonNullable<ScalingRules["policies"]>;
}

/** The highest and the lowest count that the scaling rules allow now. The current count is always within them. */
export interface Limits {
  most: number;
  least: number;
}

/** The highest count in Kubernetes, an int32. */
export const mostReplicas = 2 ** 31 - 1;

/** HPA limits growth per sync. */
const limitPeriodMilliseconds = 1000 * syncPeriodSeconds;

// For late timers, in ms: without it an entry of a whole number of periods ago would often count for one more.
const jitterMilliseconds = 500;

/** A duration minus the tolerance: half a second, or a tenth of a duration below five seconds. */
const nearly = (milliseconds: number): number => milliseconds - Math.min(jitterMilliseconds, milliseconds / 10);

/** The recommendations or scale events of the last `milliseconds` before `now`. Entries after `now` do not count. */
export function recent<T extends { at: number }>(past: T[], now: number, milliseconds: number): T[] {
  const since = now - nearly(milliseconds);
  // Mostly all of them count, and a copy costs a replay more than the comparisons.
  return past.every(({ at }) => at > since && at <= now) ? past : past.filter(({ at }) => at > since && at <= now);
}

/** The tolerance of each direction, as a ratio. There is no scaling within it. HPA's default of 0.1 applies. */
export const toleranceOf = (behavior: Behavior | undefined): { up: number; down: number } => ({
  up: parseQuantity(behavior?.scaleUp?.tolerance ?? defaultTolerance) ?? defaultTolerance,
  down: parseQuantity(behavior?.scaleDown?.tolerance ?? defaultTolerance) ?? defaultTolerance,
});

/** The scaling rules of both directions with HPA's defaults (pkg/apis/autoscaling/v2/defaults.go). */
export function rulesOf({ scaleUp, scaleDown }: Behavior): { up: Rules; down: Rules } {
  return {
    up: filled(scaleUp, 0, [
      { type: "Pods", value: 4, periodSeconds: 15 },
      { type: "Percent", value: 100, periodSeconds: 15 },
    ]),
    down: filled(scaleDown, stabilizationMilliseconds, [{ type: "Percent", value: 100, periodSeconds: 15 }]),
  };
}

/** The longest window or period of `behavior` in ms. Older recommendations and scale events have no effect. */
export function longestWindow(behavior: Behavior | undefined): number {
  if (!behavior) return stabilizationMilliseconds;
  const spans = Object.values(rulesOf(behavior)).flatMap(({ windowMilliseconds, policies }) => [
    windowMilliseconds,
    ...policies.map(({ periodSeconds }) => periodSeconds * 1000),
  ]);
  return Math.max(...spans);
}

/** The window in ms whose highest recommendation holds the count up. */
export const downMilliseconds = (behavior: Behavior | undefined): number =>
  behavior ? rulesOf(behavior).down.windowMilliseconds : stabilizationMilliseconds;

/**
 * The count raised to the lowest recommendation of the scale-up window, and lowered to the highest of the scale-down one;
 * without `behavior` the highest of the last 300 s. HPA's stabilizeRecommendation… (podautoscaler/horizontal.go).
 */
export function stabilize(
  replicas: number,
  { current, behavior, recommendations, now }: Pick<ScalingState, "current" | "behavior" | "recommendations" | "now">,
): number {
  const within = (milliseconds: number, better: (one: number, other: number) => number): number =>
    recent(recommendations, now, milliseconds).reduce((best, one) => better(best, one.replicas), replicas);
  if (!behavior) return within(stabilizationMilliseconds, Math.max);
  const { up, down } = rulesOf(behavior);
  const lowest = within(up.windowMilliseconds, Math.min);
  const highest = within(down.windowMilliseconds, Math.max);
  return Math.min(Math.max(current, lowest), highest);
}

/** Rate limits by `behavior` (horizontal.go, convertDesiredReplicasWithRules and …WithBehaviorRate). */
export function limitsOf({ current, behavior, scaleEvents, lastSync, now }: ScalingState): Limits {
  if (!behavior) return { most: Math.max(current, scaleUpLimit(current, scaleEvents, lastSync, now)), least: 0 };
  const { up, down } = rulesOf(behavior);
  const grown = (start: number, { type, value }: Policy): number =>
    type === "Pods" ? start + value : Math.ceil(start * (1 + value / 100));
  const shrunk = (start: number, { type, value }: Policy): number =>
    type === "Pods" ? start - value : Math.trunc(start * (1 - value / 100));
  const proposed = ({ policies }: Rules, from: (start: number, policy: Policy) => number): number[] =>
    policies.map(policy => from(startOf(current, scaleEvents, policy.periodSeconds * 1000, now), policy));
  const most = { Max: Math.max, Min: Math.min, Disabled: () => current }[up.selectPolicy];
  const least = { Max: Math.min, Min: Math.max, Disabled: () => current }[down.selectPolicy];
  return {
    most: Math.max(current, Math.min(most(...proposed(up, grown)), mostReplicas)),
    least: Math.min(current, least(...proposed(down, shrunk))),
  };
}

/**
 * HPA's limit on growth, max(2 × current, 4) (horizontal.go, calculateScaleUpLimit), once per 15 s since `lastSync`. So
 * a short sync period grows no faster than HPA.
 */
export function scaleUpLimit(current: number, scaleEvents: ScaleEvent[], lastSync: number, now: number): number {
  const periods = Math.max(1, Math.floor((now - lastSync + jitterMilliseconds) / limitPeriodMilliseconds));
  let limit = Math.max(0, Math.min(current, startOf(current, scaleEvents, limitPeriodMilliseconds, now)));
  // 31 doublings reach every int32.
  for (let period = 0; period < Math.min(periods, 31); period++) limit = Math.max(2 * limit, 4);
  return limit;
}

type Policy = Rules["policies"][number];

/** The count at the start of a period that ends now. It includes changes by others in the period. */
const startOf = (current: number, scaleEvents: ScaleEvent[], milliseconds: number, now: number): number =>
  recent(scaleEvents, now, milliseconds).reduce((start, { change }) => start - change, current);

const filled = (rules: ScalingRules | undefined, windowMilliseconds: number, policies: Policy[]): Rules => ({
  windowMilliseconds:
    rules?.stabilizationWindowSeconds === undefined ? windowMilliseconds : rules.stabilizationWindowSeconds * 1000,
  selectPolicy: rules?.selectPolicy ?? "Max",
  policies: rules?.policies ?? policies,
});
