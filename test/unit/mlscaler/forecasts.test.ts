import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Forecast } from "../../../capabilities/mlscaler/forecast";
import { Forecaster } from "../../../capabilities/mlscaler/forecast/forecaster";
import { Forecasts, Question } from "../../../capabilities/mlscaler/forecasts";
import { CoarseGrid, slotMilliseconds } from "../../../capabilities/mlscaler/history/coarse";
import { start } from "../time";
import { noise, replayed } from "./remembered";

const day = 86_400_000;
const load = (at: number): number => 400 + 100 * Math.sin((2 * Math.PI * at) / day) + noise(at);

const question = (change: Partial<Question> = {}): Question => ({
  key: "shop/web",
  load: "rps",
  forecasting: { model: "auto", quantile_percent: 90, max_extra_percent: 100 },
  horizonSeconds: 110,
  trustedBefore: false,
  ...change,
});

let now: number;
let grid: CoarseGrid;
let forecasts: Forecasts;

/** A grid with the loads of so many days until now. */
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
  forecasts = new Forecasts();
});

afterEach(() => {
  vi.restoreAllMocks();
});

const look = (change?: Partial<Question>): Forecast => forecasts.of(question(change), grid, now);

function pass(slots: number): void {
  for (let slot = 0; slot < slots; slot++) {
    grid.record(now, load(now), slotMilliseconds);
    now += slotMilliseconds;
  }
  grid.record(now, load(now), slotMilliseconds);
}

describe("a forecast", () => {
  it("learns until its history has been replayed, and goes on from there by each slot", async () => {
    expect(look()).toEqual({
      ...{ model: "auto", horizonSeconds: 110, samples: 0, wanted: 288, trusted: false, failure: undefined },
    });
    await turn();
    // What comes while it is replayed is not lost.
    pass(3);
    await replayed();
    const observe = vi.spyOn(Forecaster.prototype, "observe");
    const forecast = look();
    expect(observe).toHaveBeenCalledTimes(3);
    expect(forecast).toMatchObject({ samples: 288, trusted: true, horizonSeconds: 110 });
    expect(Math.abs((forecast.load ?? NaN) / load(now + slotMilliseconds) - 1)).toBeLessThan(0.05);
    expect(forecast.upper).toBeGreaterThanOrEqual(forecast.load ?? NaN);
    look();
    expect(observe).toHaveBeenCalledTimes(3);
    pass(1);
    look();
    expect(observe).toHaveBeenCalledTimes(4);
  });

  it("takes in what came while nobody looked: a little at once, more of it in turns", async () => {
    look();
    await replayed();
    const replay = vi.spyOn(Forecaster, "replay");
    pass(3);
    expect(look().load).toBeDefined();
    pass(20);
    expect(look().load).toBeUndefined();
    await turn();
    pass(1);
    await replayed();
    const forecast = look();
    expect(forecast.trusted).toBe(true);
    expect(Math.abs((forecast.load ?? NaN) / load(now + slotMilliseconds) - 1)).toBeLessThan(0.05);
    expect(replay).not.toHaveBeenCalled();
  });

  it("has refits done in turns, and begins anew when one fails", async () => {
    look();
    await replayed();
    const refit = vi.spyOn(Forecaster.prototype, "refit");
    vi.spyOn(Forecaster.prototype, "refits", "get").mockReturnValue(true);
    pass(1);
    look();
    expect(refit).not.toHaveBeenCalled();
    refit.mockReturnValueOnce(true).mockReturnValueOnce(true).mockReturnValueOnce(false);
    await turn();
    await turn();
    expect(refit).toHaveBeenCalledTimes(1);
    await forecasts.done();
    expect(refit).toHaveBeenCalledTimes(3);
    pass(1);
    refit.mockImplementationOnce(() => {
      throw new Error("singular matrix");
    });
    look();
    await replayed();
    expect(look()).toMatchObject({ failure: "singular matrix", samples: 0, trusted: false });
    pass(1);
    look();
    await replayed();
    expect(look().trusted).toBe(true);
    expect(look().failure).toBeUndefined();
  });

  it("is of its own load, whatever others there are", async () => {
    const other = gridOf(1);
    const ask = (): Forecast => forecasts.of(question({ load: "queue" }), other, now);
    look();
    ask();
    await replayed();
    expect(look().samples).toBe(288);
    expect(ask().samples).toBeLessThan(288);
  });

  it("is begun anew when older loads were filled in, the clock was put back, or the grid is another", async () => {
    look();
    await replayed();
    const replay = vi.spyOn(Forecaster, "replay");
    const begins = async (): Promise<void> => {
      expect(look().load).toBeUndefined();
      await replayed();
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

  it("is begun anew, in pieces, after a long time in which nobody looked", async () => {
    look();
    await replayed();
    const observe = vi.spyOn(Forecaster.prototype, "observe");
    const replay = vi.spyOn(Forecaster, "replay");
    pass(200);
    expect(look().load).toBeUndefined();
    await replayed();
    expect(look().trusted).toBe(true);
    expect(replay).toHaveBeenCalledTimes(1);
    expect(observe).not.toHaveBeenCalled();
  });

  it("looks a step further where the horizon grows by one, and stays there when it shrinks by one", async () => {
    const replay = vi.spyOn(Forecaster, "replay");
    for (const horizonSeconds of [299, 301, 300, 310, 100]) {
      look({ horizonSeconds });
      await replayed();
      expect(look({ horizonSeconds })).toMatchObject({ horizonSeconds, trusted: true });
    }
    expect(replay.mock.calls.map(([{ horizon }]) => horizon)).toEqual([1, 2]);
    look({ horizonSeconds: 1200 });
    look({ horizonSeconds: 10 });
    expect(look({ horizonSeconds: 10 }).load).toBeUndefined();
  });
});

describe("replays", () => {
  it("are one at a time, and let others run between pieces", async () => {
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
    await replayed();
    expect(all().every(forecast => forecast.trusted)).toBe(true);
    expect(most).toBe(1);
  });

  it("of what is wanted no more are not made, or not to the end", async () => {
    const replay = vi.spyOn(Forecaster, "replay");
    look({ key: "a" });
    look({ key: "b" });
    look({ key: "c" });
    forecasts.keep("b", []);
    await turn();
    await turn();
    forecasts.keep("a", ["another"]);
    await replayed();
    // Not b's.
    expect(replay).toHaveBeenCalledTimes(2);
    expect(look({ key: "c" }).trusted).toBe(true);
    expect(look({ key: "a" }).load).toBeUndefined();
  });

  it("that fail leave what failed in place until one does not", async () => {
    const replay = vi.spyOn(Forecaster, "replay").mockImplementation(() => {
      throw new Error("no memory");
    });
    look();
    await replayed();
    for (let times = 0; times < 5; times++) expect(look()).toMatchObject({ failure: "no memory", trusted: false });
    expect(replay).toHaveBeenCalledTimes(1);
    pass(1);
    expect(look()).toMatchObject({ failure: "no memory" });
    await replayed();
    expect(replay).toHaveBeenCalledTimes(2);
    replay.mockRestore();
    pass(1);
    look();
    await replayed();
    expect(look()).toMatchObject({ trusted: true });
    expect(look().failure).toBeUndefined();
  });
});

describe("a forecaster that throws", () => {
  it.each(["observe", "forecast"] as const)("in %s begins anew with the next slot, not before", async method => {
    look();
    await replayed();
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
      await replayed();
    }
    expect(replay).not.toHaveBeenCalled();
    pass(1);
    look();
    await replayed();
    expect(look()).toMatchObject({ samples: 288, trusted: true });
    expect(look().failure).toBeUndefined();
  });
});

it("is made as spec.forecast says", async () => {
  const replay = vi.spyOn(Forecaster, "replay");
  const block = { model: "holt_winters", quantile_percent: 75, max_extra_percent: 10, seasonality: ["Daily"] } as const;
  look({ forecasting: { ...block, seasonality: [...block.seasonality] }, horizonSeconds: 3600 });
  await replayed();
  const settings = {
    model: "holt_winters",
    quantile: 0.75,
    seasonality: ["Daily"],
    step: slotMilliseconds,
    horizon: 12,
  };
  expect(replay.mock.calls[0]?.[0]).toMatchObject(settings);
});

describe("trust", () => {
  it.each([true, false])(
    "of before this process came counts, also once the status no longer says so: %s",
    async before => {
      vi.spyOn(Forecaster.prototype, "score", "get").mockReturnValue({ origins: 288, skill: 0.01 });
      look({ trustedBefore: before });
      await replayed();
      expect(look({ trustedBefore: false }).trusted).toBe(before);
    },
  );

  it("is kept where only the horizon or the quantile is another, and not where the model is", async () => {
    vi.spyOn(Forecaster.prototype, "score", "get").mockReturnValue({ origins: 288, skill: 0.01 });
    look({ trustedBefore: true });
    await replayed();
    const { forecasting } = question();
    const changed = async (change: Partial<Question>): Promise<boolean> => {
      look(change);
      await replayed();
      return look(change).trusted;
    };
    expect(look().trusted).toBe(true);
    expect(await changed({ horizonSeconds: 1200 })).toBe(true);
    expect(await changed({ horizonSeconds: 1200, forecasting: { ...forecasting, quantile_percent: 70 } })).toBe(true);
    expect(await changed({ horizonSeconds: 1200, forecasting: { ...forecasting, model: "lags" } })).toBe(false);
  });
});

describe("many forecasts in one process", () => {
  it("refit at different times, each always at its own", async () => {
    const replay = vi.spyOn(Forecaster, "replay");
    grid = gridOf(1 / 288);
    const keys = Array.from({ length: 40 }, (_, index) => `shop/web-${index}`);
    const phasesOf = async (of: Forecasts): Promise<(number | undefined)[]> => {
      replay.mockClear();
      for (const key of [...keys, ...keys]) of.of(question({ key }), grid, now);
      await of.done();
      expect(replay).toHaveBeenCalledTimes(keys.length);
      return replay.mock.calls.map(([{ phase }]) => phase);
    };
    const phases = await phasesOf(forecasts);
    // Six hours of slots.
    for (const phase of phases) expect(Array.from({ length: 72 }, (_, slot) => slot)).toContain(phase);
    expect(new Set(phases).size).toBeGreaterThan(20);
    expect(await phasesOf(new Forecasts())).toEqual(phases);
  });

  it("take turns of the event loop, one each, where they forecast anything", async () => {
    let [loop, running] = [0, true];
    const count = (): void => {
      loop++;
      if (running) setImmediate(count);
    };
    setImmediate(count);
    const { forecasting } = question();
    const loops = await Promise.all(Array.from({ length: 5 }, () => forecasts.turn(forecasting).then(() => loop)));
    expect(new Set(loops).size).toBe(5);
    const off = await Promise.all(
      [undefined, { ...forecasting, model: "off" as const }].map(none => forecasts.turn(none).then(() => loop)),
    );
    running = false;
    expect(new Set(off).size).toBe(1);
  });
});
