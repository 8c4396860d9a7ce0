import fc from "fast-check";
import { Behavior } from "../../capabilities/mlscaler/scaling/rule/behavior-schema";
import { Fault } from "./metrics-adapter";

/** The common state of two Deployments at a moment. */
export interface Conditions {
  /**
   * The values of the metrics in milli-units: a total, or the values of the first, second, third … pod, which repeat.
   */
  load: number[];
  bounds: { min: number; max: number };
  /** Absent for an HPA without behavior. */
  behavior?: Behavior;
  /** The fault of the first metric that an adapter serves. */
  fault: Fault | "none";
  /** The number of pods that are not Ready. */
  unready: number;
  /** The number of pods without a value of the metric. */
  missing: number;
  /** The CPU request in the template of the Deployments. */
  revision: number;
}

/**
 * A step of a walk: the changes. It changes the load and its source, or one other thing, so that each scaler sees it
 * at once.
 */
export type Move = Partial<Conditions>;

type Moves = fc.Arbitrary<Move>;

/** The start of a walk, and its moves. */
interface Way {
  begin: Conditions;
  moves: Moves;
}

/** With few replicas, a load of whole replicas has exactly one count within 10 % of it. */
const most = 9;

const to = <Key extends keyof Conditions>(key: Key, values: fc.Arbitrary<Conditions[Key]>): Moves =>
  values.map(value => ({ [key]: value }));

/**
 * Excludes "slow", because HPA waits a minute and we do not, values too old, because HPA ignores their age, and a
 * missing API, because all pairs share it.
 */
const faults = fc.constantFrom<Fault[]>("403", "404", "500", "garbage", "empty");
const fault = to("fault", faults);

/** Most loads end a fault. Some start one, or change it. */
const loads = (...values: fc.Arbitrary<number>[]): Moves =>
  fc.record({
    load: fc.tuple(...values),
    fault: fc.oneof({ weight: 5, arbitrary: fc.constant("none" as const) }, faults),
  });

const upTo = (longest: number): fc.Arbitrary<number> => fc.integer({ min: 0, max: longest });

const wholeReplicas = upTo(most - 1).map(replicas => replicas * 10_000);

/** Loads against a target of 10 per pod. */
export const anyLoad = loads(upTo(most * 11_000));
export const wholeLoad = loads(wholeReplicas);
const twoLoads = loads(wholeReplicas, wholeReplicas);
export const podLoads = loads(upTo(30_000), upTo(20_000), upTo(20_000));

/** A load of all pods together, against a target of 20. */
export const sharedLoad = loads(
  fc.oneof(fc.integer({ min: 5_000, max: 40_000 }), fc.integer({ min: 16_000, max: 26_000 })),
);

export const unready = to("unready", upTo(4));
export const missing = to("missing", upTo(2));
export const rollout = to("revision", upTo(99));

const boundsFrom = (least: number): Moves =>
  to(
    "bounds",
    fc.record({ min: fc.integer({ min: least, max: 5 }), room: upTo(most) }).map(({ min, room }) => ({
      min,
      max: Math.max(1, Math.min(most, min + room)),
    })),
  );
const bounds = boundsFrom(1);

const periodSeconds = fc.integer({ min: 1, max: 10 });
const policy = fc.oneof(
  fc.record({ type: fc.constant("Pods" as const), value: fc.integer({ min: 1, max: 4 }), periodSeconds }),
  fc.record({ type: fc.constant("Percent" as const), value: fc.integer({ min: 10, max: 200 }), periodSeconds }),
);

type SelectPolicy = NonNullable<Behavior["scaleUp"]>["selectPolicy"];

const limitsWith = (...selectPolicies: SelectPolicy[]): fc.Arbitrary<NonNullable<Behavior["scaleUp"]>> =>
  fc.record(
    {
      stabilizationWindowSeconds: upTo(6),
      selectPolicy: fc.constantFrom(...selectPolicies),
      policies: fc.array(policy, { minLength: 1, maxLength: 2 }),
      tolerance: fc.constantFrom<(string | number)[]>(0, "50m", "0.1"),
    },
    { requiredKeys: ["stabilizationWindowSeconds"] },
  );
const limits = limitsWith("Max", "Max", "Min", "Disabled");

const atOnce = { policies: [{ type: "Pods" as const, value: 100, periodSeconds: 1 }] };
const tolerance = (longest: number): fc.Arbitrary<NonNullable<Behavior["scaleUp"]>> =>
  fc.record({
    // At least as long as pods take to start and end, because scalers do not count pods in between.
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
 * Only short windows slow a change down. Each change is one step, so the final count does not depend on the time of
 * the observation.
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

/** Policies slow changes down. Loads are whole replicas, so that the final count does not depend on the steps to it. */
export const limited = (load: Moves, ...others: Moves[]): Way => ({
  begin,
  moves: often(load, to("behavior", fc.record({ scaleUp: limits, scaleDown: limits })), bounds, fault, ...others),
});

/**
 * The same for two metrics. A sync may read one before a change and the other after it, and so see less than there ever
 * was. Without Disabled, the count comes back from that.
 */
export const limitedByTwo = (...others: Moves[]): Way => {
  const ofBehavior = to("behavior", fc.record({ scaleUp: limitsWith("Max", "Max", "Min"), scaleDown: limits }));
  return { begin, moves: often(twoLoads, ofBehavior, bounds, fault, ...others) };
};

/**
 * Tolerances and short windows down to 0 replicas. Every second load is 0, and every other bound allows it. The others
 * end a fault: at 0 replicas, and while its metrics fail, only an MLScaler goes to a bound above 0.
 */
export const toZero = (load: Moves): Way => {
  const none = load.map(move => ({ ...move, load: [0] }));
  const free = to("bounds", fc.constant({ min: 0, max: most }));
  const above = boundsFrom(0).map(move => ({ ...move, fault: "none" as const }));
  const ofBehavior = to("behavior", fc.record({ scaleUp: tolerance(4), scaleDown: tolerance(8) }));
  return {
    begin: { ...begin, bounds: { min: 0, max: most } },
    moves: often(fc.oneof(load, none), ofBehavior, free, above, fault),
  };
};

/** Replicas stay for 300 s, so most moves are upwards. */
export const withoutBehavior = (load: Moves): Way => ({
  begin: { ...begin, behavior: undefined },
  moves: often(load, bounds, fault),
});

/**
 * CPU settles half a minute after a change, because metrics-server scrapes every 10 s and averages in between. Loads
 * are
 * slightly below whole replicas, because the load of each pod is rounded up. Moves that change pods end unreadiness
 * and faults:
 * with an unready pod a load has two possible counts, and a fault keeps the count of the last sample before it.
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
