import { parseQuantity } from "../../common/quantity";
import { Behavior, ScalingRules } from "./schema";

/** A number of replicas that was recommended, before it was stabilised. */
export interface Recommendation {
  /** Epoch milliseconds. */
  at: number;
  replicas: number;
}

/** A change of the target's replicas that we made. */
export interface ScaleEvent {
  /** Epoch milliseconds. */
  at: number;
  /** Replicas added; negative when removed. */
  change: number;
}

/** What is known of a target's replicas. */
export interface Past {
  /** Epoch milliseconds. */
  now: number;
  /** The target's spec.replicas. */
  current: number;
  /** Absent where the spec has none. */
  behavior?: Behavior;
  recommendations: Recommendation[];
  scaleEvents: ScaleEvent[];
  /** Epoch milliseconds. */
  lastSync: number;
}

/** The rules of one direction, nothing left out. */
interface Rules {
  windowMilliseconds: number;
  selectPolicy: NonNullable<ScalingRules["selectPolicy"]>;
  policies: NonNullable<ScalingRules["policies"]>;
}

/** How far the replicas may go now: `most` is never below the current count, `least` never above it. */
export interface Limits {
  most: number;
  least: number;
}

/** The most replicas that Kubernetes can count: an int32. */
export const mostReplicas = 2 ** 31 - 1;

/** HPA's --horizontal-pod-autoscaler-downscale-stabilization, in ms. */
const stabilizationMilliseconds = 300_000;

/** HPA's --horizontal-pod-autoscaler-tolerance. */
const defaultTolerance = 0.1;

/** HPA's sync period, for which its limit on the speed of growth is meant, in ms. */
const limitPeriodMilliseconds = 15_000;

/**
 * Syncs lie a period apart, give or take what a timer and a read are late. What is a whole number of periods old is over
 * all the same, or a policy would often take a period longer. An HPA counts its period from the end of the last sync.
 */
const jitterMilliseconds = 500;

/** A time that has passed for a sync that is a little early: half a second less, of short ones a tenth. */
const nearly = (milliseconds: number): number => milliseconds - Math.min(jitterMilliseconds, milliseconds / 10);

/** The recommendations or scale events that still count at `now`: those of the last `milliseconds`. */
export const recent = <T extends { at: number }>(past: T[], now: number, milliseconds: number): T[] =>
  past.filter(({ at }) => at > now - nearly(milliseconds) && at <= now);

/** How far a ratio may be from 1 in each direction before anything is scaled, with HPA's default of 0.1. */
export const toleranceOf = (behavior: Behavior | undefined): { up: number; down: number } => ({
  up: parseQuantity(behavior?.scaleUp?.tolerance ?? defaultTolerance) ?? defaultTolerance,
  down: parseQuantity(behavior?.scaleDown?.tolerance ?? defaultTolerance) ?? defaultTolerance,
});

/** The rules of both directions, HPA's defaults filled in (pkg/apis/autoscaling/v2/defaults.go). */
export function rulesOf({ scaleUp, scaleDown }: Behavior): { up: Rules; down: Rules } {
  return {
    up: filled(scaleUp, 0, [
      { type: "Pods", value: 4, periodSeconds: 15 },
      { type: "Percent", value: 100, periodSeconds: 15 },
    ]),
    down: filled(scaleDown, stabilizationMilliseconds, [{ type: "Percent", value: 100, periodSeconds: 15 }]),
  };
}

/** For how long recommendations and scale events have to be kept, in ms: the longest window or period of them all. */
export function remembered(behavior: Behavior | undefined): number {
  if (!behavior) return stabilizationMilliseconds;
  const spans = Object.values(rulesOf(behavior)).flatMap(({ windowMilliseconds, policies }) => [
    windowMilliseconds,
    ...policies.map(({ periodSeconds }) => periodSeconds * 1000),
  ]);
  return Math.max(...spans);
}

/**
 * The current count, brought within what was recommended: at least the lowest of the scale-up window, at most the
 * highest of the scale-down window, `replicas` itself included in both. Without `behavior` the highest of the last
 * 300 s: load has to stay low before replicas go. HPA's stabilizeRecommendation and
 * stabilizeRecommendationWithBehaviors (podautoscaler/horizontal.go).
 */
export function stabilize(replicas: number, { current, behavior, recommendations, now }: Past): number {
  const within = (milliseconds: number): number[] => [
    replicas,
    ...recent(recommendations, now, milliseconds).map(recommendation => recommendation.replicas),
  ];
  if (!behavior) return Math.max(...within(stabilizationMilliseconds));
  const { up, down } = rulesOf(behavior);
  const lowest = Math.min(...within(up.windowMilliseconds));
  const highest = Math.max(...within(down.windowMilliseconds));
  return Math.min(Math.max(current, lowest), highest);
}

/**
 * How fast the replicas may change, by the policies of `behavior`; without it only growth is limited. HPA's
 * convertDesiredReplicasWithRules and convertDesiredReplicasWithBehaviorRate (podautoscaler/horizontal.go).
 */
export function limitsOf({ current, behavior, scaleEvents, lastSync, now }: Past): Limits {
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
 * The most replicas allowed now: HPA's max(2 × current, 4) (podautoscaler/horizontal.go, calculateScaleUpLimit) for
 * every 15 s since the last sync at `lastSync`. A sync sooner than that counts from what there was 15 s ago, so that
 * a short sync period does not grow faster than HPA would.
 */
export function scaleUpLimit(current: number, scaleEvents: ScaleEvent[], lastSync: number, now: number): number {
  const periods = Math.max(1, Math.floor((now - lastSync + jitterMilliseconds) / limitPeriodMilliseconds));
  let limit = Math.max(0, Math.min(current, startOf(current, scaleEvents, limitPeriodMilliseconds, now)));
  // 31 doublings reach every int32.
  for (let period = 0; period < Math.min(periods, 31); period++) limit = Math.max(2 * limit, 4);
  return limit;
}

type Policy = Rules["policies"][number];

/** The replicas that there were at the start of a period that ends now, but for what others changed. */
const startOf = (current: number, scaleEvents: ScaleEvent[], milliseconds: number, now: number): number =>
  recent(scaleEvents, now, milliseconds).reduce((start, { change }) => start - change, current);

const filled = (rules: ScalingRules | undefined, windowMilliseconds: number, policies: Policy[]): Rules => ({
  windowMilliseconds:
    rules?.stabilizationWindowSeconds === undefined ? windowMilliseconds : rules.stabilizationWindowSeconds * 1000,
  selectPolicy: rules?.selectPolicy ?? "Max",
  policies: rules?.policies ?? policies,
});
