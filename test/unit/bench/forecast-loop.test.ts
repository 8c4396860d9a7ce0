import { describe, expect, it } from "vitest";
import { worstOf } from "../../bench/forecast-figures";
import { gainAt, ratioOf, type Result } from "../../bench/forecast-loop";

const at = (cost: number, unserved: number): Result => ({ cost, unserved });

describe("what an MLScaler gains", () => {
  const curves = { hpa: [at(1, 4), at(2, 1)], ours: [at(0.5, 4), at(1.5, 0.25)], assisted: [at(1, 2), at(2, 0.5)] };
  const gain = gainAt(at(1, 4), at(1.5, 0.25), curves);

  it("is judged at the replica-hours of the HPA, losses between two targets by their ratio", () => {
    expect(gain.unserved.ratio).toBeCloseTo(1.02 / 4.02, 9);
    expect(gain.assisted.ratio).toBeCloseTo(2.02 / 4.02, 9);
    expect(gain.unserved.points).toBeCloseTo(-3, 9);
  });

  it("is judged for the same money: beside an HPA with a lower target and the replica-hours of the MLScaler", () => {
    expect(gain.sameMoney.ratio).toBeCloseTo(0.27 / 2.02, 9);
    expect(gain.replicaHours).toBe(1.5);
  });

  it("is none where the whole load is lost at these replica-hours", () => {
    expect(gainAt(at(0.2, 4), at(1.5, 1), curves).unserved.points).toBe(96);
  });
});

describe("a ratio of losses", () => {
  it("has 0.02 points added to both, and next to nothing is no difference", () => {
    expect(ratioOf(0.98, 1.98).ratio).toBeCloseTo(0.5, 9);
    expect(ratioOf(0, 0.01)).toEqual({ ratio: 1, points: 0 });
  });

  it("is worst where it is highest", () => {
    expect(worstOf([ratioOf(1, 2), ratioOf(3, 2), ratioOf(2, 2)]).points).toBe(1);
  });
});
