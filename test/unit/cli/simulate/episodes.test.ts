import { describe, expect, it } from "vitest";
import { PolicyComparison } from "../../../../cli/simulate/comparison";
import { tooFew, worstEpisodes } from "../../../../cli/simulate/episodes";
import { Scenario } from "../../../../capabilities/mlscaler/backtest/scenario";

/** Slots of 60 s, and two syncs in each. A replica serves 10. The slots from 2 on are judged. */
const trace = { startedAt: 0, step: 60_000, loads: [10, 10, 20, 40, 40, NaN, 10, 30, 30], notes: [] };
const scenario = { capacity: 10, from: 1, syncsPerStep: 2 } as Scenario;

const comparison = (hpa: number[], mlscaler: number[]): PolicyComparison =>
  ({ standings: { hpa: { ready: hpa }, mlscaler: { ready: mlscaler } } }) as PolicyComparison;

/** Ready replicas by sync. Those of the HPA are late in slots 3 and 7. */
const late = [2, 2, 2, 3, 4, 4, 1, 1, 1, 1, 2, 3, 3, 3];
const enough = [2, 2, 4, 4, 4, 4, 1, 1, 1, 1, 3, 3, 3, 3];

describe("tooFew", () => {
  it("tells the seconds with too few replicas, and joins syncs that follow each other", () => {
    expect(tooFew(late, trace, scenario)).toEqual([
      [180, 240],
      [420, 450],
    ]);
    expect(tooFew(enough, trace, scenario)).toEqual([]);
  });

  it("judges nothing in a gap", () => {
    const none = enough.map((count, sync) => (sync === 6 || sync === 7 ? 0 : count));
    expect(tooFew(none, trace, scenario)).toEqual([]);
  });
});

describe("worstEpisodes", () => {
  it("ranks by the load that one of the two lost, and says what each lacked", () => {
    const [worst, second, ...others] = worstEpisodes(trace, scenario, comparison(late, enough), 3);
    expect(others).toEqual([]);
    // Of 40 in each of two syncs, 20 and then 10 are lost.
    expect(worst).toMatchObject({
      from: 3,
      to: 4,
      shortages: {
        hpa: { seconds: 60, missing: 2, unservedPercent: 37.5 },
        mlscaler: { seconds: 0, missing: 0, unservedPercent: 0 },
      },
    });
    expect(second).toMatchObject({ from: 7, to: 8, shortages: { hpa: { seconds: 30, missing: 1 } } });
  });

  it("includes those of the MLScaler, joins slots that follow each other, and keeps to the number", () => {
    const lateToo = enough.map((count, sync) => (sync === 4 ? 1 : count));
    const episodes = worstEpisodes(trace, scenario, comparison(late, lateToo), 1);
    expect(episodes).toMatchObject([{ from: 3, to: 5, shortages: { mlscaler: { seconds: 30, missing: 3 } } }]);
  });

  it("ends an episode with the trace", () => {
    const lateAtEnd = enough.map((count, sync) => (sync === 13 ? 2 : count));
    expect(worstEpisodes(trace, scenario, comparison(lateAtEnd, enough), 3)).toMatchObject([{ from: 8, to: 9 }]);
  });
});
