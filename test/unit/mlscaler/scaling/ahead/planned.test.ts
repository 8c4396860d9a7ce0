import { describe, expect, it } from "vitest";
import { Proposed, Work } from "../../../../../capabilities/mlscaler/scaling/decide";
import { Planned, plannedOf } from "../../../../../capabilities/mlscaler/scaling/ahead/planned";
import { Recommendation } from "../../../../../capabilities/mlscaler/scaling/rule/behavior";
import { Behavior } from "../../../../../capabilities/mlscaler/scaling/rule/behavior-schema";

const counted = { results: [], combined: { errors: [] } };
const state = { current: 5, recommendations: [], scaleEvents: [], lastSync: 0 };

/** What is planned with these fields of the proposal, at a time in seconds, after these plans. */
function planned(
  proposed: Partial<Proposed> | undefined,
  {
    now = 0,
    before = [],
    behavior,
    current = 5,
  }: { now?: number; before?: Recommendation[]; behavior?: Behavior; current?: number } = {},
  work?: Work,
): Planned | undefined {
  const of = proposed && { reactive: 5, recommended: 5, ...proposed };
  const at = { ...state, current, now: now * 1000, lastSync: now * 1000, planned: before, behavior };
  return plannedOf({ counted, failures: [], proposed: of }, work, at, 20);
}

describe("plannedOf", () => {
  it("is what the forecast may ask for, whatever the load asks for, at most the upper bound and twice the count", () => {
    expect(planned({ reactive: 9, recommended: 9, ahead: 3 })).toEqual({ asked: 3, replicas: 3 });
    expect(planned({ ahead: 0 })).toEqual({ asked: 0, replicas: 0 });
    expect(planned({ ahead: 12 })).toEqual({ asked: 12, replicas: 10 });
    const fast: Behavior = { scaleUp: { policies: [{ type: "Pods", value: 100, periodSeconds: 15 }] } };
    expect(planned({ ahead: 30 }, { behavior: fast })).toEqual({ asked: 30, replicas: 20 });
  });

  it("is absent without a trusted forecast, and without metrics", () => {
    expect(planned({ predictive: undefined })).toBeUndefined();
    expect(planned(undefined)).toBeUndefined();
  });

  it("falls to the highest of the stabilization window of scaleDown, 300 s by default", () => {
    const course = (behavior?: Behavior): (number | undefined)[] => {
      const before: Recommendation[] = [];
      return [
        [0, 9],
        [60, 7],
        [120, 4],
        [301, 4],
        [361, 4],
        [362, 8],
      ].map(([now = 0, ahead = 0]) => {
        const found = planned({ ahead }, { now, before, behavior });
        before.push({ at: now * 1000, replicas: ahead });
        return found?.replicas;
      });
    };
    expect(course()).toEqual([9, 9, 9, 7, 4, 8]);
    expect(course({ scaleDown: { stabilizationWindowSeconds: 0 } })).toEqual([9, 7, 4, 4, 4, 8]);
  });

  it("is what wakes a target whose load is expected", () => {
    const work = (state: Work["state"]): Work => ({ state, replicas: 2 });
    expect(planned(undefined, {}, work("Expected"))).toEqual({ asked: 2, replicas: 2 });
    expect(planned(undefined, {}, work("Active"))).toBeUndefined();
  });

  it("is absent without work, so that the first replica of any load above 0 does not keep the target from 0", () => {
    const asks = (state: Work["state"], current: number): boolean =>
      planned({ ahead: 1 }, { current }, { state, replicas: 1 }) !== undefined;
    const states = ["Active", "Expected", "CoolingDown", "Unknown", "Idle"] as const;
    expect(states.filter(one => asks(one, 5))).toEqual(["Active", "Expected", "CoolingDown", "Unknown"]);
    expect(states.filter(one => asks(one, 0))).toEqual(["Active", "Expected"]);
  });
});
