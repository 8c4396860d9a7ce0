import { expect, it } from "vitest";
import { hoursOff } from "../../bench/forecast-accuracy";

const hour = 3_600_000;

/** 100 loads in each of these hours. The value of an hour is the number of covered ones. */
const loads = (covered: Record<number, number>): { at: number; covered: boolean }[] =>
  Object.entries(covered).flatMap(([which, count]) =>
    Array.from({ length: 100 }, (_, index) => ({ at: (24 * index + Number(which)) * hour, covered: index < count })),
  );

it("the hours of the day that are off are those more than three standard errors from 90 %", () => {
  expect(hoursOff([])).toBe(0);
  // The standard error of 100 loads is 3 %.
  expect(hoursOff(loads({ 0: 90, 5: 99, 23: 82 }))).toBe(0);
  expect(hoursOff(loads({ 0: 100, 5: 80, 23: 90 }))).toBe(2);
});
