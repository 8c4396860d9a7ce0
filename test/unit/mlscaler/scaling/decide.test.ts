import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decide, Decision, Hold, Situation } from "../../../../capabilities/mlscaler/scaling/decide";
import { Behavior } from "../../../../capabilities/mlscaler/scaling/rule/behavior-schema";
import { Demand, Demands, proposeFor } from "./rule/demands";
import * as limits from "./rule/hpa-cases/limits";
import { down } from "./rule/hpa-cases/notation";

const now = 1_767_225_600_000;

/** A situation of the short form: what its load asks for is in `demand`. */
interface Loaded extends Omit<Situation, "proposal"> {
  replicasPerUnit: number;
  demand?: Demands;
}

const at = (change: Partial<Loaded> = {}): Loaded => ({
  now,
  current: 5,
  bounds: { min: 1, max: 1000 },
  pause: "None",
  replicasPerUnit: 1,
  recommendations: [],
  scaleEvents: [],
  lastSync: now - 15_000,
  ...change,
});
/** What every pod agrees on. */
const demand = (load: number, forecast?: number): Demands => ({
  highest: { load, forecast },
  lowest: { load, forecast },
});
const decideOn = ({ demand, replicasPerUnit, ...situation }: Loaded): Decision =>
  decide({ ...situation, proposal: demand && proposeFor(demand, replicasPerUnit, situation.current) });
const decided = (change: Partial<Loaded>): Decision => decideOn(at(change));

const load = fc.double({ min: 0, max: 5000, noNaN: true });
const optionalLoad = fc.option(load, { nil: undefined });
/** Loads of which `lowest` is never above `highest`, as a source gives them. */
const anyDemand = fc
  .tuple(load, optionalLoad, fc.double({ min: 0, max: 1, noNaN: true }))
  .map(([value, ahead, share]) => {
    const part = (whole: Demand): Demand => ({
      load: whole.load * share,
      forecast: whole.forecast === undefined ? undefined : whole.forecast * share,
    });
    const highest = { load: value, forecast: ahead };
    return { highest, lowest: part(highest) };
  });
const bounds = fc.tuple(fc.integer({ min: 1, max: 50 }), fc.nat(950)).map(([min, more]) => ({ min, max: min + more }));
const recommendation = fc.record({
  at: fc.integer({ min: now - 600_000, max: now }),
  replicas: fc.integer({ min: 0, max: 2000 }),
});
const scalingRules = fc.record(
  {
    stabilizationWindowSeconds: fc.constantFrom(0, 60, 300),
    selectPolicy: fc.constantFrom("Max", "Min", "Disabled"),
    policies: fc.array(
      fc.record({
        type: fc.constantFrom("Pods", "Percent"),
        value: fc.integer({ min: 1, max: 200 }),
        periodSeconds: fc.constantFrom(1, 15, 60),
      }),
      { minLength: 1, maxLength: 2 },
    ),
  },
  { requiredKeys: [] },
);
const behavior: fc.Arbitrary<Behavior> = fc.record(
  { scaleUp: scalingRules, scaleDown: scalingRules },
  { requiredKeys: [] },
);
const situation: fc.Arbitrary<Loaded> = fc.record({
  now: fc.constant(now),
  current: fc.integer({ min: 0, max: 1200 }),
  bounds,
  pause: fc.constantFrom("None", "All", "Down", "Up"),
  replicasPerUnit: fc.constantFrom(0.1, 1, 10),
  demand: fc.option(anyDemand, { nil: undefined }),
  recommendations: fc.array(recommendation, { maxLength: 5 }),
  scaleEvents: fc.array(
    fc.record({ at: fc.integer({ min: now - 30_000, max: now }), change: fc.integer({ min: -20, max: 20 }) }),
    { maxLength: 3 },
  ),
  lastSync: fc.integer({ min: now - 120_000, max: now }),
  behavior: fc.option(behavior, { nil: undefined }),
});
const withDemand = situation.filter(one => one.demand !== undefined);
const within = ({ current, bounds: { min, max } }: Pick<Situation, "current" | "bounds">): boolean =>
  current >= min && current <= max;

describe("the order of decisions", () => {
  const old = (replicas: number): Partial<Loaded> => ({ recommendations: [{ at: now - 1000, replicas }] });

  // prettier-ignore
  it.each<[string, Partial<Loaded>, Partial<Decision>]>([
    ["C01: at 0 scaling is off", { current: 0, bounds: { min: 3, max: 5 } }, { final: 0, basis: "Disabled" }],
    ["C01: whatever the load", { current: 0, demand: demand(100) }, { final: 0, basis: "Disabled" }],
    ["C02: above max it is max", { current: 10, bounds: { min: 1, max: 5 } }, { final: 5, basis: "Bounds", scalingLimited: "TooManyReplicas" }],
    ["C03: below min it is min", { current: 2, bounds: { min: 3, max: 5 } }, { final: 3, basis: "Bounds", scalingLimited: "TooFewReplicas" }],
    ["down to the bounds at once", { current: 900, bounds: { min: 1, max: 5 }, ...old(900), demand: demand(900) }, { final: 5 }],
    ["up to the bounds at once", { current: 1, bounds: { min: 500, max: 900 }, demand: demand(1) }, { final: 500 }],
    ["without metrics nothing moves", old(9), { final: 5, basis: "NoMetrics" }],
    ["two steps of HPA's limit after 30 s", { current: 10, demand: demand(50), lastSync: now - 30_000 }, { final: 40 }],
  ])("%s", (_, change, expected) => {
    expect(decided(change)).toMatchObject(expected);
  });
});

describe("a hold", () => {
  const hold = fc.constantFrom<Hold>("Replaying", "ClockSkewed", "StateUnread");

  it("never lowers a count within the bounds, and changes nothing else", () => {
    fc.assert(
      fc.property(withDemand.filter(within), hold, (one, hold) => {
        const [free, held] = [decideOn(one), decideOn({ ...one, hold })];
        expect(held.final).toBeGreaterThanOrEqual(one.current);
        if ((free.recommended ?? 0) >= one.current) expect(held).toEqual(free);
        else expect(held.recommended).toBe(one.current);
      }),
    );
  });

  it("names itself as the reason, and bounds hold", () => {
    expect(decided({ demand: demand(1), hold: "Replaying" })).toMatchObject({ final: 5, basis: "Replaying" });
    expect(decided({ bounds: { min: 1, max: 3 }, hold: "ClockSkewed" })).toMatchObject({ final: 3, basis: "Bounds" });
  });
});

describe("HPA's limits", () => {
  it.each(limits.withoutBehavior)(
    "TestConvertDesiredReplicasWithRules %s",
    (_, current, wanted, [min, max], final, reason) => {
      const decision = decided({ current, bounds: { min, max }, demand: demand(wanted) });
      expect(decision).toMatchObject({ final, scalingLimited: reason });
    },
  );

  it("C06: the count of the first sight holds a scale-down back for 300 s", () => {
    const first = [{ at: now - 299_000, replicas: 5 }];
    expect(decided({ demand: demand(3), recommendations: first })).toMatchObject({
      recommended: 3,
      stabilized: 5,
      final: 5,
      ableToScale: "ScaleDownStabilized",
    });
    const later = [{ at: now - 301_000, replicas: 5 }];
    expect(decided({ demand: demand(3), recommendations: later })).toMatchObject({
      final: 3,
      ableToScale: "ReadyForNewScale",
    });
  });
});

describe("with behavior", () => {
  it.each(limits.withBehavior)(
    "TestScalingWithRules %s",
    (_, current, wanted, bounds, behavior, events, final, reason) => {
      const [min, max] = bounds;
      const scaleEvents = events.map(([change, seconds]) => ({ at: now - seconds * 1000, change }));
      const decision = decided({ current, bounds: { min, max }, behavior, scaleEvents, demand: demand(wanted) });
      expect(decision).toMatchObject({ final, scalingLimited: reason });
    },
  );

  it("a lower recommendation of the scale-up window holds growth back", () => {
    const behavior = { scaleUp: { stabilizationWindowSeconds: 60 } };
    const recommendations = [{ at: now - 59_000, replicas: 6 }];
    expect(decided({ behavior, recommendations, demand: demand(9) })).toMatchObject({
      ...{ recommended: 9, stabilized: 6, final: 6, basis: "Stabilized", ableToScale: "ScaleUpStabilized" },
    });
  });

  it("what limits is told apart from what the bounds do", () => {
    const behavior = down(1, 60, 0, 0, 0);
    expect(decided({ behavior, bounds: { min: 3, max: 9 }, demand: demand(1) })).toMatchObject({
      ...{ stabilized: 1, limited: 4, final: 4, scalingLimited: "ScaleDownLimit" },
    });
    expect(decided({ behavior, bounds: { min: 4, max: 9 }, demand: demand(1) })).toMatchObject({
      ...{ stabilized: 1, limited: 4, final: 4, scalingLimited: "TooFewReplicas" },
    });
  });
});

describe("from 0 replicas", () => {
  const bounds = { min: 0, max: 9 };
  const raised = { bounds: { min: 2, max: 9 }, idle: true };

  // prettier-ignore
  it.each<[string, Partial<Loaded>, Partial<Decision>]>([
    ["an idle target goes on by its metrics where 0 is within the bounds", { bounds, idle: true, demand: demand(3) }, { final: 3, basis: "Load" }],
    ["as fast as HPA does", { bounds, idle: true, demand: demand(9) }, { final: 4, scalingLimited: "ScaleUpLimit" }],
    ["and not without them", { bounds, idle: true }, { final: 0, basis: "NoMetrics" }],
    ["a target that is not idle is off, also with 0 within the bounds", { bounds, demand: demand(3) }, { final: 0, basis: "Disabled" }],
    ["an idle target comes back to a raised lower bound", { ...raised, demand: demand(1) }, { final: 2, scalingLimited: "TooFewReplicas" }],
    ["or above it", { ...raised, demand: demand(3) }, { final: 3, basis: "Load" }],
    ["with failed metrics too", raised, { final: 2, basis: "Bounds", scalingLimited: "TooFewReplicas" }],
    ["but not while that is paused", { ...raised, pause: "Up" }, { final: 0, paused: true }],
  ])("%s", (_, change, expected) => {
    expect(decided({ current: 0, ...change })).toMatchObject(expected);
  });
});

describe("between 0 replicas and 1, by scale_to_zero", () => {
  type State = NonNullable<Situation["activity"]>["state"];

  const behavior: Behavior = { scaleDown: { selectPolicy: "Disabled" } };
  const bounds = { min: 2, max: 9 };
  const few = { final: 1, scalingLimited: "TooFewReplicas" } as const;

  // prettier-ignore
  it.each<[string, State, number, number, Partial<Loaded>, Partial<Decision>]>([
    ["wakes", "Active", 1, 0, {}, { final: 1, basis: "Active" }],
    ["wakes to its replicas", "Active", 3, 0, {}, { final: 3, basis: "Active" }],
    ["wakes to its upper bound at most", "Active", 20, 0, {}, { final: 9, basis: "Active" }],
    ["wakes for what is expected", "Expected", 2, 0, {}, { final: 2, basis: "Expected" }],
    ["stays without work", "Idle", 2, 0, {}, { final: 0, basis: "Idle" }],
    ["stays in the cool-down", "CoolingDown", 2, 0, {}, { final: 0, basis: "NoMetrics" }],
    ["stays where work is unknown", "Unknown", 2, 0, {}, { final: 0, basis: "NoMetrics" }],
    ["wakes to what its metrics ask for if that is more", "Active", 2, 0, { demand: demand(3) }, { final: 3, basis: "Load" }],
    ["does not wake by metrics alone", "Idle", 1, 0, { demand: demand(3) }, { final: 0, basis: "Idle" }],
    ["keeps the last replica, whatever metrics say", "Active", 1, 5, { demand: demand(0) }, few],
    ["and where work is expected", "Expected", 1, 5, { demand: demand(0) }, few],
    ["and unknown", "Unknown", 1, 5, { demand: demand(0) }, few],
    ["and in the cool-down", "CoolingDown", 1, 5, { demand: demand(0) }, few],
    ["goes to 0 from any count", "Idle", 1, 7, { demand: demand(7) }, { final: 0, basis: "Idle" }],
    ["keeps what was woken ahead until the load comes", "Expected", 3, 3, { demand: demand(0) }, { final: 3 }],
    ["raises what was woken ahead", "Expected", 3, 1, { demand: demand(0) }, { final: 3 }],
    ["within the bounds", "Expected", 20, 3, { demand: demand(0) }, { final: 9 }],
    ["lets it go once the load is there", "Active", 3, 3, { demand: demand(0) }, { final: 1 }],
    ["is held while a forecast is replayed", "Idle", 1, 5, { hold: "Replaying", demand: demand(0) }, { final: 5 }],
    ["is held while clocks differ", "Idle", 1, 5, { hold: "ClockSkewed", demand: demand(0) }, { final: 5 }],
    ["is held while the state is not read", "Idle", 1, 5, { hold: "StateUnread", demand: demand(0) }, { final: 5 }],
    ["is held by a pause of a fall", "Idle", 1, 5, { pause: "Down" }, { final: 5, paused: true }],
    ["is held by a pause of all", "Idle", 1, 5, { pause: "All" }, { final: 5, paused: true }],
    ["is held by its behavior", "Idle", 1, 5, { behavior, demand: demand(0) }, { final: 5 }],
    ["does not wake while a rise is paused", "Active", 1, 0, { pause: "Up" }, { final: 0 }],
    ["does not wake while all is paused", "Active", 1, 0, { pause: "All" }, { final: 0 }],
    ["wakes while a fall is paused", "Active", 1, 0, { pause: "Down" }, { final: 1 }],
    ["wakes to a floor where work is unknown", "Unknown", 1, 0, { fallback: { floor: 3 } }, { final: 3, basis: "Floor" }],
    ["wakes to a lower bound above 0", "Idle", 1, 0, { bounds }, { final: 2, basis: "Bounds" }],
    ["goes to no less than that", "Idle", 1, 2, { bounds, demand: demand(0) }, { final: 2 }],
  ])("%s: %s, to %d from %d", (_, state, replicas, current, change, expected) => {
    const zero = { bounds: { min: 0, max: 9 }, idle: true, activity: { state, replicas } };
    expect(decided({ ...zero, current, ...change })).toMatchObject(expected);
  });

  it("goes to 0 in the state Idle only", () => {
    fc.assert(
      fc.property(
        situation,
        fc.constantFrom<State>("Active", "Expected", "Unknown", "CoolingDown"),
        fc.integer({ min: 1, max: 20 }),
        (one, state, replicas) => {
          const activity = { state, replicas };
          const current = Math.max(1, one.current);
          expect(decideOn({ ...one, current, bounds: { min: 0, max: 50 }, activity }).final).toBeGreaterThan(0);
        },
      ),
    );
  });
});

it("the basis says what decided", () => {
  expect(decided({ demand: demand(6, 8) })).toMatchObject({ final: 8, basis: "Forecast" });
  expect(decided({ demand: demand(8, 6) })).toMatchObject({ final: 8, basis: "Load" });
  expect(decided({ demand: demand(8, 8) }).basis).toBe("Load");
  const missing = { highest: { load: 8 }, lowest: { load: 6 } };
  expect(decided({ current: 7, demand: missing })).toMatchObject({ final: 7, basis: "Unsampled" });
  expect(decided({ current: 8, demand: missing })).toMatchObject({ final: 8, basis: "Load" });
});

describe("pause", () => {
  it.each([
    ["None", 8, 3],
    ["All", 5, 5],
    ["Up", 5, 3],
    ["Down", 8, 5],
  ] as const)("%s: from 5, a load of 8 gives %d and one of 3 gives %d", (pause, up, down) => {
    const higher = decided({ pause, demand: demand(8) });
    const lower = decided({ pause, demand: demand(3) });
    expect([higher.final, lower.final]).toEqual([up, down]);
    expect([higher.paused, lower.paused]).toEqual([up === 5, down === 5]);
    expect([higher.recommended, lower.recommended]).toEqual([8, 3]);
  });

  it("never moves in the direction that it holds", () => {
    fc.assert(
      fc.property(situation, one => {
        const { final } = decideOn(one);
        if (one.pause === "All") expect(final).toBe(one.current);
        if (one.pause === "Up") expect(final).toBeLessThanOrEqual(one.current);
        if (one.pause === "Down") expect(final).toBeGreaterThanOrEqual(one.current);
      }),
    );
  });
});

describe("always", () => {
  it("more load, now or forecast, never gives fewer replicas", () => {
    const more = fc.record({ load: fc.nat(1000), forecast: fc.nat(1000) });
    fc.assert(
      fc.property(withDemand, more, (one, add) => {
        const raise = (side: Demand): Demand => ({
          load: side.load + add.load,
          forecast: side.forecast === undefined ? undefined : side.forecast + add.forecast,
        });
        const { highest = { load: 0 }, lowest = { load: 0 } } = one.demand ?? {};
        const raised = { ...one, demand: { highest: raise(highest), lowest: raise(lowest) } };
        expect(decideOn(raised).final).toBeGreaterThanOrEqual(decideOn(one).final);
      }),
    );
  });

  it("no data never moves what is within the bounds", () => {
    fc.assert(
      fc.property(situation, one => {
        fc.pre(within(one));
        expect(decideOn({ ...one, demand: undefined }).final).toBe(one.current);
      }),
    );
  });

  it("nothing goes further than what is asked for, or the other way", () => {
    fc.assert(
      fc.property(withDemand, one => {
        fc.pre(within(one) && one.behavior !== undefined);
        const { final, recommended = NaN } = decideOn(one);
        expect(final).toBeGreaterThanOrEqual(Math.min(one.current, Math.max(recommended, one.bounds.min)));
        expect(final).toBeLessThanOrEqual(Math.max(one.current, recommended));
      }),
    );
  });

  it("a recommendation that is held is so by its own direction, and limited by it", () => {
    fc.assert(
      fc.property(withDemand, one => {
        fc.pre(within(one) && one.behavior !== undefined);
        const { ableToScale, scalingLimited, recommended = NaN, stabilized = NaN } = decideOn(one);
        if (ableToScale === "ScaleUpStabilized") expect(stabilized).toBeLessThan(recommended);
        else if (ableToScale === "ScaleDownStabilized") expect(stabilized).toBeGreaterThan(recommended);
        else expect(stabilized).toBe(recommended);
        if (stabilized > one.current) expect(scalingLimited).not.toMatch(/ScaleDownLimit|TooFewReplicas/);
        if (stabilized < one.current) expect(scalingLimited).not.toMatch(/ScaleUpLimit|TooManyReplicas/);
      }),
    );
  });
});
