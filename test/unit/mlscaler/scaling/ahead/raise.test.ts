import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mostReplicas } from "../../../../../capabilities/mlscaler/scaling/rule/behavior";
import { Proposed } from "../../../../../capabilities/mlscaler/scaling/decide";
import { replicasFor } from "../../../../../capabilities/mlscaler/scaling/rule/per-unit";
import { LoadOutlook, withForecasts } from "../../../../../capabilities/mlscaler/scaling/ahead/raise";

/** What a load and a forecast of it ask for where a replica is to carry 1. */
const forecast = (load: number | undefined, upper?: number): LoadOutlook => ({ load, upper, capacity: 1 });
const asks = (reactive: number, recommended = reactive, held?: Proposed["held"]): Proposed => ({
  ...{ reactive, recommended, held },
});
const count = fc.integer({ min: 0, max: 1000 });
const anyNumber = fc.oneof(fc.double(), fc.constantFrom(0, -1, NaN, Infinity, -Infinity, 1e308, 1e-308, 5e-324));
const anyAhead = fc.record({ load: anyNumber, upper: fc.option(anyNumber, { nil: undefined }), capacity: anyNumber });

describe("withForecasts", () => {
  it.each<[string, number, LoadOutlook[], number | undefined, number]>([
    ["raises to what the forecast asks for", 4, [forecast(4, 6)], 100, 6],
    ["counts a part of a replica as one", 4, [forecast(4, 5.1)], 100, 6],
    ["takes a hair above a replica for that replica", 4, [{ load: 0.4, upper: 0.6, capacity: 0.1 }], 100, 6],
    ["raises by no more than it may", 4, [forecast(4, 60)], 100, 8],
    ["raises as far as the forecast asks where nothing limits it", 4, [forecast(4, 60)], undefined, 60],
    ["raises by no part of a replica more", 3, [forecast(3, 60)], 50, 4],
    ["raises nothing where it may not", 4, [forecast(4, 60)], 0, 4],
    ["raises from the least count when there is hardly any load", 1, [forecast(0, 60)], 100, 4],
    ["lowers nothing", 4, [forecast(4, 1)], 100, 4],
    ["goes by the one of many that asks for the most", 4, [forecast(4, 5), forecast(2, 7), forecast(4, 6)], 100, 7],
    ["leaves out what is not trusted", 4, [forecast(4), forecast(4, 5)], 100, 5],
    ["counts the load of what is not trusted", 8, [forecast(8), forecast(2, 12)], 100, 12],
  ])("%s", (_, reactive, ahead, extra, expected) => {
    expect(withForecasts(asks(reactive), ahead, 0, 2, extra).recommended).toBe(expected);
  });

  it.each<[string, number, LoadOutlook[], number, number]>([
    ["keeps what it asks for of what there is", 4, [forecast(undefined, 6)], 9, 6],
    ["keeps no more than there is", 4, [forecast(undefined, 60)], 9, 9],
    ["raises nothing", 4, [forecast(undefined, 60)], 4, 4],
    ["of another is kept beside one that is known", 4, [forecast(4, 5), forecast(NaN, 8)], 9, 8],
  ])("of a load that is unknown now %s", (_, reactive, ahead, current, expected) => {
    expect(withForecasts(asks(reactive), ahead, current, 1, 50).recommended).toBe(expected);
  });

  it("of no load that is known has no limit to remember", () => {
    expect(withForecasts(asks(4), [forecast(undefined, 60)], 9, 1, 50)).toMatchObject({ most: undefined });
  });

  it("does not follow itself: replicas that it added and that carry nothing yet are no reason for more", () => {
    let replicas = 4;
    // As by HPA's rule, which stays at the target's count while the pods that are Ready are within the tolerance.
    for (let sync = 0; sync < 10; sync++)
      replicas = withForecasts(asks(replicas), [forecast(4, 1000)], replicas, 1, 100).recommended;
    expect(replicas).toBe(8);
  });

  it("is what the count rests on where it raises one that was held", () => {
    const start = asks(9, 4, "Rollout");
    expect(withForecasts(start, [forecast(4, 6)], 4, 1, 100)).toEqual({
      ...{ reactive: 4, predictive: 6, ahead: 6, most: 8, recommended: 6, held: undefined },
    });
    expect(withForecasts(start, [forecast(4, 3)], 4, 1, 100)).toEqual({ ...start, predictive: 3, ahead: 3, most: 8 });
  });

  it("never lowers, never raises by more than it may above what HPA's rule or the load asks for, whatever it is given", () => {
    const given = [fc.array(anyAhead, { maxLength: 4 }), count, count, count, count, fc.nat(1000)] as const;
    fc.assert(
      fc.property(...given, (ahead, reactive, held, current, least, extra) => {
        const before = asks(reactive, Math.min(reactive, held), "Rollout");
        const { recommended, predictive } = withForecasts(before, ahead, current, least, extra);
        expect(recommended).toBeGreaterThanOrEqual(before.recommended);
        const most = (Math.max(reactive, least) * (100 + extra)) / 100;
        expect(recommended).toBeLessThanOrEqual(Math.max(before.recommended, most, current));
        expect(recommended).toBeLessThanOrEqual(Math.max(before.recommended, predictive ?? 0));
        for (const one of [recommended, predictive ?? 0]) {
          expect(Number.isSafeInteger(one)).toBe(true);
          expect(one).toBeLessThanOrEqual(mostReplicas);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it("gives within the bound what the upper load needs, to the replica", () => {
    const load = fc.double({ min: 0, max: 100, noNaN: true });
    fc.assert(
      fc.property(load, fc.double({ min: 0.01, max: 10, noNaN: true }), (upper, capacity) => {
        const { recommended } = withForecasts(asks(0), [{ load: 0, upper, capacity }], 4, 1_000_000, 0);
        expect(recommended).toBe(replicasFor(upper / capacity, 1));
        expect(recommended * capacity).toBeGreaterThanOrEqual(upper - 1e-6);
      }),
    );
  });
});
