import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Day, Gain, gainOf, Replays } from "../../../../cli/survey/verdict";

const week = (replicas: number, lost: number): Day[] =>
  Array.from({ length: 7 }, () => ({ replicas, load: 100, lost }));

/** An HPA whose replays at lower targets are the other days of its curve. */
const replays = (hpa: Day[][], mlscaler: Day[], steady: Day[][]): Replays => ({
  hpa: hpa[0] ?? [],
  mlscaler,
  rivals: [hpa, steady],
});

const verdictOf = (...given: Parameters<typeof replays>): Gain["verdict"] => gainOf(replays(...given)).verdict;

describe("the verdict on a workload", () => {
  it("is gains when nothing without a forecast does as well for the same replica-hours", () => {
    const hpa = [week(100, 4), week(120, 3), week(200, 1)];
    const gain = gainOf(replays(hpa, week(120, 1), [week(110, 30), week(300, 0)]));
    expect(gain).toMatchObject({ verdict: "gains", confidence: "high" });
    expect(gain.unservedPercent).toEqual({ hpa: 4, mlscaler: 1, equalCost: expect.closeTo(3) as number });
    expect(gain.extraPercent).toBeCloseTo(20);
    expect(gain.savedPercent).toBeCloseTo(40);
  });

  it("is not gains only because the MLScaler runs more replicas", () => {
    const hpa = [week(100, 4), week(120, 1), week(200, 0)];
    expect(verdictOf(hpa, week(120, 1), [week(300, 0)])).toBe("same");
  });

  it("a load that leaves as much unserved does not gain, however much it saves", () => {
    // The curve is steep: a little more of the load unserved costs the HPA many replica-hours.
    expect(verdictOf([week(100, 1.1), week(200, 1)], week(120, 1), [week(400, 0)])).toBe("same");
  });

  it("is no gain when a steady count serves as well for fewer replica-hours", () => {
    const hpa = [week(100, 10), week(200, 5)];
    expect(verdictOf(hpa, week(150, 1), [week(130, 0.5)])).toBe("no gain");
  });

  it("is no gain when the HPA has nothing unserved and the MLScaler costs more", () => {
    expect(verdictOf([week(100, 0), week(120, 0)], week(110, 0), [week(300, 0)])).toBe("no gain");
  });

  it("is same when the MLScaler scales as the HPA does", () => {
    const gain = gainOf(replays([week(100, 1), week(120, 0.5)], week(100, 1), [week(300, 0)]));
    expect(gain).toMatchObject({ verdict: "same", confidence: "high", extraPercent: 0 });
    expect(gain.savedPercent).toBeCloseTo(0);
  });

  it("is less sure when one day decides it", () => {
    const lostOnOneDay = (lost: number): Day[] => week(100, 0).map((day, at) => (at === 3 ? { ...day, lost } : day));
    const [mlscaler, steady] = [week(104, 0), [week(50, 50), week(300, 0)]];
    const sure = gainOf(replays([week(100, 4), week(200, 0)], mlscaler, steady));
    const unsure = gainOf(replays([lostOnOneDay(28), week(200, 0)], mlscaler, steady));
    expect([sure.verdict, unsure.verdict]).toEqual(["gains", "gains"]);
    expect([sure.confidence, unsure.confidence]).toEqual(["high", "medium"]);
  });

  const day = fc.record({
    replicas: fc.double({ min: 1, max: 1000, noNaN: true }),
    load: fc.double({ min: 1, max: 1000, noNaN: true }),
    lost: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  const days = fc.array(day, { minLength: 2, maxLength: 7 });
  const curves = fc.integer({ min: 2, max: 7 }).chain(length => {
    const exact = fc.array(day, { minLength: length, maxLength: length });
    return fc.record({
      hpa: fc.array(exact, { minLength: 1, maxLength: 5 }),
      steady: fc.array(exact, { minLength: 1, maxLength: 5 }),
      mlscaler: exact,
    });
  });

  it("is never gains for what a rival does as well for as many replica-hours", () => {
    fc.assert(
      fc.property(days, mlscaler => {
        expect(verdictOf([mlscaler], mlscaler, [mlscaler])).toBe("same");
      }),
    );
  });

  it("does not get better by one more rival", () => {
    fc.assert(
      fc.property(curves, days, ({ hpa, steady, mlscaler }, more) => {
        const other = mlscaler.map((_, at) => more[at % more.length] ?? { replicas: 1, load: 1, lost: 0 });
        const { rivals, ...same } = replays(hpa, mlscaler, steady);
        const before = gainOf({ ...same, rivals });
        const after = gainOf({ ...same, rivals: [...rivals, [other]] });
        expect(after.savedPercent).toBeLessThanOrEqual(before.savedPercent);
        expect(after.unservedPercent.equalCost).toBeLessThanOrEqual(before.unservedPercent.equalCost);
      }),
    );
  });

  it("has finite figures for any replays", () => {
    fc.assert(
      fc.property(curves, ({ hpa, steady, mlscaler }) => {
        const gain = gainOf(replays(hpa, mlscaler, steady));
        const figures = [...Object.values(gain.unservedPercent), gain.extraPercent, gain.savedPercent];
        expect(figures.every(Number.isFinite)).toBe(true);
      }),
    );
  });
});
