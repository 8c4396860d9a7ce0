import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Trust, trust } from "../../../../capabilities/mlscaler/forecast/trust";

const hour = 3_600_000;
const now = Date.UTC(2026, 0, 1);
const score = (skill?: number, origins = 288): { origins: number; skill?: number } => ({ origins, skill });
const trusted: Trust = { trusted: true, since: now - hour };
const not: Trust = { trusted: false, since: now - hour };

describe("trust", () => {
  it.each<[string, Trust | undefined, number | undefined, boolean]>([
    ["is earned by more than 2 % of skill", not, 0.021, true],
    ["is not earned by 2 %", not, 0.02, false],
    ["is given at once with a scored history", undefined, 0.021, true],
    ["is not given without a score", undefined, undefined, false],
    ["is kept as long as it does not lose by more than 2 %", trusted, -0.02, true],
    ["is lost by more", trusted, -0.021, false],
    ["is kept by no skill at all", trusted, 0, true],
    ["is not earned by no skill at all", not, 0, false],
  ])("%s", (_, before, skill, expected) => {
    expect(trust(before, score(skill), now).trusted).toBe(expected);
  });

  it("is never given with fewer than 288 scored forecasts", () => {
    for (const before of [undefined, trusted, not]) {
      expect(trust(before, score(0.9, 287), now).trusted).toBe(false);
      expect(trust(before, score(0.9, 0), now).trusted).toBe(false);
    }
  });

  it("goes by the worse skill, of the mean or of the upper quantile", () => {
    for (const skills of [
      [0.5, 0.02],
      [0.02, 0.5],
    ] as const)
      expect(trust(not, { origins: 288, skill: skills[0], upperSkill: skills[1] }, now).trusted).toBe(false);
    expect(trust(not, { origins: 288, skill: 0.5, upperSkill: 0.021 }, now)).toEqual({ trusted: true, since: now });
  });

  it("may change at once after the clock was set back", () => {
    expect(trust({ trusted: true, since: now + 100 * hour }, score(-0.5), now).trusted).toBe(false);
  });

  it("is lost below -2 %, kept in between, and neither changes within an hour", () => {
    const trusted = { trusted: true, since: 0 };
    expect(trust(trusted, { origins: 500, skill: -0.01 }, 2 * hour)).toBe(trusted);
    expect(trust(trusted, { origins: 500, skill: -0.021 }, hour - 1)).toBe(trusted);
    expect(trust(trusted, { origins: 500, skill: -0.021 }, hour)).toEqual({ trusted: false, since: hour });
    const demoted = { trusted: false, since: 0 };
    expect(trust(demoted, { origins: 500, skill: 0.01 }, 2 * hour)).toBe(demoted);
    expect(trust(demoted, { origins: 500, skill: 0.5 }, hour - 1)).toBe(demoted);
    expect(trust(demoted, { origins: 500, skill: 0.5 }, hour)).toEqual({ trusted: true, since: hour });
  });

  it("comes with a history that earns it, however short the learning was", () => {
    const learning = trust(undefined, { origins: 0 }, 9 * hour);
    expect(trust(learning, { origins: 288, skill: 0.5 }, 9 * hour + 1000).trusted).toBe(true);
  });

  it("never changes twice within an hour, whatever the skill does", () => {
    const minutes = fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 2, maxLength: 200 });
    fc.assert(
      fc.property(minutes, skills => {
        let now = 0;
        let before = trust(undefined, { origins: 300, skill: skills[0] }, now);
        for (const skill of skills) {
          now += 60_000;
          const after = trust(before, { origins: 300, skill }, now);
          if (after.trusted !== before.trusted) expect(now - before.since).toBeGreaterThanOrEqual(hour);
          before = after;
        }
      }),
    );
  });
});
