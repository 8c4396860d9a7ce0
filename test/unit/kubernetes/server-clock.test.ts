import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { ServerClock, skewText } from "../../../capabilities/kubernetes/server-clock";
import { pass, start, useFakeTime } from "../time";

const hour = 3_600_000;
const date = (at: number): { date: string } => ({ date: new Date(at).toUTCString() });

describe("the clock of a server", () => {
  useFakeTime();

  it("is ours until an answer has a date, and after one without or from a cache", () => {
    const clock = new ServerClock("it");
    clock.observe({}, performance.now());
    clock.observe({ date: "soon" }, performance.now());
    clock.observe({ ...date(Date.now() + hour), age: "3600" }, performance.now());
    expect(clock.isKnown).toBe(false);
    expect(clock.now()).toBe(Date.now());
    expect(clock.skewFrom()).toBeUndefined();
  });

  it("is never found skewed for the fraction of a second, nor for the time that an answer took", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 30_000 }), fc.integer({ min: 0, max: 999 }), (took, fraction) => {
        const clock = new ServerClock("it");
        const written = Date.now() - Math.floor(took / 2) + fraction - 500;
        clock.observe(date(written), performance.now() - took - 500);
        expect(Math.abs(clock.now() - Date.now())).toBeLessThan(1000);
      }),
    );
  });

  it.each([
    [hour, "the clock of it is 60 min ahead of ours"],
    [-hour, "the clock of it is 60 min behind ours"],
    [62_000, "the clock of it is 1 min ahead of ours"],
    [59_000, undefined],
    [-59_000, undefined],
  ])("that is off by %d ms is told from 60 s on", (off, text) => {
    const clock = new ServerClock("it");
    clock.observe(date(Date.now() + off), performance.now());
    const skew = clock.skewFrom();
    expect(skew && skewText(skew, "ours")).toBe(text);
  });

  it("goes on between answers, and shows a step of our clock without another answer", async () => {
    const clock = new ServerClock("it");
    clock.observe(date(Date.now()), performance.now());
    await pass(600);
    expect(clock.skewFrom()).toBeUndefined();
    expect(clock.now()).toBe(start.getTime() + 600_000);
    vi.setSystemTime(Date.now() + hour);
    expect(Math.abs(clock.now() - (start.getTime() + 600_000))).toBeLessThanOrEqual(1000);
    expect(clock.skewFrom()?.milliseconds).toBeLessThan(-hour + 2000);
  });

  it("corrects ours where that is more than 10 s off", () => {
    const clock = new ServerClock("it");
    const { time } = clock;
    expect(time).toBe(Date.now());
    clock.observe(date(time), performance.now());
    for (const [step, off] of [
      [9_000, 9_000],
      [-9_000, -9_000],
      [25_000, 0],
      [-28 * 24 * hour, 0],
    ] as const) {
      vi.setSystemTime(time + step);
      expect(Math.abs(clock.time - time - off)).toBeLessThanOrEqual(1000);
    }
  });

  it("is known better by each answer, and anew when it is set", async () => {
    const clock = new ServerClock("it");
    const begin = Date.now() + hour;
    clock.observe(date(begin), performance.now());
    await pass(10.9);
    clock.observe(date(begin + 10_900), performance.now());
    await pass(10.2);
    clock.observe(date(begin + 21_100), performance.now());
    expect(Math.abs(clock.time - begin - 21_100)).toBeLessThanOrEqual(100);
    clock.observe(date(begin - hour), performance.now());
    expect(Math.abs(clock.time - begin + hour)).toBeLessThanOrEqual(1000);
  });

  it("can be compared with that of another server", () => {
    const [one, other] = [new ServerClock("one"), new ServerClock("other")];
    one.observe(date(Date.now() - hour), performance.now());
    other.observe(date(Date.now() - hour), performance.now());
    expect(one.skewFrom()).toBeDefined();
    expect(other.skewFrom(one.now())).toBeUndefined();
  });
});
