import { expect, it } from "vitest";
import { standardErrorOf } from "../../bench/forecast-figures";
import { startsOf } from "../../bench/trace";

it("starts a trace at other hours of its first day and minutes of an hour, first where it begins", () => {
  const [step, hour] = [300_000, 3_600_000];
  const trace = { name: "web", startedAt: 7 * hour, stepMilliseconds: step, values: [...Array(600).keys()] };
  const starts = startsOf(trace, 4);
  expect(starts[0]).toEqual(trace);
  for (const { startedAt, values } of starts) {
    expect(startedAt).toBe(trace.startedAt + (values[0] ?? NaN) * step);
    expect(values.at(-1)).toBe(599);
  }
  expect(starts.map(({ values }) => Math.floor((values[0] ?? NaN) / 12))).toEqual([0, 14, 5, 20]);
  expect(new Set(starts.map(({ values }) => (values[0] ?? NaN) % 12)).size).toBe(4);
});

it("says by how much chance moves a geometric mean", () => {
  // The logarithms of 1.01 and 0.99 differ by 0.02: of one trace the standard error is half of that.
  expect(standardErrorOf([[1.01, 0.99]])).toBeCloseTo(1, 3);
  expect(
    standardErrorOf([
      [1.01, 0.99],
      [202, 198],
      [5, 5],
      [NaN, 1],
    ]),
  ).toBeCloseTo(Math.sqrt(2) / 3, 3);
  expect(standardErrorOf([[1], [2]])).toBeNaN();
});
