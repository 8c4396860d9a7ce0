import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Past, stabilize } from "../../../../capabilities/mlscaler/scaling/rule/behavior";
import { Behavior } from "../../../../capabilities/mlscaler/scaling/rule/behavior-schema";
import { decide, Situation } from "../../../../capabilities/mlscaler/scaling/decide";
import { lookBack, noPast, noted, recommended, undominated } from "../../../../capabilities/mlscaler/scaling/past";

const begin = 1_767_225_600_000;
const bounds = { min: 1, max: 100 };
const windows = (upSeconds: number, downSeconds: number): Behavior => ({
  scaleUp: { stabilizationWindowSeconds: upSeconds },
  scaleDown: { stabilizationWindowSeconds: downSeconds },
});
const behaviors = fc.constantFrom(undefined, {}, windows(0, 0), windows(60, 60), windows(600, 120), windows(0, 900));

/** Syncs in the order of time. */
const syncs = fc.array(
  fc.record({
    after: fc.integer({ min: 0, max: 200_000 }),
    proposed: fc.option(fc.integer({ min: 0, max: 30 }), { nil: undefined }),
  }),
);

const situation = (
  now: number,
  current: number,
  proposed?: number,
  behavior?: Behavior,
): Omit<Situation, keyof Past> => ({
  ...{ now, current, bounds, behavior, pause: "None", lastSync: now - 15_000 },
  proposal: proposed === undefined ? undefined : { reactive: proposed, recommended: proposed },
});

describe("lookBack", () => {
  it("drops entries older than the longest window, and entries of the future", () => {
    const past: Past = {
      recommendations: [300_000, 299_000, 0, -1].map((ago, index) => ({ at: begin - ago, replicas: index })),
      scaleEvents: [300_000, 1000, -1].map((ago, index) => ({ at: begin - ago, change: index })),
    };
    const { recommendations, scaleEvents } = lookBack(past, undefined, begin);
    expect(recommendations.map(({ replicas }) => replicas)).toEqual([1, 2]);
    expect(scaleEvents.map(({ change }) => change)).toEqual([1]);
    expect(lookBack(past, windows(0, 900), begin).recommendations).toHaveLength(3);
  });
});

describe("noted", () => {
  const decision = decide({ ...situation(begin, 4, 8), ...noPast });

  it("adds the recommendation, and the scale event of a change of the target", () => {
    expect(noted(noPast, { decision }, 4, true, begin)).toEqual({
      recommendations: [{ at: begin, replicas: 8 }],
      scaleEvents: [{ at: begin, change: 4 }],
    });
    expect(noted(noPast, { decision }, 4, false, begin)).toEqual(recommended(noPast, begin, 8));
  });
});

describe("undominated", () => {
  it("keeps the newest recommendation, and each one above or below all later ones", () => {
    const counts = [3, 9, 1, 5, 4, 5, 7, 2, 6, 4, 4];
    const kept = undominated(counts.map((replicas, at) => ({ at, replicas })));
    expect(kept.map(({ at, replicas }) => [at, replicas])).toEqual([
      [1, 9],
      [2, 1],
      [6, 7],
      [7, 2],
      [8, 6],
      [10, 4],
    ]);
  });

  it("changes no stabilized count, now or later, as long as time does not go back", () => {
    const count = fc.integer({ min: 0, max: 30 });
    fc.assert(
      fc.property(syncs, behaviors, count, count, fc.nat(600_000), (given, behavior, current, replicas, later) => {
        let [all, kept, now] = [noPast, noPast, begin];
        for (const { after, proposed = 0 } of given) {
          now += after;
          all = recommended(all, now, proposed);
          const added = recommended(kept, now, proposed);
          kept = { ...added, recommendations: undominated(added.recommendations) };
        }
        expect(kept.recommendations).toEqual(undominated(all.recommendations));
        const state = { now: now + later, current, behavior, lastSync: now };
        expect(stabilize(replicas, { ...state, ...kept })).toBe(stabilize(replicas, { ...state, ...all }));
      }),
    );
  });
});
