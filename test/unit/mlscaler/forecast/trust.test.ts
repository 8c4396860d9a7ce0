import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { trust } from "../../../../capabilities/mlscaler/forecast/trust";

const hour = 3_600_000;

describe("trust", () => {
  it("wants 288 scored forecasts and a skill above 2 %", () => {
    expect(trust(undefined, { origins: 287, skill: 0.5 }, 0)).toEqual({ trusted: false, since: 0 });
    expect(trust(undefined, { origins: 288, skill: 0.02 }, 0)).toEqual({ trusted: false, since: 0 });
    expect(trust(undefined, { origins: 288, skill: 0.021 }, 5)).toEqual({ trusted: true, since: 5 });
    expect(trust(undefined, { origins: 0 }, 5).trusted).toBe(false);
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

  it("comes with the history that earns it, however short before there was none", () => {
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
