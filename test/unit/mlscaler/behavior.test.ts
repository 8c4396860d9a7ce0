import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  recent,
  Recommendation,
  ScaleEvent,
  scaleUpLimit,
  stabilize,
} from "../../../capabilities/mlscaler/scaling/behavior";

const now = 1_767_225_600_000;
const ago = (seconds: number, replicas: number): Recommendation => ({ at: now - seconds * 1000, replicas });
const event = (seconds: number, change: number): ScaleEvent => ({ at: now - seconds * 1000, change });
const count = fc.integer({ min: 0, max: 1000 });
const recommendation = fc.record({ seconds: fc.integer({ min: 0, max: 900 }), replicas: count });

describe("stabilize", () => {
  it("is the highest recommendation of the last 300 s, this one included", () => {
    expect(stabilize(3, [], now)).toBe(3);
    expect(stabilize(3, [ago(120, 4), ago(60, 5)], now)).toBe(5);
    expect(stabilize(7, [ago(120, 4), ago(60, 5)], now)).toBe(7);
    expect(stabilize(3, [ago(299, 9)], now)).toBe(9);
    expect(stabilize(3, [ago(301, 9)], now)).toBe(3);
  });

  it("does not look into the future: the clock stepped back", () => {
    expect(stabilize(3, [ago(-60, 9)], now)).toBe(3);
  });

  it("is the maximum of what is recent, never less than what is recommended now", () => {
    fc.assert(
      fc.property(count, fc.array(recommendation), (replicas, past) => {
        const recommendations = past.map(({ seconds, replicas: before }) => ago(seconds, before));
        const expected = Math.max(replicas, ...past.filter(({ seconds }) => seconds < 300).map(one => one.replicas));
        fc.pre(past.every(({ seconds }) => seconds !== 300));
        expect(stabilize(replicas, recommendations, now)).toBe(expected);
        expect(stabilize(replicas, recent(recommendations, now), now)).toBe(expected);
      }),
    );
  });
});

describe("scaleUpLimit", () => {
  it("is HPA's max(2 × current, 4)", () => {
    expect(scaleUpLimit(10, [], now - 15_000, now)).toBe(20);
    for (const [current, limit] of [
      [0, 4],
      [1, 4],
      [2, 4],
      [3, 6],
    ] as const) {
      expect(scaleUpLimit(current, [], now, now)).toBe(limit);
    }
  });

  it("is applied once for every 15 s since the last sync", () => {
    for (const [seconds, limit] of [
      [0, 20],
      [5, 20],
      [29.9, 20],
      [30, 40],
      [45, 80],
      [60, 160],
    ] as const) {
      expect(scaleUpLimit(10, [], now - seconds * 1000, now), `${seconds} s`).toBe(limit);
    }
  });

  it("stays a count however long the last sync is ago, or in the future", () => {
    expect(scaleUpLimit(10, [], 0, now)).toBeGreaterThanOrEqual(2 ** 31 - 1);
    expect(Number.isFinite(scaleUpLimit(2 ** 31 - 1, [], 0, now))).toBe(true);
    expect(scaleUpLimit(10, [], now + 3600_000, now)).toBe(20);
  });

  it("counts what was added within the last 15 s", () => {
    expect(scaleUpLimit(20, [event(5, 10)], now - 5000, now)).toBe(20);
    expect(scaleUpLimit(15, [event(5, 5)], now - 5000, now)).toBe(20);
    expect(scaleUpLimit(20, [event(16, 10)], now - 5000, now)).toBe(40);
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
        // Over any 15 s, at most HPA's one step: from the count at its begin.
        for (const { at, current: reached } of counts) {
          const before = counts.filter(one => one.at <= at - 15_000).at(-1) ?? { current: begin };
          expect(reached).toBeLessThanOrEqual(Math.max(2 * before.current, 4));
        }
      }),
    );
  });

  it("is never above HPA's within 15 s of a sync, whatever was added or removed before", () => {
    const change = fc.record({ seconds: fc.integer({ min: 0, max: 30 }), change: fc.integer({ min: -50, max: 50 }) });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), fc.array(change, { maxLength: 4 }), (current, changes) => {
        const events = changes.map(({ seconds, change: by }) => event(seconds, by));
        expect(scaleUpLimit(current, events, now - 5000, now)).toBeLessThanOrEqual(Math.max(2 * current, 4));
      }),
    );
  });
});
