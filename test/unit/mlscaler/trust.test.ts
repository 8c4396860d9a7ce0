import { describe, expect, it } from "vitest";
import { Trust, trust } from "../../../capabilities/mlscaler/forecast/trust";

const hour = 3_600_000;
const now = Date.UTC(2026, 0, 1);
const score = (skill?: number, origins = 288): { origins: number; skill?: number } => ({ origins, skill });
const trusted: Trust = { trusted: true, since: now - hour };
const not: Trust = { trusted: false, since: now - hour };

describe("trust", () => {
  it.each<[string, Trust | undefined, number | undefined, boolean]>([
    ["is earned by more than 2 % of skill", not, 0.021, true],
    ["is not earned by 2 %", not, 0.02, false],
    ["is given at once where history has been scored", undefined, 0.021, true],
    ["is not given without a score", undefined, undefined, false],
    ["is kept as long as it does not lose by more than 2 %", trusted, -0.02, true],
    ["is lost by more", trusted, -0.021, false],
    ["is kept by no skill at all", trusted, 0, true],
    ["is not earned by no skill at all", not, 0, false],
  ])("%s", (_, before, skill, expected) => {
    expect(trust(before, score(skill), now).trusted).toBe(expected);
  });

  it("is of nobody who has fewer than 288 forecasts scored", () => {
    for (const before of [undefined, trusted, not]) {
      expect(trust(before, score(0.9, 287), now).trusted).toBe(false);
      expect(trust(before, score(0.9, 0), now).trusted).toBe(false);
    }
  });

  it("is not held by a clock that was put back", () => {
    expect(trust({ trusted: true, since: now + 100 * hour }, score(-0.5), now).trusted).toBe(false);
  });
});
