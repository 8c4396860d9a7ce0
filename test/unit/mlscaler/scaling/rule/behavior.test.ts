import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  limitsOf,
  longestWindow,
  Recommendation,
  ScaleEvent,
  scaleUpLimit,
  ScalingState,
  stabilize,
  toleranceOf,
} from "../../../../../capabilities/mlscaler/scaling/rule/behavior";
import { Behavior } from "../../../../../capabilities/mlscaler/scaling/rule/behavior-schema";
import * as cases from "./hpa-cases/limits";
import { down, up } from "./hpa-cases/notation";

const now = 1_767_225_600_000;
const ago = (seconds: number, replicas: number): Recommendation => ({ at: now - seconds * 1000, replicas });
const event = (seconds: number, change: number): ScaleEvent => ({ at: now - seconds * 1000, change });
const count = fc.integer({ min: 0, max: 1000 });
const past = (change: Partial<ScalingState>): ScalingState => ({
  ...{ now, current: 5, recommendations: [], scaleEvents: [], lastSync: now - 15_000 },
  ...change,
});
const stabilized = (replicas: number, recommendations: Recommendation[], change: Partial<ScalingState> = {}): number =>
  stabilize(replicas, past({ recommendations, ...change }));
const windows = (upSeconds: number, downSeconds: number): Behavior => ({
  scaleUp: { stabilizationWindowSeconds: upSeconds },
  scaleDown: { stabilizationWindowSeconds: downSeconds },
});

describe("toleranceOf", () => {
  it.each<[Behavior | undefined, number, number]>([
    [undefined, 0.1, 0.1],
    [{}, 0.1, 0.1],
    [{ scaleUp: { tolerance: "50m" } }, 0.05, 0.1],
    [{ scaleUp: { tolerance: 0 }, scaleDown: { tolerance: "0.9" } }, 0, 0.9],
  ])("of %j is %d up and %d down", (behavior, upward, downward) => {
    expect(toleranceOf(behavior)).toEqual({ up: upward, down: downward });
  });
});

describe("longestWindow", () => {
  it.each<[string, Behavior | undefined, number]>([
    ["300 s without behavior", undefined, 300_000],
    ["300 s by default", {}, 300_000],
    ["the longest window", windows(600, 60), 600_000],
    ["the longest period", { ...up(1, 1800, 0, 0, 0), scaleDown: { stabilizationWindowSeconds: 0 } }, 1_800_000],
    ["the default period where there are no windows", windows(0, 0), 15_000],
  ])("is %s", (_, behavior, milliseconds) => {
    expect(longestWindow(behavior)).toBe(milliseconds);
  });
});

describe("stabilize, with behavior", () => {
  it.each(cases.stabilizedWithBehavior)(
    "TestNormalizeDesiredReplicasWithBehavior %s",
    (_, recommendations, current, wanted, [upSeconds, downSeconds], replicas) => {
      const before = recommendations.map(([recommended, seconds]) => ago(seconds, recommended));
      expect(stabilized(wanted, before, { current, behavior: windows(upSeconds, downSeconds) })).toBe(replicas);
    },
  );
});

describe("limitsOf", () => {
  const most = (current: number, behavior: Behavior, scaleEvents: ScaleEvent[] = []): number =>
    limitsOf(past({ current, behavior, scaleEvents })).most;
  const least = (current: number, behavior: Behavior): number => limitsOf(past({ current, behavior })).least;

  it("TestCalculateScaleUpLimitWithScalingRules, TestCalculateScaleDownLimitWithBehaviors", () => {
    const [{ scaleUp }, { scaleDown }] = [up(2, 60, 50, 60, 300), down(2, 60, 50, 60, 300)];
    expect([most(1, { scaleUp: { ...scaleUp, selectPolicy: "Min" } }), most(1, { scaleUp })]).toEqual([2, 3]);
    expect([least(5, { scaleDown: { ...scaleDown, selectPolicy: "Min" } }), least(5, { scaleDown })]).toEqual([3, 2]);
  });

  it.each(cases.changes)("TestStoreScaleEvents %s", (_, events, change) => {
    const added = events.map(([by, seconds]) => event(seconds, by));
    const removed = events.map(([by, seconds]) => event(seconds, -by));
    expect(most(100, up(1000, 60, 0, 0, 0), added)).toBe(1100 - change);
    expect(limitsOf(past({ current: 100, behavior: down(50, 60, 0, 0, 0), scaleEvents: removed })).least).toBe(
      50 + change,
    );
  });

  it("percent are doubles, as in Go", () => {
    expect(most(100, up(0, 0, 10, 60, 0))).toBe(111);
    expect(most(50, up(0, 0, 10, 60, 0))).toBe(56);
    expect(most(3, up(0, 0, 1, 60, 0))).toBe(4);
    expect(least(100, down(0, 0, 90, 60, 0))).toBe(9);
    expect(least(10, down(0, 0, 90, 60, 0))).toBe(0);
  });

  it("are counts for policies of any size", () => {
    const largest = 2 ** 31 - 1;
    expect(most(largest, up(largest, 60, 0, 0, 0))).toBe(largest);
    expect(most(1000, up(0, 0, largest, 60, 0))).toBe(largest);
    expect(least(1000, down(0, 0, largest, 60, 0))).toBeLessThanOrEqual(0);
  });

  it("never lie on the wrong side of the current count", () => {
    const number = fc.integer({ min: 1, max: 300 });
    const select = fc.constantFrom("Max", "Min", "Disabled");
    const changes = fc.array(fc.tuple(fc.integer({ min: 0, max: 90 }), fc.integer({ min: -300, max: 300 })));
    fc.assert(
      fc.property(count, number, number, select, changes, (current, pods, percent, selectPolicy, changed) => {
        const behavior = {
          scaleUp: { ...up(pods, 60, percent, 30, 0).scaleUp, selectPolicy },
          scaleDown: { ...down(pods, 60, percent, 30, 0).scaleDown, selectPolicy },
        } as Behavior;
        const limits = limitsOf(past({ current, behavior, scaleEvents: changed.map(one => event(...one)) }));
        expect(limits.most).toBeGreaterThanOrEqual(current);
        expect(limits.least).toBeLessThanOrEqual(current);
        if (selectPolicy === "Disabled") expect(limits).toEqual({ most: current, least: current });
      }),
    );
  });
});

describe("the speed of growth at syncs that are a little early or late", () => {
  const early = fc.array(fc.integer({ min: -240, max: 240 }), { minLength: 13, maxLength: 13 });

  /** The counts of a target that grows at its limit, with a sync every 15 s. */
  function grown(behavior: Behavior | undefined, jitter: number[]): number[] {
    const scaleEvents: ScaleEvent[] = [];
    let [current, lastSync] = [4, now - 15_000];
    return jitter.map((milliseconds, index) => {
      const at = now + index * 15_000 + milliseconds;
      const { most } = limitsOf(past({ now: at, current, behavior, scaleEvents, lastSync }));
      scaleEvents.push({ at, change: most - current });
      [current, lastSync] = [most, at];
      return most;
    });
  }

  it.each<[string, Behavior | undefined, (index: number) => number]>([
    ["without behavior: double at each sync", undefined, index => 4 * 2 ** (index + 1)],
    ["with HPA's defaults: the same", {}, index => 4 * 2 ** (index + 1)],
    ["with 4 pods a minute: 4 at each fourth sync", up(4, 60, 0, 0, 0), index => 4 + 4 * (Math.floor(index / 4) + 1)],
  ])("is that of an HPA, %s", (_, behavior, wanted) => {
    fc.assert(
      fc.property(early, jitter => {
        expect(grown(behavior, jitter)).toEqual(jitter.map((_, index) => wanted(index)));
      }),
    );
  });
});

describe("scaleUpLimit", () => {
  it.each([
    [
      "HPA's max(2 × current, 4)",
      [
        [0, 4],
        [1, 4],
        [2, 4],
        [3, 6],
        [10, 20],
      ],
      0,
      [],
    ],
    ["applied once until 15 s passed", [[10, 20]], 29.4, []],
    ["applied once for every 15 s since the last sync", [[10, 40]], 29.6, []],
    ["applied four times after 60 s", [[10, 160]], 60, []],
    ["less the replicas added in the last 15 s", [[20, 20]], 5, [event(5, 10)]],
    ["not less those added before", [[20, 40]], 5, [event(16, 10)]],
  ] as const)("is %s", (_, counts, seconds, events) => {
    for (const [current, limit] of counts)
      expect(scaleUpLimit(current, [...events], now - seconds * 1000, now)).toBe(limit);
  });

  it("is a count for a last sync at any time, also in the future", () => {
    expect(scaleUpLimit(10, [], 0, now)).toBeGreaterThanOrEqual(2 ** 31 - 1);
    expect(Number.isFinite(scaleUpLimit(2 ** 31 - 1, [], 0, now))).toBe(true);
    expect(scaleUpLimit(10, [], now + 3600_000, now)).toBe(20);
  });

  it("grows no faster with a period of 5 s than HPA does with 15 s", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 5, max: 15 }), (begin, period) => {
        let current = begin;
        const events: ScaleEvent[] = [];
        const counts: { at: number; current: number }[] = [{ at: now, current }];
        for (let second = 0; second <= 60; second += period) {
          const at = now + second * 1000;
          const limit = scaleUpLimit(current, events, at - period * 1000, at);
          events.push({ at, change: limit - current });
          current = limit;
          counts.push({ at, current });
        }
        // In any 15 s at most one step of HPA, from the count at their start.
        for (const { at, current: reached } of counts) {
          const before = counts.filter(one => one.at <= at - 15_000).at(-1) ?? { current: begin };
          expect(reached).toBeLessThanOrEqual(Math.max(2 * before.current, 4));
        }
      }),
    );
  });
});
