import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { reasonOf } from "../../../../cli/simulate/reason";
import { Day, Gain, gainOf, Replays } from "../../../../cli/simulate/gain";

const week = (cost: number, lost: number): Day[] => Array.from({ length: 7 }, () => ({ cost, load: 100, lost }));

/** An HPA whose replays at lower targets are the other days of its curve. */
const replays = (hpa: Day[][], mlscaler: Day[], steady: Day[][]): Replays => ({
  hpa: hpa[0] ?? [],
  mlscaler,
  rivals: [
    { kind: "target", settings: hpa.map((days, index) => ({ value: 80 - 10 * index, days })) },
    { kind: "count", settings: steady.map((days, index) => ({ value: 10 + index, days })) },
  ],
});

const verdictOf = (...given: Parameters<typeof replays>): Gain["verdict"] => gainOf(replays(...given)).verdict;

describe("the verdict on a workload", () => {
  it("is gains when nothing without a forecast does as well for the same replica-hours", () => {
    const hpa = [week(100, 4), week(120, 3), week(200, 1)];
    const gain = gainOf(replays(hpa, week(120, 1), [week(110, 30), week(300, 0)]));
    expect(gain).toMatchObject({ verdict: "gains", unservedPercent: { hpa: 4, mlscaler: 1 } });
    expect(gain.equalCost).toMatchObject({ kind: "target", value: 70, unserved: expect.closeTo(3) as number });
    expect(gain.equalService).toMatchObject({ kind: "target", value: 60, unserved: 1 });
    expect(reasonOf(gain)).toBe("at equal cost 33 % as much is unserved as by an HPA with a target of 70 %");
    expect(gain.extraPercent).toBeCloseTo(20);
    expect(gain.savedPercent).toBeCloseTo(40);
  });

  it("is not gains only because the MLScaler runs more replicas", () => {
    const hpa = [week(100, 4), week(120, 1), week(200, 0)];
    expect(verdictOf(hpa, week(120, 1), [week(300, 0)])).toBe("no gain");
    expect(reasonOf(gainOf(replays(hpa, week(114, 1), [week(300, 0)])))).toBe(
      "saves only 5 % against an HPA with a target of 70 %",
    );
  });

  it("a load that leaves as much unserved does not gain, however much it saves", () => {
    // The curve is steep: a little more of the load unserved costs the HPA many replica-hours.
    expect(verdictOf([week(100, 1.1), week(200, 1)], week(120, 1), [week(400, 0)])).toBe("no gain");
  });

  it("is no gain when a steady count serves as well for fewer replica-hours", () => {
    const hpa = [week(100, 10), week(200, 5)];
    const gain = gainOf(replays(hpa, week(150, 1), [week(130, 0.5)]));
    expect(gain.verdict).toBe("no gain");
    expect(reasonOf(gain)).toBe("a steady count of 10 replicas serves as well, 15 % cheaper");
  });

  it("is no gain when the HPA has nothing unserved and the MLScaler costs more", () => {
    const gain = gainOf(replays([week(100, 0), week(120, 0)], week(110, 0), [week(300, 0)]));
    expect([gain.verdict, reasonOf(gain)]).toEqual(["no gain", "the HPA leaves next to nothing unserved"]);
  });

  it("is no gain when the MLScaler scales as the HPA does", () => {
    const gain = gainOf(replays([week(100, 1), week(120, 0.5)], week(100, 1), [week(300, 0)]));
    expect(gain).toMatchObject({ verdict: "no gain", extraPercent: 0 });
    expect(reasonOf(gain)).toBe("the forecast is not worth its replicas, so it adds none");
    expect(gain.savedPercent).toBeCloseTo(0);
  });

  it("is unsure when it would often be another one without a day", () => {
    const twoDays = (cost: number, ...lost: number[]): Day[] => lost.map(one => ({ cost, load: 100, lost: one }));
    const [mlscaler, steady] = [twoDays(104, 0, 0), [twoDays(50, 50, 50), twoDays(300, 0, 0)]];
    const [sure, unsure] = [twoDays(100, 5, 5), twoDays(100, 10, 0)].map(hpa =>
      gainOf(replays([hpa, twoDays(200, 0, 0)], mlscaler, steady)),
    );
    expect([sure?.verdict, unsure?.verdict]).toEqual(["gains", "unsure"]);
    expect(unsure && reasonOf(unsure)).toBe("without one of the judged days the verdict would often be another one");
  });

  const day = fc.record({
    cost: fc.double({ min: 1, max: 1000, noNaN: true }),
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
        expect(verdictOf([mlscaler], mlscaler, [mlscaler])).toBe("no gain");
      }),
    );
  });

  it("does not get better by one more rival", () => {
    fc.assert(
      fc.property(curves, days, ({ hpa, steady, mlscaler }, more) => {
        const other = mlscaler.map((_, at) => more[at % more.length] ?? { cost: 1, load: 1, lost: 0 });
        const { rivals, ...same } = replays(hpa, mlscaler, steady);
        const before = gainOf({ ...same, rivals });
        const after = gainOf({
          ...same,
          rivals: [...rivals, { kind: "count", settings: [{ value: 1, days: other }] }],
        });
        expect(after.savedPercent).toBeLessThanOrEqual(before.savedPercent);
        expect(after.equalCost.unserved).toBeLessThanOrEqual(before.equalCost.unserved);
      }),
    );
  });

  it("has finite figures for any replays", () => {
    fc.assert(
      fc.property(curves, ({ hpa, steady, mlscaler }) => {
        const gain = gainOf(replays(hpa, mlscaler, steady));
        const figures = [gain.equalCost, gain.equalService].flatMap(({ value, cost, unserved }) => [
          value,
          cost,
          unserved,
        ]);
        figures.push(...Object.values(gain.unservedPercent), gain.extraPercent, gain.savedPercent);
        expect(figures.every(Number.isFinite)).toBe(true);
      }),
    );
  });
});
