import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Fleet } from "../../../../../capabilities/mlscaler/scaling/ahead/fleet";

/** A step of a fleet: time passes, then it scales. */
const step = fc.record({
  after: fc.integer({ min: 0, max: 20 }),
  replicas: fc.integer({ min: 0, max: 30 }),
  startUp: fc.integer({ min: 0, max: 50 }),
});

describe("a fleet", () => {
  it("equals a list of replicas that stop in reverse order of their start", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10 }), fc.array(step), (first, steps) => {
        const fleet = new Fleet(first);
        let readyTimes = Array<number>(first).fill(-Infinity);
        let now = 0;
        for (const { after, replicas, startUp } of steps) {
          now += after;
          const ready = readyTimes.filter(at => at <= now).length;
          expect(fleet.readyAt(now)).toBe(ready);
          fleet.scaleTo(replicas, now + startUp);
          const order = [...readyTimes.filter(at => at <= now), ...readyTimes.filter(at => at > now)];
          const added = Array<number>(Math.max(0, replicas - order.length)).fill(now + startUp);
          readyTimes = [...order.slice(0, replicas), ...added];
          expect(fleet.replicas).toBe(replicas);
          expect(fleet.readyAt(now)).toBe(readyTimes.filter(at => at <= now).length);
        }
        expect(fleet.readyAt(Infinity)).toBe(fleet.replicas);
      }),
    );
  });
});
