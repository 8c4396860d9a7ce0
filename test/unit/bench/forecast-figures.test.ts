import { describe, expect, it } from "vitest";
import type { Cost } from "../../bench/forecast-cost";
import { partsOf, summaryOf, tablesOf, type Measured } from "../../bench/forecast-figures";

const cost: Cost = { sync: 0.04, refit: 25, pause: 1.5, longestPause: 2.4, replay: 300, replayPause: 7 };

/** A trace whose MASE at each step, and whose unserved load beside HPA's, is `value`. */
const trace = (name: string, value: number, points = 0): Measured => {
  const accuracy = {
    errors: [value, value, value, value],
    pinball: { q90: value, q95: value },
    coverage: 0.9,
    hoursOff: 0,
  };
  const gain = { unserved: value, points, replicaHours: value };
  return { name, accuracy, last: accuracy, gains: { u90: gain, u80: gain } };
};

const traces = [trace("a", 1), trace("b", 2), trace("c", 4), trace("d", 8)];

describe("partsOf", () => {
  it("takes turns, and keeps the third set apart", () => {
    const names = partsOf(traces, [trace("other", 3)]).map(({ part, measured }) => [
      part,
      measured.map(one => one.name),
    ]);
    expect(names).toEqual([
      ["odd", ["a", "c"]],
      ["even", ["b", "d"]],
      ["third", ["other"]],
    ]);
  });

  it("leaves out a part without traces", () => {
    expect(partsOf([trace("a", 1)], []).map(({ part }) => part)).toEqual(["odd"]);
  });
});

describe("summaryOf", () => {
  it("has the geometric means of all traces and of each part", () => {
    const { mase, parts } = summaryOf(traces, partsOf(traces, [trace("other", 3)]), cost);
    expect(mase.h3.geomean).toBeCloseTo(2 * Math.SQRT2, 9);
    expect(parts?.odd?.mase.h3.geomean).toBeCloseTo(2, 9);
    expect(parts?.even?.mase.h3.geomean).toBeCloseTo(4, 9);
    expect(parts?.third?.mase.h3.geomean).toBeCloseTo(3, 9);
  });

  it("has no parts unless they are wanted", () => {
    expect(summaryOf(traces, [], cost)).not.toHaveProperty("parts");
  });
});

describe("tablesOf", () => {
  it("says by how many points of the load the worst trace loses more than HPA", () => {
    const text = tablesOf([trace("calm", 0.5, -0.2), trace("noise", 1.1, 0.0046)], [], cost);
    expect(text).toContain("u=0.9 noise 1.100, +0.0046 percentage points of the load");
    expect(text).not.toContain("odd");
  });

  it("has a line for each part and for each trace of the third set", () => {
    const lines = tablesOf(traces, partsOf(traces, [trace("other", 3)]), cost).split("\n");
    const first = (title: string): string | undefined =>
      lines.find(line => line.includes(title))?.match(/\d\.\d{3}/)?.[0];
    expect(first("geometric mean")).toBe("2.828");
    expect(first("of the odd traces")).toBe("2.000");
    expect(first("of the even traces")).toBe("4.000");
    expect(first("of the third set")).toBe("3.000");
    expect(first("other")).toBe("3.000");
  });
});
