import fc from "fast-check";
import { Behavior } from "../../capabilities/mlscaler/scaling/schema";
import { Fault } from "./metrics-adapter";

/** What two Deployments have in common at a moment. */
export interface Conditions {
  /** What the metrics say, in milli-units: a total each, or the values of the first, second, third … pod, over and over. */
  load: number[];
  bounds: { min: number; max: number };
  /** Absent for an HPA without one. */
  behavior?: Behavior;
  /** What is wrong with the first of the metrics that an adapter serves. */
  fault: Fault | "none";
  /** How many pods are not Ready. */
  unready: number;
  /** How many pods the metric says nothing of. */
  missing: number;
  /** Of the Deployments' template. */
  revision: number;
}

/** A step of a walk: what changes. The load and its source, or one other thing, so that each scaler sees it as a whole. */
export type Move = Partial<Conditions>;

type Moves = fc.Arbitrary<Move>;

/** Where a walk begins, and its moves. */
interface Way {
  begin: Conditions;
  moves: Moves;
}

/** With so few replicas a load of whole replicas has one count alone that is within 10 % of it. */
const most = 9;

const to = <Key extends keyof Conditions>(key: Key, values: fc.Arbitrary<Conditions[Key]>): Moves =>
  values.map(value => ({ [key]: value }));

/**
 * Not "slow", for which HPA waits a minute and we do not, nor "stale", at which HPA does not look; nor an API that is
 * gone, which all pairs share.
 */
const faults = fc.constantFrom<Fault[]>("403", "404", "500", "garbage", "empty");
const fault = to("fault", faults);

/** Most loads end a fault; with some one begins, or the next. */
const loads = (...values: fc.Arbitrary<number>[]): Moves =>
  fc.record({
    load: fc.tuple(...values),
    fault: fc.oneof({ weight: 5, arbitrary: fc.constant("none" as const) }, faults),
  });

const upTo = (longest: number): fc.Arbitrary<number> => fc.integer({ min: 0, max: longest });

const wholeReplicas = upTo(most - 1).map(replicas => replicas * 10_000);

/** Loads against a target of 10 for each pod. */
export const anyLoad = loads(upTo(most * 11_000));
export const wholeLoad = loads(wholeReplicas);
export const twoLoads = loads(wholeReplicas, wholeReplicas);
export const podLoads = loads(upTo(30_000), upTo(20_000), upTo(20_000));

/** A load of all pods, against a target of 20. */
export const sharedLoad = loads(
  fc.oneof(fc.integer({ min: 5_000, max: 40_000 }), fc.integer({ min: 16_000, max: 26_000 })),
);

export const unready = to("unready", upTo(4));
export const missing = to("missing", upTo(2));
export const rollout = to("revision", upTo(99));

const bounds = to(
  "bounds",
  fc.record({ min: fc.integer({ min: 1, max: 5 }), room: upTo(most) }).map(({ min, room }) => ({
    min,
    max: Math.min(most, min + room),
  })),
);

const periodSeconds = fc.integer({ min: 1, max: 10 });
const policy = fc.oneof(
  fc.record({ type: fc.constant("Pods" as const), value: fc.integer({ min: 1, max: 4 }), periodSeconds }),
  fc.record({ type: fc.constant("Percent" as const), value: fc.integer({ min: 10, max: 200 }), periodSeconds }),
);

const limits = fc.record(
  {
    stabilizationWindowSeconds: upTo(6),
    selectPolicy: fc.constantFrom<NonNullable<Behavior["scaleUp"]>["selectPolicy"][]>("Max", "Max", "Min", "Disabled"),
    policies: fc.array(policy, { minLength: 1, maxLength: 2 }),
    tolerance: fc.constantFrom<(string | number)[]>(0, "50m", "0.1"),
  },
  { requiredKeys: ["stabilizationWindowSeconds"] },
);

const atOnce = { policies: [{ type: "Pods" as const, value: 100, periodSeconds: 1 }] };
const tolerance = (longest: number): fc.Arbitrary<NonNullable<Behavior["scaleUp"]>> =>
  fc.record({
    // As long as it takes pods to come and go: half of them are not to be counted.
    stabilizationWindowSeconds: fc.integer({ min: 3, max: longest }),
    policies: fc.constant(atOnce.policies),
    tolerance: fc.constantFrom<(string | number)[]>(0, "0.05", "100m", "0.2", "0.3"),
  });

const inWindow = (stabilizationWindowSeconds: number): NonNullable<Behavior["scaleUp"]> => ({
  stabilizationWindowSeconds,
  ...atOnce,
});

const begin: Conditions = {
  load: [20_000, 10_000],
  bounds: { min: 1, max: most },
  behavior: { scaleUp: inWindow(3), scaleDown: inWindow(3) },
  fault: "none",
  unready: 0,
  missing: 0,
  revision: 0,
};

const often = (load: Moves, ...others: Moves[]): Moves =>
  fc.oneof({ weight: others.length + 1, arbitrary: load }, ...others);

/**
 * Nothing slows a change down but short windows: each is made in one step, and so the count within the tolerance at
 * which it ends does not depend on when one looks.
 */
export const tolerating = (load: Moves, ...others: Moves[]): Way => ({
  begin,
  moves: often(
    load,
    to("behavior", fc.record({ scaleUp: tolerance(4), scaleDown: tolerance(8) })),
    bounds,
    fault,
    ...others,
  ),
});

/** Policies slow changes down. The load has to be of whole replicas: where it ends must not depend on the steps there. */
export const limited = (load: Moves, ...others: Moves[]): Way => ({
  begin,
  moves: often(load, to("behavior", fc.record({ scaleUp: limits, scaleDown: limits })), bounds, fault, ...others),
});

/** Replicas stay for 300 s, so this one mostly grows. */
export const withoutBehavior = (load: Moves): Way => ({
  begin: { ...begin, behavior: undefined },
  moves: often(load, bounds, fault),
});

/**
 * CPU is at rest half a minute after a change: metrics-server looks every 10 s, and takes the mean in between. Loads are
 * a little below whole replicas, because each pod's is rounded up. What moves pods ends unreadiness and faults: there are two
 * counts at which a load on a Deployment with an unready pod may end, and a fault keeps whatever a passing sample asked for.
 */
export function slowly(milliEach: number): Way {
  const milliOf = (replicas: number): number => Math.round((replicas - 0.15) * milliEach);
  const alone = (moves: Moves): Moves => moves.map(move => ({ unready: 0, fault: "none", ...move }));
  const load = fc.record({ load: fc.tuple(fc.integer({ min: 1, max: 6 }).map(milliOf)) });
  return {
    begin: { ...begin, load: [milliOf(2)], behavior: { scaleUp: inWindow(0), scaleDown: inWindow(30) } },
    moves: often(alone(load), alone(to("unready", fc.constant(1))), alone(bounds), alone(rollout), fault),
  };
}
