import { describe, expect, it } from "vitest";
import { proposeTotal } from "../../../../../capabilities/mlscaler/scaling/rule/hpa-total";

const tolerance = { up: 0.1, down: 0.1 };

describe("proposeTotal", () => {
  it("keeps the count within the tolerance, and adds no replica for a rounding error", () => {
    const of = (load: number, replicas: number): number =>
      proposeTotal({ load, capacity: 0.1 }, replicas, tolerance).replicas;
    expect([of(0.6, 3), of(0.66, 6), of(0.67, 6), of(0.54, 6), of(0.53, 6), of(0, 6)]).toEqual([6, 6, 7, 6, 6, 0]);
  });
});
