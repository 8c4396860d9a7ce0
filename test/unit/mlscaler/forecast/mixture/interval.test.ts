import { describe, expect, it } from "vitest";
import { Interval } from "../../../../../capabilities/mlscaler/forecast/mixture/interval";

describe("Interval", () => {
  it("has the coverage of its quantile, and expects a batch at its time of day", () => {
    const day = 48;
    const interval = new Interval(1, day, 0.9);
    let state = 7;
    const chance = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
    let [covered, upper] = [0, NaN];
    const slots = 40 * day;
    const above = { batch: 0, quiet: 0 };
    for (let slot = 0; slot < slots; slot++) {
      const time = slot % day;
      // The forecast of 100 ignores the batch.
      const load = 100 + 10 * chance() + (time === 20 ? 200 : 0);
      if (slot >= slots / 2 && load <= upper) covered++;
      interval.add(slot, load, Float64Array.of(100), 5);
      upper = 100 + interval.above(1, 0.9, 5);
      if (time === 19) above.batch = upper - 100;
      if (time === 40) above.quiet = upper - 100;
    }
    expect(covered / (slots / 2)).toBeGreaterThan(0.85);
    expect(covered / (slots / 2)).toBeLessThan(0.97);
    expect(above.quiet).toBeLessThan(12);
    expect(above.batch).toBeGreaterThan(90);
  });

  it("is exactly at the forecast where most of the candidates are, though the day's quantile is not", () => {
    const day = 48;
    const interval = new Interval(1, day, 0.9);
    const above: number[] = [];
    for (let today = 0; today < 40; today++) {
      // Comes at the same time on three days, and never on the fourth, when it is expected.
      const burst = (11 * Math.floor(today / 3)) % day;
      for (let time = 0; time < day; time++) {
        interval.add(today * day + time, time === burst ? 100 : 0, Float64Array.of(0), 1);
        above.push(interval.above(1, 0.9, 1));
      }
    }
    expect(new Set(above.slice(10 * day))).toEqual(new Set([0]));
  });
});
