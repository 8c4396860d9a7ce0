import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { stabilize } from "../../../../capabilities/mlscaler/scaling/rule/behavior";
import { Behavior } from "../../../../capabilities/mlscaler/scaling/rule/behavior-schema";
import { noPast, recommended, undominated } from "../../../../capabilities/mlscaler/scaling/past";

const begin = 1_767_225_600_000;
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

describe("undominated", () => {
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
