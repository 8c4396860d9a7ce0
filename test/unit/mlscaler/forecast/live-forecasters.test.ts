import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Forecast } from "../../../../capabilities/mlscaler/forecast/forecast";
import { Forecaster } from "../../../../capabilities/mlscaler/forecast/forecaster";
import {
  ForecastRequest,
  Forecasters,
  refitPeriodSeconds,
} from "../../../../capabilities/mlscaler/forecast/live-forecasters";
import { CoarseGrid } from "../../../../capabilities/mlscaler/history/coarse-grid";
import { slotMilliseconds } from "../../../../capabilities/mlscaler/history/retention";
import { phaseOf } from "../../../../capabilities/operator/phase";
import { start } from "../../time";
import { noise } from "../memory/remembered";

const day = 86_400_000;
const load = (at: number): number => 400 + 100 * Math.sin((2 * Math.PI * at) / day) + noise(at);

/** A model that learns `load` in a sixth of the time of auto. */
const model = "holt_winters";
const withLeaders = { forecasting: { model: "lags", quantile_percent: 90, max_extra_percent: 100 } } as const;

const request = (change: Partial<ForecastRequest> = {}): ForecastRequest => ({
  key: "shop/web",
  load: "rps",
  forecasting: { model, quantile_percent: 90, max_extra_percent: 100 },
  horizonSeconds: 110,
  phaseMilliseconds: phaseOf(change.key ?? "shop/web", refitPeriodSeconds),
  trustedBefore: false,
  uptime: 0,
  ...change,
});

let now: number;
let grid: CoarseGrid;
let forecasters: Forecasters;

/** A grid with the loads of the last days until now. */
function gridOf(days: number): CoarseGrid {
  const made = new CoarseGrid();
  const samples = Array.from({ length: days * 288 }, (_, slot) => {
    const at = now - (slot + 1) * slotMilliseconds;
    return { at, load: load(at) };
  });
  made.backfill(samples, slotMilliseconds, now);
  return made;
}

beforeEach(() => {
  now = start.getTime();
  grid = gridOf(4);
  forecasters = new Forecasters(turn);
});

afterEach(() => {
  vi.restoreAllMocks();
});

const look = (change?: Partial<ForecastRequest>): Forecast => forecasters.forecast(request(change), grid, now);

/** Asks for a forecast, and waits until what that starts has ended. */
async function ready(change?: Partial<ForecastRequest>): Promise<void> {
  look(change);
  await forecasters.done();
}

function pass(slots: number): void {
  for (let slot = 0; slot < slots; slot++) {
    grid.record(now, load(now), slotMilliseconds);
    now += slotMilliseconds;
  }
  grid.record(now, load(now), slotMilliseconds);
}

describe("a forecast", () => {
  it("learns until its history is replayed, and then observes each slot", async () => {
    expect(look()).toEqual({
      ...{ model, horizonSeconds: 110, samples: 0, wanted: 2, trusted: false, failure: undefined },
    });
    await turn();
    // Slots that close during the replay are not lost.
    pass(3);
    await forecasters.done();
    const observe = vi.spyOn(Forecaster.prototype, "observe");
    const forecast = look();
    expect(observe).toHaveBeenCalledTimes(3);
    expect(forecast).toMatchObject({ samples: 2, trusted: true, horizonSeconds: 110 });
    expect(Math.abs((forecast.load ?? NaN) / load(now + slotMilliseconds) - 1)).toBeLessThan(0.05);
    expect(forecast.upper).toBeGreaterThanOrEqual(forecast.load ?? NaN);
    look();
    expect(observe).toHaveBeenCalledTimes(3);
    pass(1);
    look();
    expect(observe).toHaveBeenCalledTimes(4);
  });

  it("observes the slots closed since the last request: a few at once, more in slices", async () => {
    await ready();
    const replay = vi.spyOn(Forecaster, "replay");
    pass(3);
    expect(look().load).toBeDefined();
    pass(20);
    expect(look().load).toBeUndefined();
    await turn();
    pass(1);
    await forecasters.done();
    const forecast = look();
    expect(forecast.trusted).toBe(true);
    expect(Math.abs((forecast.load ?? NaN) / load(now + slotMilliseconds) - 1)).toBeLessThan(0.05);
    expect(replay).not.toHaveBeenCalled();
  });

  it("runs refits in slices, and replays its history when one fails", async () => {
    await ready();
    const refit = vi.spyOn(Forecaster.prototype, "refit");
    vi.spyOn(Forecaster.prototype, "refits", "get").mockReturnValue(true);
    pass(1);
    look();
    expect(refit).not.toHaveBeenCalled();
    refit.mockReturnValueOnce(true).mockReturnValueOnce(true).mockReturnValueOnce(false);
    await turn();
    await turn();
    expect(refit).toHaveBeenCalledTimes(1);
    await forecasters.done();
    expect(refit).toHaveBeenCalledTimes(3);
    pass(1);
    refit.mockImplementationOnce(() => {
      throw new Error("singular matrix");
    });
    await ready();
    expect(look()).toMatchObject({ failure: "singular matrix", samples: 0, trusted: false });
    pass(1);
    await ready();
    expect(look().trusted).toBe(true);
    expect(look().failure).toBeUndefined();
  });

  it("is the same to the horizon of pods whether or not it looks further, to that of new nodes", async () => {
    await ready();
    const near = look();
    const further = { nodesHorizonSeconds: 3600 };
    await ready(further);
    const { load: at, upper, nodes } = look(further);
    expect({ at, upper }).toEqual({ at: near.load, upper: near.upper });
    expect(nodes?.horizonSeconds).toBe(3600);
    expect(nodes?.upper).toBeGreaterThan(upper ?? Infinity);
    expect(near.nodes).toBeUndefined();
  });

  it("has the quantile of the spec, or those among which the outcome decides, to the horizon of nodes, too", async () => {
    const free = { forecasting: { model }, nodesHorizonSeconds: 600 } as const;
    await ready(free);
    const { percent, upper = NaN, nodes, others = [] } = look(free);
    expect([percent, ...others.map(other => other.percent)]).toEqual([90, 60, 95]);
    const [lower, higher] = others;
    expect(lower?.upper).toBeLessThan(upper);
    expect(higher?.upper).toBeGreaterThan(upper);
    expect(lower?.nodesUpper).toBeLessThan(nodes?.upper ?? NaN);
    expect(higher?.nodesUpper).toBeGreaterThan(nodes?.upper ?? NaN);
    await ready();
    expect(look()).toMatchObject({ percent: 90 });
    expect(look().others).toBeUndefined();
  });

  it("depends on its own load only", async () => {
    const other = gridOf(1 / 288);
    const ask = (): Forecast => forecasters.forecast(request({ load: "queue" }), other, now);
    look();
    ask();
    await forecasters.done();
    expect(look()).toMatchObject({ samples: 2, trusted: true });
    expect(ask()).toMatchObject({ samples: 1, trusted: false });
  });

  it("replays its history after a backfill, a change of the clock, or a change of the grid", async () => {
    await ready();
    const replay = vi.spyOn(Forecaster, "replay");
    const begins = async (): Promise<void> => {
      expect(look().load).toBeUndefined();
      await forecasters.done();
      expect(look().load).toBeDefined();
    };
    const older = now - 10 * day;
    grid.backfill([{ at: older, load: 5 }], slotMilliseconds, now);
    await begins();
    now -= 2 * 3_600_000;
    grid.record(now, load(now));
    await begins();
    grid = gridOf(4);
    await begins();
    expect(replay).toHaveBeenCalledTimes(3);
  });

  it("goes on while it replays leaders that are new, or whose history has arrived", async () => {
    const leader = gridOf(3);
    const lookWith = (leaders: CoarseGrid[]): Forecast =>
      forecasters.forecast(request(withLeaders), grid, now, leaders);
    lookWith([]);
    await forecasters.done();
    const replay = vi.spyOn(Forecaster, "replay");
    const goesOn = async (leaders: CoarseGrid[]): Promise<void> => {
      expect(lookWith(leaders)).toMatchObject({ trusted: true });
      await turn();
      expect(lookWith(leaders)).toMatchObject({ trusted: true });
      await forecasters.done();
      expect(lookWith(leaders)).toMatchObject({ trusted: true, samples: 2 });
    };
    await goesOn([leader]);
    leader.backfill([{ at: now - 10 * day, load: 5 }], slotMilliseconds, now);
    await goesOn([leader]);
    await goesOn([]);
    expect(replay.mock.calls.map(([, , , leaders = []]) => leaders.length)).toEqual([1, 1, 0]);
    lookWith([]);
    await forecasters.done();
    expect(replay).toHaveBeenCalledTimes(3);
  });

  it("goes on while the replay of a leader fails, and repeats it with the next slot", async () => {
    const leader = gridOf(3);
    const lookWith = (): Forecast => forecasters.forecast(request(withLeaders), grid, now, [leader]);
    await ready(withLeaders);
    const replay = vi.spyOn(Forecaster, "replay").mockImplementation(() => {
      throw new Error("singular matrix");
    });
    for (let times = 0; times < 3; times++) {
      expect(lookWith()).toMatchObject({ trusted: true, samples: 2 });
      await forecasters.done();
    }
    expect(replay).toHaveBeenCalledTimes(1);
    replay.mockRestore();
    pass(1);
    lookWith();
    await forecasters.done();
    const read = vi.spyOn(Forecaster.prototype, "forecast");
    expect(lookWith()).toMatchObject({ trusted: true, samples: 2 });
    expect(read.mock.calls[0]?.[2]).toHaveLength(1);
  });

  it("extends its horizon by a step, and keeps it when the request is one step shorter", async () => {
    const replay = vi.spyOn(Forecaster, "replay");
    for (const horizonSeconds of [299, 301, 300, 310, 100]) {
      look({ horizonSeconds });
      await forecasters.done();
      expect(look({ horizonSeconds })).toMatchObject({ horizonSeconds, trusted: true });
    }
    expect(replay.mock.calls.map(([{ horizon }]) => horizon)).toEqual([1, 2]);
    look({ horizonSeconds: 1200 });
    look({ horizonSeconds: 10 });
    expect(look({ horizonSeconds: 10 }).load).toBeUndefined();
  });
});

describe("replays", () => {
  it("run one at a time, and give way between slices", async () => {
    let running = 0;
    let most = 0;
    const replay = Forecaster.replay.bind(Forecaster);
    vi.spyOn(Forecaster, "replay").mockImplementation(function* (settings, loads) {
      most = Math.max(most, ++running);
      const forecaster = yield* replay(settings, loads);
      running--;
      return forecaster;
    });
    const keys = ["a", "b", "c"];
    const all = (): Forecast[] => keys.map(key => look({ key }));
    all();
    all();
    await turn();
    expect(all().every(forecast => forecast.load === undefined)).toBe(true);
    await forecasters.done();
    expect(all().every(forecast => forecast.trusted)).toBe(true);
    expect(most).toBe(1);
  });

  it("of dropped forecasters do not start, or stop", async () => {
    const replay = vi.spyOn(Forecaster, "replay");
    look({ key: "a" });
    look({ key: "b" });
    look({ key: "c" });
    forecasters.drop("b");
    await turn();
    await turn();
    forecasters.keepOnly("a", ["another"]);
    await forecasters.done();
    // Not b's.
    expect(replay).toHaveBeenCalledTimes(2);
    expect(look({ key: "c" }).trusted).toBe(true);
    expect(look({ key: "a" }).load).toBeUndefined();
  });
});

describe("a forecaster that throws", () => {
  it.each(["observe", "forecast"] as const)(
    "in %s replays its history with the next slot, not before",
    async method => {
      await ready();
      pass(1);
      const thrown = vi.spyOn(Forecaster.prototype, method).mockImplementation(() => {
        throw new Error("singular matrix");
      });
      const failed = { failure: "singular matrix", samples: 0, trusted: false };
      expect(look()).toMatchObject(failed);
      thrown.mockRestore();
      const replay = vi.spyOn(Forecaster, "replay");
      for (let times = 0; times < 3; times++) {
        expect(look()).toMatchObject(failed);
        await forecasters.done();
      }
      expect(replay).not.toHaveBeenCalled();
      pass(1);
      await ready();
      expect(look()).toMatchObject({ samples: 2, trusted: true });
      expect(look().failure).toBeUndefined();
    },
  );
});

it("follows the local time of spec.forecast.timezone, by the times of the grid", async () => {
  const replay = vi.spyOn(Forecaster, "replay");
  await ready();
  look({ forecasting: { ...request().forecasting, timezone: "Europe/Berlin" } });
  await forecasters.done();
  expect(replay.mock.calls.map(([{ timezone }]) => timezone)).toEqual([undefined, "Europe/Berlin"]);
  const begins = Math.floor(now / slotMilliseconds) * slotMilliseconds - 4 * day;
  expect(replay.mock.calls.map(call => call[4])).toEqual([begins, begins]);
});

it("has the settings of spec.forecast", async () => {
  const replay = vi.spyOn(Forecaster, "replay");
  const block = { model: "holt_winters", quantile_percent: 75, max_extra_percent: 10, seasonality: ["Daily"] } as const;
  look({
    forecasting: { ...block, seasonality: [...block.seasonality] },
    horizonSeconds: 3600,
    phaseMilliseconds: 3_600_000,
  });
  await forecasters.done();
  const settings = {
    model: "holt_winters",
    quantile: 0.75,
    seasonality: ["Daily"],
    step: slotMilliseconds,
    horizon: 12,
    phase: 12,
  };
  expect(replay.mock.calls[0]?.[0]).toMatchObject(settings);
});

describe("a new forecast", () => {
  it("acts from its first upper quantile on: a load that is one horizon after another", async () => {
    grid = gridOf(1 / 288);
    const change = { horizonSeconds: 600, forecasting: { ...request().forecasting, model: "auto" } } as const;
    await ready(change);
    const acts: (number | boolean)[][] = [];
    for (let slot = 0; slot < 3; slot++) {
      const { samples, wanted, trusted } = look(change);
      acts.push([samples, wanted, trusted]);
      pass(1);
    }
    expect(acts).toEqual([
      [1, 3, false],
      [2, 3, false],
      [3, 3, true],
    ]);
  });

  it("acts however bad its scores are: the outcome alone decides", async () => {
    vi.spyOn(Forecaster.prototype, "score", "get").mockReturnValue({ origins: 2000, skill: -0.9 });
    await ready();
    expect(look()).toMatchObject({ skill: -0.9, trusted: true });
  });

  it("waits for act_after_seconds of known load, counted from its history", async () => {
    const forecasting = { ...request().forecasting, act_after_seconds: 5 * 86_400 };
    await ready({ forecasting });
    expect(look({ forecasting })).toMatchObject({ samples: 4 * 288, wanted: 5 * 288, trusted: false });
    grid = gridOf(5);
    await ready({ forecasting });
    expect(look({ forecasting })).toMatchObject({ samples: 5 * 288, wanted: 5 * 288, trusted: true });
  });
});

describe("replays that wait", () => {
  it("run in the order in which the loads rose a day ago, those of awaited forecasts first", async () => {
    const woken: string[] = [];
    forecasters = new Forecasters(turn, turn, key => woken.push(key));
    // Twice the load for six hours a day.
    const rising = (hours: number): CoarseGrid => {
      const made = new CoarseGrid();
      const samples = Array.from({ length: 4 * 288 }, (_, slot) => {
        const at = now - (slot + 1) * slotMilliseconds;
        return { at, load: (at - now - hours * 3_600_000 + 5 * day) % day < day / 4 ? 200 : 100 };
      });
      made.backfill(samples, slotMilliseconds, now);
      return made;
    };
    const queue = (key: string, hours: number, trustedBefore = true): void =>
      void forecasters.forecast(request({ key, trustedBefore }), rising(hours), now);
    queue("begun", 9);
    await turn();
    queue("untrusted", 0, false);
    queue("falls", -6);
    queue("in four hours", 4);
    queue("now", 0);
    queue("in two hours", 2);
    await forecasters.done();
    expect(woken).toEqual(["begun", "now", "in two hours", "in four hours", "falls", "untrusted"]);
  });
});

describe("an absent forecast that was trusted before", () => {
  const minute = 60_000;
  const replaying = (change: Partial<ForecastRequest> = {}): Forecast["replaying"] => look(change).replaying;

  it.each([true, false])("is awaited until its history is replayed, if it was trusted: %s", async trustedBefore => {
    expect(replaying({ trustedBefore })).toBe(trustedBefore ? "Begun" : undefined);
    expect(replaying({ uptime: minute - 1 })).toBe(trustedBefore ? "Begun" : undefined);
    expect(replaying({ uptime: minute })).toBe(trustedBefore ? "Held" : undefined);
    expect(replaying({ uptime: 10 * minute - 1 })).toBe(trustedBefore ? "Held" : undefined);
    expect(replaying({ uptime: 10 * minute })).toBe(trustedBefore ? "Overdue" : undefined);
    await forecasters.done();
    expect(look({ uptime: 11 * minute })).toMatchObject({ trusted: true });
    expect(replaying({ uptime: 11 * minute })).toBeUndefined();
  });

  it("is awaited no more where the spec makes it wait", async () => {
    await ready();
    expect(look()).toMatchObject({ trusted: true });
    const forecasting = { ...request().forecasting, act_after_seconds: 5 * 86_400 };
    expect(replaying({ forecasting })).toBeUndefined();
    await forecasters.done();
    expect(look({ forecasting })).toMatchObject({ trusted: false });
    expect(replaying({ forecasting })).toBeUndefined();
  });

  it.each<[string, () => Partial<ForecastRequest>]>([
    ["another horizon", () => ({ horizonSeconds: 1200 })],
    ["another quantile", () => ({ forecasting: { ...request().forecasting, quantile_percent: 70 } })],
    ["another model", () => ({ forecasting: { ...request().forecasting, model: "linear" } })],
    ["a new term, which reads the grid again", () => ((grid = gridOf(4)), {})],
    ["a backfill", () => (grid.backfill([{ at: now - 10 * day, load: 5 }], slotMilliseconds, now), {})],
    ["an outage of two hours", () => (pass(24), {})],
  ])("is awaited after %s", async (_, change) => {
    await ready();
    expect(look()).toMatchObject({ trusted: true });
    const changed = change();
    expect(look({ ...changed, uptime: 100 * minute }).replaying).toBe("Begun");
    expect(look({ ...changed, uptime: 110 * minute }).replaying).toBe("Overdue");
    await forecasters.done();
    expect(look(changed)).toMatchObject({ trusted: true });
    expect(look(changed).replaying).toBeUndefined();
  });

  it("is awaited while its history arrives late", async () => {
    const full = grid;
    grid = gridOf(1 / 288);
    look({ trustedBefore: true });
    await forecasters.done();
    expect(look().samples).toBe(1);
    expect(replaying()).toBe("Begun");
    grid = full;
    expect(replaying()).toBe("Begun");
    await forecasters.done();
    expect(look()).toMatchObject({ trusted: true });
    expect(replaying()).toBeUndefined();
  });
});
