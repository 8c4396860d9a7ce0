import { describe, expect, it } from "vitest";
import { Forecaster, type Settings } from "../../../../capabilities/mlscaler/forecast/forecaster";
import { type SlotLoads } from "../../../../capabilities/mlscaler/forecast/loads";
import { runSlices } from "../../../../capabilities/mlscaler/forecast/sliced";
import { chanceFrom } from "../../../bench/forecast-traces";
import { series } from "./loads-by-slot";

/** Steps of an hour: a day has 24 slots. */
const settings: Settings = { model: "auto", step: 3_600_000, horizon: 3, quantile: 0.9 };
const slots = 900;
const lead = 4;

/** A random walk that stays above 0. */
function walk(seed: number): number[] {
  const chance = chanceFrom(seed);
  let level = 500;
  return series(slots, () => (level = Math.max(100, level + 10 * chance.normal())));
}

/** A load that is its leader's `lead` slots later, with noise. */
const after = (leader: number[]): number[] => {
  const chance = chanceFrom(5);
  return leader.map((_, slot) => Math.max(0, (leader[slot - lead] ?? 100) * 0.4 + 0.5 * chance.normal()));
};

const stored = (loads: number[]): SlotLoads => ({ at: slot => loads[slot] ?? NaN });

interface Run {
  /** The mean absolute error at the last step, over the last half. */
  error: number;
  models: Set<string>;
}

/** Forecasts from each slot of the last half. */
function run(loads: number[], leaders: number[][], changed: Partial<Settings> = {}): Run {
  const before = loads.slice(0, slots / 2);
  const forecaster = runSlices(Forecaster.replay({ ...settings, ...changed }, before, undefined, leaders.map(stored)));
  const errors: number[] = [];
  const models = new Set<string>();
  loads.slice(slots / 2).forEach((load, later) => {
    runSlices(forecaster.observeAll([load]));
    const target = loads[slots / 2 + later + settings.horizon];
    if (target === undefined) return;
    const outlook = forecaster.forecast();
    if (!outlook) throw new Error("there is no forecast");
    errors.push(Math.abs((outlook.loads.at(-1) ?? NaN) - target));
    models.add(outlook.model);
  });
  return { error: errors.reduce((sum, error) => sum + error, 0) / errors.length, models };
}

/** The run of the load that follows a walk, without a leader, which five tests compare with. */
let known: Run | undefined;
const alone = (): Run => (known ??= run(after(walk(7)), []));

describe("a load without rhythm of its own", () => {
  it("is foreseen by a leader that is a random walk", () => {
    const leader = walk(7);
    const led = run(after(leader), [leader]);
    expect(led.error).toBeLessThan(0.4 * alone().error);
    expect(led.models).toContain("leading");
  });

  it("is forecast as well with a leader that says nothing: within 2 %", () => {
    const load = after(walk(7));
    expect(Math.abs(run(load, [walk(8)]).error / alone().error - 1)).toBeLessThan(0.02);
  });

  it("is forecast exactly as without a leader while nothing is known of it", () => {
    const load = after(walk(7));
    expect(run(load, [series(slots, () => NaN)])).toEqual(alone());
  });
});

describe("a replay", () => {
  it("reads the leaders by the slots of the load, also of those before four weeks", () => {
    const leader = walk(7);
    const load = after(leader);
    const before = series(8064, () => NaN);
    const replayed = (loads: number[], leaders: number[]): Forecaster =>
      runSlices(Forecaster.replay(settings, loads, stored(loads), [stored(leaders)]));
    const one = replayed(load, leader).forecast();
    const long = replayed(
      [...before.slice(0, 8064 - slots + 10), ...load],
      [...before.slice(0, 8064 - slots + 10), ...leader],
    ).forecast();
    expect(one?.model).toBe("leading");
    expect(long?.model).toBe("leading");
    expect(Math.abs((long?.loads[2] ?? NaN) / (one?.loads[2] ?? NaN) - 1)).toBeLessThan(0.05);
  });

  it("takes the running slot of a leader for a complete one, and goes on without an unknown one", () => {
    const leader = walk(7);
    const load = after(leader);
    const forecaster = runSlices(Forecaster.replay(settings, load.slice(0, -1), stored(load), [stored(leader)]));
    const running = load.at(-1);
    const led = forecaster.forecast(running, [0.9], [leader.at(-1)]);
    expect(led?.model).toBe("leading");
    expect(forecaster.forecast(running, [0.9], [undefined])?.model).not.toBe("leading");
    expect(forecaster.forecast(running, [0.9], [leader.at(-1)])).toEqual(led);
  });
});
