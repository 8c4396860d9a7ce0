import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { decodeState } from "../../../../capabilities/mlscaler/memory/codec";
import { BenefitDay } from "../../../../capabilities/mlscaler/scaling/ahead/benefit";
import { Forecaster } from "../../../../capabilities/mlscaler/forecast/forecaster";
import { broken } from "../../fake-api";
import { StoredPod } from "../../fake-cluster";
import { start } from "../../time";
import { daily, LoadAt, noise, replayed, storeHistory } from "../memory/remembered";
import { cluster, external, longForm, setting, useSetting } from "./setting";

useSetting();

const minute = 60_000;
const day = 86_400_000;

const flat: LoadAt = at => 250 + noise(at, 3);

/** A model that learns `daily` in a fifth of the time of auto. */
const model = "holt_winters";

/** An MLScaler with these metrics on web, which has five replicas. It is synced once a minute. */
const create = (spec: object = {}, metrics = [external("rps")]): string =>
  cluster.createOn(5, longForm(metrics, { sync_period_seconds: 60, forecast: { model }, ...spec }));

const forecastOf = (key: string): Record<string, unknown> | undefined =>
  cluster.stored(key).status?.forecast as Record<string, unknown> | undefined;
const decisionOf = (key: string): Record<string, unknown> =>
  cluster.stored(key).status?.decision as Record<string, unknown>;
const readiness = (key: string): string | undefined => setting.condition(key, "ForecastReady");

type Loads = Record<string, LoadAt>;

/** Syncs once a minute, with these loads; the replicas after each sync. */
const course = (key: string, minutes: number, loads: Loads = { rps: daily }): Promise<number[]> =>
  setting.course(key, minutes, {
    seconds: 60,
    before: () => {
      for (const [name, load] of Object.entries(loads))
        cluster.external.set(name, `${Math.round(1000 * load(Date.now()))}m`);
    },
  });

/** The first two syncs of a process: the stored history is read, and replayed. */
async function begin(key: string, loads?: Loads): Promise<void> {
  await course(key, 1, loads);
  await replayed();
  await course(key, 1, loads);
}

/** An MLScaler with five days of history, after the first two syncs. */
async function begun(spec: object = {}, loads: Loads = { rps: daily }): Promise<string> {
  const key = create(
    spec,
    Object.keys(loads).map(name => external(name)),
  );
  await storeHistory(cluster, key, 5, Object.values(loads));
  await begin(key, loads);
  return key;
}

/** The same course where nothing is forecast, from the beginning of time. */
async function courseOfHpa(minutes: number, load: LoadAt): Promise<number[]> {
  vi.setSystemTime(start);
  cluster.configMaps.clear();
  setting.restart();
  return course(create({ forecast: { model: "off" } }), minutes, { rps: load });
}

describe("a load that is as every day", () => {
  it("is forecast from the stored history, trusted at once, and met before it rises, where an HPA is late", async () => {
    const key = create({ forecast: undefined });
    await storeHistory(cluster, key, 8, [daily]);
    await course(key, 1);
    expect(readiness(key)).toBe("False/Learning");
    await replayed();
    const counts = await course(key, 39);
    expect(readiness(key)).toBe("True/Trusted");
    expect(forecastOf(key)).toMatchObject({ trusted: true, samples: 2, horizon_seconds: 150 });
    const moved = cluster.events.findLast(({ reason }) => reason === "SuccessfulRescale");
    expect(moved?.message).toMatch(/^5 → [78]: forecast p90 [67]\d\d\.\d\d rps in 150 s \(model \w+\), target 100$/);
    expect(setting.condition(key, "Scaled")).toBe("True/PredictionBased");
    const first = (of: number[]): number => of.findIndex(count => count >= 7);
    // Five minutes before 00:30, when the slot in which it rises has come within the horizon.
    expect([25, 26]).toContain(first([5, ...counts]));
    expect(first(await courseOfHpa(40, daily))).toBeGreaterThanOrEqual(30);
  });

  it.each([
    [6, 450],
    [20, 1290],
  ])("is met by pods that take %d minutes to start: they are Ready when it rises", async (minutes, seconds) => {
    const key = create();
    await storeHistory(cluster, key, 5, [daily]);
    const created = Array.from({ length: 5 }, () => start.getTime() - day);
    /** Syncs once a minute, with a pod a replica; how many are Ready at the last sync. */
    const readyAfter = async (count: number): Promise<number> => {
      let ready = 0;
      await setting.course(key, count, {
        seconds: 60,
        before: () => {
          const now = Date.now();
          while (created.length < setting.replicas()) created.push(now - minute);
          const pods: StoredPod[] = created.map((at, index) => ({
            ...{ name: `web-${index}`, revision: "1", created: new Date(at) },
            ready: now - at >= minutes * minute,
            since: new Date(at + minutes * minute),
          }));
          ready = pods.filter(pod => pod.ready).length;
          Object.assign(cluster.deployments.get("web") ?? {}, { pods });
          cluster.external.set("rps", `${Math.round(1000 * daily(now))}m`);
        },
      });
      return ready;
    };
    await readyAfter(1);
    await replayed();
    expect(await readyAfter(2)).toBe(5);
    expect(forecastOf(key)).toMatchObject({ trusted: true, horizon_seconds: seconds });
    // The sync at 00:30 is the first with the load.
    expect(await readyAfter(28)).toBeGreaterThanOrEqual(7);
  });
});

describe("a trusted forecast that is not there yet", () => {
  const atOnce = { behavior: { scaleDown: { stabilizationWindowSeconds: 0 } } };

  /** Keeps replays from ending until the returned function is called. */
  function heldReplays(): () => void {
    let held = true;
    const replay = Forecaster.replay.bind(Forecaster);
    vi.spyOn(Forecaster, "replay").mockImplementation(function* (...args) {
      while (held) yield;
      return yield* replay(...args);
    });
    return () => (held = false);
  }

  /** An MLScaler whose target was scaled up for the rise at 00:30, which has not come yet. */
  async function scaledUp(loads?: Loads): Promise<string> {
    const key = await begun(atOnce, loads);
    await course(key, 25, loads);
    expect(setting.replicas()).toBeGreaterThanOrEqual(7);
    return key;
  }

  it("is replayed slowly while objects wait for their first sync", async () => {
    const key = create();
    await storeHistory(cluster, key, 5, [daily]);
    const slicesIn = async (turns: number, starting: boolean): Promise<number> => {
      let slices = 0;
      const replay = vi.spyOn(Forecaster, "replay").mockImplementation(function* () {
        for (; slices < turns; slices++) yield;
        throw new Error("enough");
      });
      setting.starting = starting;
      setting.restart();
      await course(key, 1);
      for (let count = 0; count < turns; count++) await turn();
      replay.mockRestore();
      return slices;
    };
    expect(await slicesIn(200, false)).toBeGreaterThan(190);
    expect(await slicesIn(200, true)).toBeLessThan(150);
  });

  it("holds the count after restarts and an outage, of one of two metrics, too", async () => {
    const loads = { rps: daily, queue: flat };
    const key = await scaledUp(loads);
    const before = setting.replicas();
    const release = heldReplays();
    setting.restart();
    cluster.fail("GET", "namespaces/shop/rps", broken());
    await course(key, 1, loads);
    cluster.heal();
    await course(key, 1, loads);
    expect(decisionOf(key).reason).toMatch(/not lowered while trusted forecasts are replayed/);
    expect(cluster.condition(key, "ForecastReady")).toMatchObject({
      ...{ status: "Unknown", reason: "Replaying", message: expect.stringMatching(/10 minutes/) as string },
    });
    setting.restart();
    await course(key, 1, loads);
    expect(setting.replicas()).toBe(before);
    release();
    await replayed();
    await course(key, 1, loads);
    expect(readiness(key)).toBe("True/Trusted");
    expect(setting.replicas()).toBe(before);
  });

  it("is not in the status for a minute, unless something else changes, and then is", async () => {
    const key = await scaledUp();
    await course(key, 1);
    const before = structuredClone(cluster.stored(key).status);
    heldReplays();
    const replay = async (seconds: number, load = "1"): Promise<void> => {
      setting.restart();
      await setting.course(key, 2, { seconds, before: () => cluster.external.set("rps", load) });
    };
    await replay(59);
    expect(cluster.stored(key).status).toEqual(before);
    await replay(61);
    expect(readiness(key)).toBe("Unknown/Replaying");
    Object.assign(cluster.stored(key).status ?? {}, before);
    await replay(1, "2000");
    expect(readiness(key)).toBe("Unknown/Replaying");
    expect(decisionOf(key).final).toBe(16);
  });

  it("holds the count with another horizon, until a deadline that is told", async () => {
    const key = await scaledUp();
    const before = setting.replicas();
    heldReplays();
    Object.assign(cluster.stored(key).spec, { forecast: { model, horizon_seconds: 1800 } });
    setting.controller.doubt(key);
    const still = { rps: (): number => 400 };
    expect((await course(key, 9, still)).at(-1)).toBe(before);
    expect((await course(key, 2, still)).at(-1)).toBe(4);
    expect(readiness(key)).toBe("False/Replaying");
    expect(cluster.condition(key, "ForecastReady")?.message).toMatch(/current load alone/);
  });
});

describe("what cannot be foreseen", () => {
  it("by a forecast that is worse than the last value is told so: only the outcome takes its trust", async () => {
    const key = await begun();
    const score = { origins: 400, skill: -0.18, coverage: 0.5 };
    vi.spyOn(Forecaster.prototype, "score", "get").mockReturnValue(score);
    await course(key, 7, { rps: () => 400 });
    expect(cluster.condition(key, "ForecastReady")).toMatchObject({
      ...{ status: "True", reason: "Trusted", message: "about 20% worse than the last value over 24 h" },
    });
    const told = { trusted: true, skill_percent: -18, coverage_percent: 50 };
    expect(forecastOf(key)).toMatchObject(told);
  });

  it("by a forecast that cost more than it saved in a week is not trusted", async () => {
    const key = create();
    await storeHistory(cluster, key, 5, [daily]);
    const name = "mlscaler-state-uid-web";
    const stored = cluster.configMaps.get(name) as { data: { state: string } };
    const state = JSON.parse(stored.data.state) as object;
    const hours = (replicas: number, missing: number): object => ({
      ...{ replicas: replicas * 60 * minute, missing: missing * 60 * minute },
    });
    const raised = { 60: hours(120, 0.5), 90: hours(140, 0.5), 95: hours(160, 0.4) };
    const loops = { hpa: hours(100, 0.5), margin: hours(120, 0.1), raised };
    const trials = [{ day: Math.floor(Date.now() / day) - 1, tried: day, ...loops }];
    cluster.configMaps.set(name, { ...stored, data: { ...stored.data, state: JSON.stringify({ ...state, trials }) } });
    await begin(key);
    expect(cluster.condition(key, "ForecastReady")).toMatchObject({
      ...{ status: "False", reason: "Demoted" },
      message: "costs 40 % more replica-hours and saves nothing",
    });
    await course(key, 25);
    expect(setting.replicas()).toBe(5);
  });

  it("by a forecast that saved more than it cost stays trusted, and the trial goes on over a restart", async () => {
    const key = await begun();
    await course(key, 60);
    expect(readiness(key)).toBe("True/Trusted");
    const benefit = async (): Promise<BenefitDay | undefined> => {
      await setting.controller.flush();
      const { data } = cluster.configMaps.get("mlscaler-state-uid-web") as { data: { state: string } };
      return decodeState(data.state).state.benefit[0];
    };
    const first = await benefit();
    // The rise at 00:30 finds HPA alone late by a sync and a start.
    expect(first?.tried).toBeGreaterThan(57 * minute);
    for (const raised of Object.values(first?.raised ?? {})) {
      expect(raised.replicas).toBeGreaterThan(first?.hpa.replicas ?? NaN);
      expect(raised.missing).toBeLessThan(first?.hpa.missing ?? NaN);
      // The margin rises only with the load.
      expect(raised.missing).toBeLessThan(first?.margin.missing ?? NaN);
    }
    expect(Object.keys(first?.raised ?? {})).toEqual(["60", "90", "95"]);
    expect(first?.margin.replicas).toBeGreaterThan(first?.hpa.replicas ?? NaN);
    setting.restart();
    await begin(key);
    await course(key, 10);
    expect((await benefit())?.tried).toBeGreaterThan((first?.tried ?? NaN) + 8 * minute);
  });
});

it("a forecaster that fails stops no scaling, is said, and begins anew", async () => {
  const key = await begun();
  const spy = vi.spyOn(Forecaster.prototype, "forecast").mockImplementation(() => {
    throw new Error("singular matrix");
  });
  expect((await course(key, 10, { rps: () => 700 })).at(-1)).toBe(7);
  expect(cluster.condition(key, "ForecastReady")).toMatchObject({
    ...{ status: "False", reason: "ModelFailed", message: "singular matrix" },
  });
  expect(cluster.condition(key, "Ready")?.status).toBe("True");
  // The verdict stays until the deadline.
  expect(forecastOf(key)).toMatchObject({ model, trusted: true });
  expect(forecastOf(key)).not.toHaveProperty("load");
  expect(cluster.events.filter(({ type }) => type === "Warning")).toEqual([]);
  spy.mockRestore();
  await course(key, 5);
  await replayed();
  await course(key, 1);
  expect(readiness(key)).toBe("True/Trusted");
});

it.each<[string, number[], object, number]>([
  ["as far as the slowest tenth of the pods took to start, half a minute and a sync", [40, 40, 400], {}, 490],
  ["as far as the spec says", [400, 400], { forecast: { horizon_seconds: 77 } }, 77],
])("a forecast looks ahead %s", async (_, took, spec, seconds) => {
  const key = create(spec);
  const since = new Date(start.getTime() - day);
  const pods = took.map((startUp, index) => ({
    ...{ name: `web-${index}`, revision: "1", ready: true, since, cores: 0.1 },
    created: new Date(since.getTime() - 1000 * startUp),
  }));
  Object.assign(cluster.deployments.get("web") ?? {}, { pods, replicas: took.length });
  await course(key, 1, { rps: flat });
  expect(forecastOf(key)?.horizon_seconds).toBe(seconds);
});

describe("a change of spec.forecast", () => {
  const change = (key: string, forecast: object | undefined): void => {
    const { spec, metadata } = cluster.stored(key);
    spec.forecast = forecast;
    metadata.generation++;
  };

  it("to off ends it, and back again begins it; of the bound of the rise it replays nothing", async () => {
    const key = await begun();
    const replay = vi.spyOn(Forecaster, "replay");
    change(key, { model, max_extra_percent: 50 });
    await course(key, 1);
    expect(forecastOf(key)?.trusted).toBe(true);
    expect(replay).not.toHaveBeenCalled();
    change(key, { model: "off" });
    await course(key, 1);
    expect(forecastOf(key)).toBeUndefined();
    expect(readiness(key)).toBe("False/Off");
    change(key, { model });
    await begin(key);
    expect(readiness(key)).toBe("True/Trusted");
  });

  it("that gives the short form a block finds the history that was kept without it", async () => {
    const key = cluster.createOn(5, { max_replicas: 100 });
    await storeHistory(cluster, key, 5, [at => daily(at) / 1000]);
    await course(key, 1);
    expect(forecastOf(key)?.model).toBe("linear");
    change(key, { model });
    await begin(key);
    expect(readiness(key)).toBe("True/Trusted");
    change(key, undefined);
    await course(key, 1);
    expect(forecastOf(key)?.model).toBe("linear");
  });
});

describe("a workload without history", () => {
  it("is foreseen within a quarter of an hour, and says how far it is until then", async () => {
    const key = create({ forecast: undefined });
    const said = (): unknown => cluster.condition(key, "ForecastReady")?.message;
    const messages = new Set<unknown>();
    for (let at = 0; at < 16; at++) {
      await course(key, 1);
      messages.add(said());
    }
    expect([...messages].slice(0, 2)).toEqual(["Learning 0 of 2 samples", "Learning 1 of 2 samples"]);
    expect(readiness(key)).toBe("True/Trusted");
    expect(forecastOf(key)).toMatchObject({ trusted: true, samples: 2 });
  });
});

describe("what an HPA alone would have done", () => {
  const shadowOf = (key: string): Record<string, number> | undefined =>
    cluster.stored(key).status?.shadow as Record<string, number> | undefined;

  it("is told beside what was done, count by count: the HPA is late", async () => {
    const key = await begun();
    const told = [];
    for (let slot = 0; slot < 12; slot++) {
      await course(key, 5);
      told.push(shadowOf(key)?.hpa_replicas);
    }
    expect(shadowOf(key)?.underprovisioned_seconds_24h).toBe(0);
    // Until the sync that sees it, and for the minute in which its pods start.
    expect(shadowOf(key)?.underprovisioned_seconds_hpa_24h).toBeGreaterThanOrEqual(60);
    expect(shadowOf(key)?.underprovisioned_seconds_hpa_24h).toBeLessThanOrEqual(180);
    const hpa = await courseOfHpa(62, daily);
    // What is told is of the slot that closed last: of its last sync.
    expect(told).toEqual(told.map((_, slot) => hpa[5 * (slot + 1) - 1]));
    expect(new Set(told).size).toBeGreaterThan(1);
  });
});
