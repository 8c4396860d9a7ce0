import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { decodeState } from "../../../../capabilities/mlscaler/memory/codec";
import { BenefitDay } from "../../../../capabilities/mlscaler/scaling/benefit";
import { Forecaster } from "../../../../capabilities/mlscaler/forecast/forecaster";
import { broken } from "../../fake-api";
import { FakeCluster, StoredPod, writesOf } from "../../fake-cluster";
import { pass, start, useFakeTime } from "../../time";
import { controllerOf, courseOf, TestedController } from "./controller-of";
import { LoadAt, noise, replayed, storeHistory } from "../memory/remembered";

const minute = 60_000;
const day = 86_400_000;

let cluster: FakeCluster;
let controller: TestedController;

beforeEach(() => {
  cluster = new FakeCluster();
  controller = controllerOf(cluster);
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** A total of which each replica is to have 100, or a value that all share. */
const external = (name: string, type: "AverageValue" | "Value" = "AverageValue"): object => ({
  type: "External",
  external: { metric: { name }, target: { type, [type === "Value" ? "value" : "averageValue"]: "100" } },
});

/** 400, by a quarter more and less over the day, and 300 more from 00:30 to 02:30; with a hundredth of noise. */
const daily: LoadAt = at => {
  const time = at % day;
  const rise = time >= 30 * minute && time < 150 * minute ? 300 : 0;
  return 400 + 100 * Math.sin((2 * Math.PI * time) / day) + rise + 10 * noise(at);
};
/** A random walk: nothing is nearer to what comes than what is. */
const walk = Array.from({ length: 9 * 288 }, (_, slot) => noise(slot * 5 * minute, 7) - 0.5).reduce<number[]>(
  (levels, step) => [...levels, (levels.at(-1) ?? 400) * Math.exp(step / 10)],
  [],
);
const erratic: LoadAt = at => walk[Math.floor((at - start.getTime() + 8 * day) / (5 * minute))] ?? NaN;
const flat: LoadAt = at => 250 + noise(at, 3);

/** An MLScaler with these metrics on web, which has five replicas. */
function create(spec: object = {}, metrics = [external("rps")]): string {
  cluster.deploy("web", 5);
  return cluster.create("web", {
    ...{ metric: undefined, history_size: undefined, max_replicas: 100, metrics },
    ...spec,
  });
}

const replicas = (): number | undefined => cluster.deployments.get("web")?.replicas;
const forecastOf = (key: string): Record<string, unknown> | undefined =>
  cluster.stored(key).status?.forecast as Record<string, unknown> | undefined;
const decisionOf = (key: string): Record<string, unknown> =>
  cluster.stored(key).status?.decision as Record<string, unknown>;

/** Syncs every 15 s, with these loads; the replicas after each sync. */
async function course(key: string, minutes: number, loads: Record<string, LoadAt> = { rps: daily }): Promise<number[]> {
  const counts = await courseOf(controller, cluster, key, 4 * minutes, () => {
    for (const [name, load] of Object.entries(loads))
      cluster.external.set(name, `${Math.round(1000 * load(Date.now()))}m`);
  });
  return counts.map(count => count ?? NaN);
}

/** The first syncs of a process: the stored history is read, and replayed. */
async function begin(key: string, loads?: Record<string, LoadAt>): Promise<void> {
  await course(key, 0.25, loads);
  await replayed();
  await course(key, 0.25, loads);
}

/** The same syncs where nothing is forecast. */
async function courseOfHpa(minutes: number, loads: Record<string, LoadAt>, spec: object = {}): Promise<number[]> {
  vi.setSystemTime(start);
  cluster = new FakeCluster();
  controller = controllerOf(cluster);
  const key = create(
    { ...spec, forecast: { model: "off" } },
    Object.keys(loads).map(name => external(name)),
  );
  return course(key, minutes, loads);
}

describe("a load that is as every day", () => {
  useFakeTime();

  it("is forecast from the stored history, trusted at once, and met before it rises, where an HPA is late", async () => {
    const key = create();
    await storeHistory(cluster, key, 28, [daily]);
    await course(key, 0.25);
    expect(cluster.condition(key, "ForecastReady")).toMatchObject({
      ...{ status: "False", reason: "Learning", message: "Learning 0 of 288 scored forecasts" },
    });
    await replayed();
    const counts = await course(key, 39.75);
    expect(cluster.condition(key, "ForecastReady")).toMatchObject({ status: "True", reason: "Trusted" });
    expect(forecastOf(key)).toMatchObject({ trusted: true, samples: 288, horizon_seconds: 110 });
    const hpa = await courseOfHpa(40, { rps: daily });
    const first = (of: number[]): number => of.findIndex(count => count >= 7);
    // Five minutes before 00:30, when the slot in which it rises has come within the horizon.
    expect(first([5, ...counts])).toBeGreaterThanOrEqual(4 * 25);
    expect(first([5, ...counts])).toBeLessThanOrEqual(4 * 26);
    expect(first(hpa)).toBeGreaterThanOrEqual(4 * 30);
  });

  it("is told as what moved the target", async () => {
    const key = create();
    await storeHistory(cluster, key, 5, [daily]);
    await begin(key);
    await course(key, 26);
    const moved = cluster.events.findLast(({ reason }) => reason === "SuccessfulRescale");
    expect(moved?.message).toMatch(/^5 → [78]: forecast [67]\d\d\.\d\d rps in 110 s \(\w+, 90 % below\), target 100$/);
    expect(cluster.condition(key, "Scaled")).toMatchObject({ status: "True", reason: "PredictionBased" });
    expect(cluster.condition(key, "Scaled")?.message).toMatch(/^Predicted load: [67]\d\d\.\d\d$/);
    expect(decisionOf(key)).toMatchObject({ reactive: 5 });
    expect(decisionOf(key).predictive).toBe(replicas());
    expect(cluster.stored(key).status?.metrics).toMatchObject([{ forecast: forecastOf(key)?.load }]);
  });

  it.each([
    [20, 6],
    [0, 5],
  ])("is met with at most max_extra_percent %d above what the load of now asks for: %d", async (extra, most) => {
    const key = create({ forecast: { max_extra_percent: extra } });
    await storeHistory(cluster, key, 5, [daily]);
    await begin(key);
    await course(key, 29);
    expect(replicas()).toBe(most);
    expect(decisionOf(key).predictive).toBeGreaterThan(most);
    await course(key, 4);
    expect(replicas()).toBeGreaterThan(most);
  });

  it("is only told of in mode Observe", async () => {
    const key = create({ mode: "Observe" });
    await storeHistory(cluster, key, 5, [daily]);
    await begin(key);
    await course(key, 26);
    expect(cluster.scaled).toEqual([]);
    expect(cluster.stored(key).status?.predicted_replicas).toBeGreaterThanOrEqual(7);
    expect(cluster.condition(key, "AbleToScale")?.message).toMatch(/^would scale to [78], spec\.mode is Observe$/);
    expect(forecastOf(key)?.trusted).toBe(true);
  });

  it("is met by the short form with a forecast block too", async () => {
    const cores: LoadAt = at => daily(at) / 1000;
    const block = { quantile_percent: 80 };
    cluster.deploy("web", 5);
    const key = cluster.create("web", { max_replicas: 100, forecast: block });
    await storeHistory(cluster, key, 5, [cores]);
    const minutes = async (count: number): Promise<void> => {
      for (let sync = 0; sync < 2 * count; sync++) {
        cluster.load = cores(Date.now());
        await controller.sync(key);
        await pass(30);
      }
    };
    await minutes(0.5);
    await replayed();
    await minutes(26);
    expect(cluster.condition(key, "ForecastReady")).toMatchObject({ status: "True", reason: "Trusted" });
    expect(replicas()).toBeGreaterThanOrEqual(7);
    const reason = /^\d: forecast 0\.7\d cores in 120 s \(\w+, 80 % below\), 10 replicas per core$/;
    expect(decisionOf(key).reason).toMatch(reason);
  });
});

describe("a trusted forecast that is not there yet", () => {
  useFakeTime();

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
  async function scaledUp(
    spec: object = {},
    metrics?: object[],
    loads?: Record<string, LoadAt>,
    histories = metrics ? [daily, flat] : [daily],
  ): Promise<string> {
    const key = create({ ...atOnce, ...spec }, metrics);
    await storeHistory(cluster, key, 5, histories);
    await begin(key, loads);
    await course(key, 26, loads);
    expect(replicas()).toBeGreaterThanOrEqual(7);
    return key;
  }

  it("is replayed slowly while objects wait for their first sync", async () => {
    const key = create();
    await storeHistory(cluster, key, 5, [daily]);
    const slicesIn = async (turns: number, starting: boolean): Promise<number> => {
      let slices = 0;
      vi.spyOn(Forecaster, "replay").mockImplementation(function* () {
        for (; slices < turns; slices++) yield;
        throw new Error("enough");
      });
      controller = controllerOf(cluster, { starting: () => starting });
      await course(key, 0.25);
      for (let count = 0; count < turns; count++) await turn();
      vi.restoreAllMocks();
      return slices;
    };
    expect(await slicesIn(200, false)).toBeGreaterThan(190);
    expect(await slicesIn(200, true)).toBeLessThan(100);
  });

  it.each<[string, object[] | undefined, Record<string, LoadAt>]>([
    ["", undefined, { rps: daily }],
    [" of one of two metrics", [external("rps"), external("queue")], { rps: daily, queue: flat }],
  ])("holds the count after a restart%s", async (_, metrics, loads) => {
    const key = await scaledUp({}, metrics, loads);
    const before = replicas();
    const release = heldReplays();
    controller = controllerOf(cluster);
    await course(key, 2, loads);
    expect(replicas()).toBe(before);
    expect(decisionOf(key).reason).toMatch(/not lowered while trusted forecasts are replayed/);
    expect(cluster.condition(key, "ForecastReady")).toMatchObject({ status: "Unknown", reason: "Replaying" });
    expect(cluster.condition(key, "ForecastReady")?.message).toMatch(/10 minutes/);
    // Another restart meanwhile.
    controller = controllerOf(cluster);
    await course(key, 1, loads);
    expect(replicas()).toBe(before);
    release();
    await replayed();
    await course(key, 0.5, loads);
    expect(cluster.condition(key, "ForecastReady")).toMatchObject({ status: "True", reason: "Trusted" });
    expect(replicas()).toBe(before);
  });

  it("is not a forecast that was never trusted, of another metric", async () => {
    const loads = { rps: daily, queue: flat };
    const key = await scaledUp({}, [external("rps"), external("queue")], loads, [daily]);
    expect(cluster.stored(key).status?.metrics).toMatchObject([{ trusted: true }, { trusted: false }]);
    controller = controllerOf(cluster);
    await course(key, 0.5, loads);
    await replayed();
    await course(key, 0.5, loads);
    expect(cluster.condition(key, "ForecastReady")).toMatchObject({ status: "True", reason: "Trusted" });
  });

  it("holds the count after a restart in an outage of the metrics", async () => {
    const key = await scaledUp();
    const before = replicas();
    const release = heldReplays();
    controller = controllerOf(cluster);
    cluster.fail("GET", "namespaces/shop/rps", broken());
    await course(key, 1);
    cluster.heal();
    await course(key, 1);
    expect(replicas()).toBe(before);
    release();
  });

  it("holds the count with another horizon, until a deadline that is told", async () => {
    const key = await scaledUp();
    const before = replicas() ?? NaN;
    const release = heldReplays();
    Object.assign(cluster.stored(key).spec, { forecast: { horizon_seconds: 1800 } });
    controller.invalidate(key);
    const still = { rps: (): number => 400 };
    await course(key, 9, still);
    expect(replicas()).toBe(before);
    await course(key, 2, still);
    expect(replicas()).toBe(4);
    expect(cluster.condition(key, "ForecastReady")).toMatchObject({ status: "False", reason: "Replaying" });
    expect(cluster.condition(key, "ForecastReady")?.message).toMatch(/current load alone/);
    release();
  });

  it("holds nothing if it was never trusted", async () => {
    const key = create(atOnce);
    await storeHistory(cluster, key, 5, [daily]);
    const release = heldReplays();
    await course(key, 1, { rps: () => 300 });
    expect(replicas()).toBe(3);
    expect(cluster.condition(key, "ForecastReady")).toMatchObject({ status: "False", reason: "Learning" });
    release();
  });
});

describe("what cannot be foreseen", () => {
  useFakeTime();

  it("is not trusted, and scaled exactly as by an HPA", async () => {
    const key = create();
    await storeHistory(cluster, key, 5, [erratic]);
    await begin(key, { rps: erratic });
    const counts = await course(key, 120, { rps: erratic });
    expect(cluster.condition(key, "ForecastReady")).toMatchObject({ status: "False", reason: "Demoted" });
    expect(cluster.condition(key, "ForecastReady")?.message).toMatch(
      /^(about \d+% (better|worse) than|its upper quantile costs about \d+% more than) the last value/,
    );
    expect(forecastOf(key)).toMatchObject({ trusted: false, samples: 288 });
    expect(new Set(counts).size).toBeGreaterThan(2);
    expect(counts).toEqual((await courseOfHpa(120.5, { rps: erratic })).slice(2));
  });

  it("by a forecast that was trusted is told as how much worse it is, and raises nothing any more", async () => {
    const key = create();
    await storeHistory(cluster, key, 5, [daily]);
    await begin(key);
    expect(forecastOf(key)?.trusted).toBe(true);
    await course(key, 61, { rps: () => 400 });
    vi.spyOn(Forecaster.prototype, "score", "get").mockReturnValue({ origins: 400, skill: -0.18, coverage: 0.5 });
    await course(key, 0.25, { rps: () => 400 });
    expect(cluster.condition(key, "ForecastReady")).toMatchObject({
      ...{ status: "False", reason: "Demoted", message: "about 20% worse than the last value over 24 h" },
    });
    expect(forecastOf(key)).toMatchObject({ trusted: false, skill_percent: -18, coverage_percent: 50 });
    expect(decisionOf(key)).not.toHaveProperty("predictive");
    await course(key, 6, { rps: () => 400 });
    expect(replicas()).toBe(4);
  });

  it("by an upper quantile that costs more than it brings is not trusted, however good the mean", async () => {
    const key = create();
    await storeHistory(cluster, key, 5, [daily]);
    const score = { origins: 400, skill: 0.6, upperSkill: -0.31, coverage: 1 };
    vi.spyOn(Forecaster.prototype, "score", "get").mockReturnValue(score);
    await begin(key);
    expect(forecastOf(key)).toMatchObject({ trusted: false, skill_percent: 60, upper_skill_percent: -31 });
    expect(cluster.condition(key, "ForecastReady")).toMatchObject({ status: "False", reason: "Demoted" });
    expect(cluster.condition(key, "ForecastReady")?.message).toMatch(/^its upper quantile costs about 30% more than/);
  });

  it("by a forecast that cost more than it saved in a week is not trusted, and its replicas go", async () => {
    const key = create();
    await storeHistory(cluster, key, 5, [daily]);
    const name = "mlscaler-state-uid-web";
    const stored = cluster.configMaps.get(name) as { data: { state: string } };
    const state = JSON.parse(stored.data.state) as object;
    const today = Math.floor(Date.now() / day);
    const hours = (replicas: number, missing: number): object => ({
      ...{ replicas: replicas * 60 * minute, missing: missing * 60 * minute },
    });
    const loops = { hpa: hours(100, 0.5), raised: hours(140, 0.5), margin: hours(140, 0.1) };
    const benefit = [{ day: today - 1, tried: day, ...loops }];
    cluster.configMaps.set(name, { ...stored, data: { ...stored.data, state: JSON.stringify({ ...state, benefit }) } });
    await begin(key);
    expect(cluster.condition(key, "ForecastReady")).toMatchObject({
      ...{ status: "False", reason: "Demoted" },
      message:
        "in the last 7 days HPA was short of about 0.5 replica-hours, with the forecast it would be of 0.5, and with " +
        "as many replicas at a lower target of 0.1",
    });
    expect(forecastOf(key)).toMatchObject({ trusted: false });
    const counts = await course(key, 40);
    expect(counts).toEqual((await courseOfHpa(40.5, { rps: daily })).slice(2));
  });

  it("by a forecast that saved more than it cost stays trusted, and the trial goes on over a restart", async () => {
    const key = create();
    await storeHistory(cluster, key, 5, [daily]);
    await begin(key);
    await course(key, 60);
    expect(cluster.condition(key, "ForecastReady")).toMatchObject({ reason: "Trusted" });
    await controller.flush();
    const benefitOf = (): BenefitDay[] => {
      const { data } = cluster.configMaps.get("mlscaler-state-uid-web") as { data: { state: string } };
      return decodeState(data.state).state.benefit;
    };
    const [first] = benefitOf();
    // The rise at 00:30 finds HPA alone late by a sync and a start.
    expect(first?.tried).toBeGreaterThan(58 * minute);
    expect(first?.raised.replicas).toBeGreaterThan(first?.hpa.replicas ?? NaN);
    expect(first?.raised.missing).toBeLessThan(first?.hpa.missing ?? NaN);
    // The margin has more replicas than HPA alone, and rises only with the load.
    expect(first?.margin.replicas).toBeGreaterThan(first?.hpa.replicas ?? NaN);
    expect(first?.margin.missing).toBeGreaterThan(first?.raised.missing ?? NaN);
    controller = controllerOf(cluster);
    await begin(key);
    await course(key, 10);
    await controller.flush();
    expect(benefitOf()[0]?.tried).toBeGreaterThan((first?.tried ?? NaN) + 8 * minute);
  });

  it("is what the last value forecasts, which can beat itself never", async () => {
    const key = create({ forecast: { model: "last" } });
    await storeHistory(cluster, key, 5, [daily]);
    await begin(key);
    expect(cluster.condition(key, "ForecastReady")).toMatchObject({ status: "False", reason: "Demoted" });
    expect(forecastOf(key)).toMatchObject({ model: "last", trusted: false, skill_percent: 0 });
  });

  it("is a load without a total, whose metric has a target of type Value", async () => {
    const key = create({}, [external("latency", "Value")]);
    await course(key, 0.5, { latency: () => 150 });
    expect(cluster.condition(key, "ForecastReady")).toMatchObject({ status: "False", reason: "NoTotal" });
    expect(forecastOf(key)).toBeUndefined();
    expect(replicas()).toBeGreaterThan(5);
    expect([...cluster.configMaps.keys()]).toEqual(["mlscaler-state-uid-web"]);
  });

  it("is anything with the model off; then no history is kept either", async () => {
    const key = create({ forecast: { model: "off" } });
    await storeHistory(cluster, key, 2, [daily]);
    await begin(key);
    await course(key, 30);
    expect(cluster.condition(key, "ForecastReady")).toMatchObject({ status: "False", reason: "Off" });
    expect(forecastOf(key)).toBeUndefined();
    expect([...cluster.configMaps.keys()]).toEqual(["mlscaler-state-uid-web"]);
  });
});

describe("a forecaster that fails", () => {
  useFakeTime();

  const fails = (): never => {
    throw new Error("singular matrix");
  };

  it.each(["forecast", "observe"] as const)("in %s stops no scaling, is said, and begins anew", async method => {
    const key = create();
    await storeHistory(cluster, key, 5, [daily]);
    await begin(key);
    expect(forecastOf(key)?.trusted).toBe(true);
    const spy = vi.spyOn(Forecaster.prototype, method).mockImplementation(fails);
    const counts = await course(key, 10, { rps: () => 700 });
    expect(spy).toHaveBeenCalled();
    expect(counts.at(-1)).toBe(7);
    expect(cluster.condition(key, "ForecastReady")).toMatchObject({
      ...{ status: "False", reason: "ModelFailed", message: "singular matrix" },
    });
    expect(cluster.condition(key, "Ready")?.status).toBe("True");
    // The verdict stays until the deadline.
    expect(forecastOf(key)).toMatchObject({ model: "auto", trusted: true });
    expect(forecastOf(key)).not.toHaveProperty("load");
    expect(cluster.events.filter(({ type }) => type === "Warning")).toEqual([]);
    spy.mockRestore();
    await course(key, 5);
    await replayed();
    await course(key, 0.25);
    expect(cluster.condition(key, "ForecastReady")).toMatchObject({ status: "True", reason: "Trusted" });
  });

  it("while history is replayed is said too, and tried again with each slot, not at each sync", async () => {
    const key = create();
    await storeHistory(cluster, key, 5, [daily]);
    const spy = vi.spyOn(Forecaster, "replay").mockImplementation(fails);
    for (let time = 0; time < 60; time++) {
      await course(key, 0.25);
      await replayed();
    }
    expect(spy.mock.calls.length).toBeGreaterThanOrEqual(3);
    expect(spy.mock.calls.length).toBeLessThanOrEqual(5);
    expect(cluster.condition(key, "ForecastReady")).toMatchObject({
      reason: "ModelFailed",
      message: "singular matrix",
    });
    expect(cluster.condition(key, "Ready")?.status).toBe("True");
    const failures = cluster.api.calls.filter(({ path }) => path.endsWith("/web/status")).length;
    expect(failures).toBeLessThanOrEqual(4);
    spy.mockRestore();
    await course(key, 5);
    await replayed();
    await course(key, 0.25);
    expect(cluster.condition(key, "ForecastReady")).toMatchObject({ status: "True", reason: "Trusted" });
  });

  it("with what is no number asks for nothing", async () => {
    const key = create();
    await storeHistory(cluster, key, 5, [daily]);
    await begin(key);
    for (const load of [NaN, Infinity, -1]) {
      vi.spyOn(Forecaster.prototype, "forecast").mockReturnValue({ loads: [load], uppers: [load], model: "auto" });
      await course(key, 1, { rps: () => 500 });
      expect(replicas()).toBe(5);
      expect(decisionOf(key)).not.toHaveProperty("predictive");
    }
    expect(cluster.condition(key, "Ready")?.status).toBe("True");
  });
});

describe("a gap", () => {
  useFakeTime();

  it("lets the count be, is one in the history, and ends the trust in nothing", async () => {
    const key = create();
    await storeHistory(cluster, key, 5, [daily]);
    await begin(key);
    cluster.fail("GET", "namespaces/shop/rps", broken());
    const counts = await course(key, 15);
    expect(new Set(counts)).toEqual(new Set([5]));
    expect(forecastOf(key)).toMatchObject({ horizon_seconds: 110, samples: 288, trusted: true });
    expect(forecastOf(key)).not.toHaveProperty("load");
    expect(cluster.condition(key, "ForecastReady")).toMatchObject({ status: "True", reason: "Trusted" });
    cluster.heal();
    await course(key, 11);
    expect(forecastOf(key)?.trusted).toBe(true);
    expect(replicas()).toBeGreaterThanOrEqual(7);
  });
});

describe("a rollout", () => {
  useFakeTime();

  const cpu = {
    type: "Resource",
    resource: { name: "cpu", target: { type: "AverageValue", averageValue: "100m" } },
  };
  const cores: LoadAt = at => daily(at) / 1000;
  const longAgo = new Date(start.getTime() - 20 * day);
  const pod = (index: number, rest: Partial<StoredPod> = {}): StoredPod => ({
    ...{ name: `web-${index}`, revision: "1", ready: true, since: longAgo, cores: cores(Date.now()) / 5 },
    ...rest,
  });

  async function syncs(key: string, count: number, pods: () => StoredPod[]): Promise<void> {
    for (let sync = 0; sync < count; sync++) {
      Object.assign(cluster.deployments.get("web") ?? {}, { pods: pods() });
      await controller.sync(key);
      await pass(15);
    }
  }

  it("goes into no history by what its pods need to start, and is no reason to forecast more", async () => {
    const key = create({}, [cpu]);
    await storeHistory(cluster, key, 5, [cores]);
    const settled = (): StoredPod[] => [0, 1, 2, 3, 4].map(index => pod(index));
    await syncs(key, 1, settled);
    await replayed();
    await syncs(key, 19, settled);
    expect(forecastOf(key)?.trusted).toBe(true);
    // One of five starts, and uses two cores for it.
    const since = new Date();
    const hot = (): StoredPod[] =>
      [0, 1, 2, 3, 4].map(index => pod(index, index > 0 ? {} : { revision: "2", since, cores: 2 }));
    await syncs(key, 8, hot);
    expect(Number(forecastOf(key)?.load)).toBeLessThan(0.45);
    expect(Number(forecastOf(key)?.upper)).toBeLessThan(0.5);
    expect(cluster.scaled).toEqual([]);
  });

  it("holds no forecast back", async () => {
    const key = create({}, [cpu]);
    await storeHistory(cluster, key, 5, [cores]);
    const settled = (): StoredPod[] => [0, 1, 2, 3, 4].map(index => pod(index));
    await syncs(key, 1, settled);
    await replayed();
    await syncs(key, 4 * 25 - 1, settled);
    expect(cluster.scaled).toEqual([]);
    const since = new Date();
    const hot = (): StoredPod[] =>
      [0, 1, 2, 3, 4].map(index => pod(index, index > 0 ? {} : { revision: "2", since, cores: 2 }));
    await syncs(key, 4, hot);
    expect(replicas()).toBeGreaterThanOrEqual(7);
    expect(replicas()).toBeLessThanOrEqual(8);
    const moved = cluster.events.find(({ reason }) => reason === "SuccessfulRescale");
    expect(moved?.message).toMatch(/^5 → [78]: forecast 0\.[67]\d cores in 110 s/);
  });
});

describe("how far ahead is looked", () => {
  useFakeTime();

  const pods = (seconds: (number | undefined)[]): StoredPod[] =>
    seconds.map((took, index) => {
      const since = new Date(start.getTime() - day);
      const created = took === undefined ? undefined : new Date(since.getTime() - 1000 * took);
      return { name: `web-${index}`, revision: "1", ready: true, since, created, cores: 0.1 };
    });

  it.each<[string, (number | undefined)[], object, number]>([
    ["is a minute for pods of which nothing is known, half a minute and a sync", [undefined, undefined], {}, 110],
    ["is the time that the target's pods took", [40, 40, 40], {}, 90],
    ["is that of the slowest tenth of them", [40, 40, 400], {}, 450],
    ["has the sync period in it", [40], { sync_period_seconds: 300 }, 370],
    ["is what the spec says", [400, 400], { forecast: { horizon_seconds: 77 } }, 77],
  ])("%s", async (_, took, spec, seconds) => {
    const key = create(spec);
    Object.assign(cluster.deployments.get("web") ?? {}, { pods: pods(took), replicas: took.length });
    await course(key, 0.25, { rps: flat });
    expect(forecastOf(key)?.horizon_seconds).toBe(seconds);
  });

  it("brings replicas earlier where pods take longer", async () => {
    const key = create();
    Object.assign(cluster.deployments.get("web") ?? {}, { pods: pods([400, 400, 400, 400, 400]) });
    await storeHistory(cluster, key, 5, [daily]);
    await begin(key);
    const counts = await course(key, 24);
    const first = counts.findIndex(count => count >= 7);
    expect(first).toBeGreaterThanOrEqual(4 * 19);
    expect(first).toBeLessThanOrEqual(4 * 21);
    expect(forecastOf(key)).toMatchObject({ horizon_seconds: 450, trusted: true });
  });
});

describe("many metrics", () => {
  useFakeTime();

  const metrics = [external("queue"), external("rps")];

  it("are each forecast, and the one that asks for the most counts, and is told", async () => {
    const key = create({}, metrics);
    const loads = { queue: flat, rps: daily };
    await storeHistory(cluster, key, 5, [flat, daily]);
    await begin(key, loads);
    await course(key, 26, loads);
    expect(replicas()).toBeGreaterThanOrEqual(7);
    expect(Number(forecastOf(key)?.load)).toBeGreaterThan(600);
    const [queue, rps] = cluster.stored(key).status?.metrics as { forecast: string }[];
    expect(Number(queue?.forecast)).toBeLessThan(300);
    expect(rps?.forecast).toBe(forecastOf(key)?.load);
    expect([...cluster.configMaps.keys()].filter(name => name.startsWith("mlscaler-history-"))).toHaveLength(2);
  });

  it("that fails lowers nothing, and the forecasts of the others count", async () => {
    const key = create({}, metrics);
    const loads = { queue: flat, rps: daily };
    await storeHistory(cluster, key, 5, [flat, daily]);
    await begin(key, loads);
    cluster.fail("GET", "namespaces/shop/queue", broken());
    await course(key, 26, { rps: daily });
    expect(replicas()).toBeGreaterThanOrEqual(7);
    expect(forecastOf(key)?.trusted).toBe(true);
  });
});

describe("across a restart", () => {
  useFakeTime();

  it("a forecast is trusted again as soon as its history has been replayed", async () => {
    const key = create();
    await storeHistory(cluster, key, 5, [daily]);
    await begin(key);
    await course(key, 10);
    await controller.flush();
    controller = controllerOf(cluster);
    await begin(key);
    expect(forecastOf(key)).toMatchObject({ trusted: true, samples: 288 });
    await course(key, 16);
    expect(replicas()).toBeGreaterThanOrEqual(7);
  });

  it.each([true, false])("one that only just beats the last value is trusted as it was: %s", async trusted => {
    const key = create();
    await storeHistory(cluster, key, 5, [daily]);
    const score = vi.spyOn(Forecaster.prototype, "score", "get");
    score.mockReturnValue({ origins: 288, skill: trusted ? 0.5 : -0.5 });
    await begin(key);
    score.mockReturnValue({ origins: 288, skill: 0 });
    await controller.flush();
    controller = controllerOf(cluster);
    await course(key, 1);
    await replayed();
    await course(key, 1);
    expect(forecastOf(key)).toMatchObject({ trusted, skill_percent: 0 });
  });
});

describe("a change of spec.forecast", () => {
  useFakeTime();

  const change = (key: string, forecast: object | undefined): void => {
    const { spec, metadata } = cluster.stored(key);
    spec.forecast = forecast;
    metadata.generation++;
  };

  async function trusted(spec: object = {}): Promise<string> {
    const key = create(spec);
    await storeHistory(cluster, key, 5, [daily]);
    await begin(key);
    expect(forecastOf(key)?.trusted).toBe(true);
    return key;
  }

  it("has the history replayed, and what comes of it counts", async () => {
    const key = await trusted({ forecast: { quantile_percent: 60 } });
    const before = Number(forecastOf(key)?.upper);
    change(key, { quantile_percent: 99 });
    await begin(key);
    expect(forecastOf(key)?.trusted).toBe(true);
    expect(Number(forecastOf(key)?.upper)).toBeGreaterThan(before);
  });

  it("to another model gives it nothing of the trust in the one before", async () => {
    const key = await trusted();
    change(key, { model: "last" });
    await begin(key);
    expect(forecastOf(key)).toMatchObject({ model: "last", trusted: false, skill_percent: 0 });
  });

  it("to off ends it, and back again begins it", async () => {
    const key = await trusted();
    change(key, { model: "off" });
    await course(key, 1);
    expect(forecastOf(key)).toBeUndefined();
    expect(cluster.condition(key, "ForecastReady")?.reason).toBe("Off");
    change(key, undefined);
    await begin(key);
    expect(cluster.condition(key, "ForecastReady")?.reason).toBe("Trusted");
  });

  it("of what is only told or bounded replays nothing", async () => {
    const key = await trusted();
    const replay = vi.spyOn(Forecaster, "replay");
    change(key, { max_extra_percent: 50 });
    await course(key, 0.5);
    expect(forecastOf(key)?.trusted).toBe(true);
    expect(replay).not.toHaveBeenCalled();
  });

  it("that gives the short form a block finds the history that was kept without it", async () => {
    cluster.deploy("web", 5);
    const key = cluster.create("web", { max_replicas: 100 });
    await storeHistory(cluster, key, 5, [at => daily(at) / 1000]);
    await course(key, 1);
    expect(forecastOf(key)?.model).toBe("linear");
    change(key, {});
    await begin(key);
    expect(cluster.condition(key, "ForecastReady")).toMatchObject({ status: "True", reason: "Trusted" });
    change(key, undefined);
    await course(key, 0.25);
    expect(forecastOf(key)?.model).toBe("linear");
  });
});

describe("the short form without a forecast block", () => {
  useFakeTime();

  async function syncs(key: string, count: number, load: (sync: number) => number): Promise<void> {
    for (let sync = 0; sync < count; sync++) {
      cluster.load = load(sync);
      await controller.sync(key);
      await pass(30);
    }
  }
  const erratically = (sync: number): number => 0.3 + 0.4 * noise(sync * 5 * minute, 5);
  const steadily = (sync: number): number => 0.3 + 0.4 * Math.abs(((sync / 60) % 2) - 1);

  it("is demoted after 288 forecasts that were worse than the last value, and trusted again when they are better", async () => {
    cluster.deploy("web", 5);
    const key = cluster.create("web", { history_size: 2, max_replicas: 100 });
    await syncs(key, 289, erratically);
    expect(cluster.condition(key, "ForecastReady")).toMatchObject({ status: "True", reason: "Fitted" });
    expect(forecastOf(key)).toMatchObject({ model: "linear", trusted: true });
    await syncs(key, 10, sync => erratically(sync + 289));
    expect(cluster.condition(key, "ForecastReady")).toMatchObject({ status: "False", reason: "Demoted" });
    expect(cluster.condition(key, "ForecastReady")?.message).toMatch(
      /^about \d+% worse than the last value over 288 syncs$/,
    );
    expect(forecastOf(key)?.trusted).toBe(false);
    expect(Number(forecastOf(key)?.skill_percent)).toBeLessThan(-2);
    expect(decisionOf(key)).not.toHaveProperty("predictive");
    await syncs(key, 320, steadily);
    expect(cluster.condition(key, "ForecastReady")).toMatchObject({ status: "True", reason: "Fitted" });
    expect(forecastOf(key)?.trusted).toBe(true);
    expect(decisionOf(key)).toHaveProperty("predictive");
  });

  it("keeps the history of days as well, for a block that may come", async () => {
    cluster.deploy("web", 5);
    const key = cluster.create("web");
    await syncs(key, 40, () => 0.5);
    await controller.flush();
    const state = cluster.configMaps.get("mlscaler-state-uid-web") as { data: { tails?: string } };
    expect(JSON.parse(state.data.tails ?? "[]")).toMatchObject([{ of: "cpu of Deployment.apps/web every 300 s" }]);
  });
});

describe("what an HPA alone would have done", () => {
  useFakeTime();

  const shadowOf = (key: string): Record<string, number> | undefined =>
    cluster.stored(key).status?.shadow as Record<string, number> | undefined;

  it("is told beside what was done: the HPA is late", async () => {
    const key = create();
    await storeHistory(cluster, key, 5, [daily]);
    await begin(key);
    expect(shadowOf(key)).toEqual({
      ...{ hpa_replicas: 5, replica_hours_saved_24h: 0 },
      ...{ underprovisioned_seconds_24h: 0, underprovisioned_seconds_hpa_24h: 0 },
    });
    await course(key, 29);
    expect(replicas()).toBeGreaterThanOrEqual(7);
    expect(shadowOf(key)?.hpa_replicas).toBe(5);
    await course(key, 10);
    expect(shadowOf(key)?.hpa_replicas).toBeGreaterThanOrEqual(7);
    expect(shadowOf(key)?.underprovisioned_seconds_24h).toBe(0);
    // Until the sync that sees it, and for the minute in which its pods start.
    expect(shadowOf(key)?.underprovisioned_seconds_hpa_24h).toBeGreaterThanOrEqual(60);
    expect(shadowOf(key)?.underprovisioned_seconds_hpa_24h).toBeLessThanOrEqual(120);
  });

  it("is what an HPA does, count by count", async () => {
    const key = create();
    await storeHistory(cluster, key, 5, [daily]);
    await begin(key);
    const told = [];
    for (let slot = 0; slot < 36; slot++) {
      await course(key, 5);
      told.push(shadowOf(key)?.hpa_replicas);
    }
    const hpa = await courseOfHpa(180.5, { rps: daily });
    // What is told is of the slot that closed last: of its last sync.
    const closed = told.map((_, slot) => hpa[20 * (slot + 1) - 1]);
    expect(told).toEqual(closed);
    expect(new Set(told).size).toBeGreaterThan(1);
  });

  it("is not told where nothing is forecast, and begins anew where it is again", async () => {
    const key = create({ forecast: { model: "off" } });
    await course(key, 1);
    expect(shadowOf(key)).toBeUndefined();
    cluster.stored(key).spec.forecast = {};
    await course(key, 1);
    expect(shadowOf(key)?.hpa_replicas).toBe(5);
    cluster.stored(key).spec.forecast = { model: "off" };
    await course(key, 1);
    expect(shadowOf(key)).toBeUndefined();
  });

  it("is told of the short form with a block, and not of its line", async () => {
    cluster.deploy("web", 5);
    const key = cluster.create("web");
    await controller.sync(key);
    expect(shadowOf(key)).toBeUndefined();
    cluster.stored(key).spec.forecast = {};
    await pass(30);
    await controller.sync(key);
    expect(shadowOf(key)?.hpa_replicas).toBe(5);
  });

  it("stays as it was told while the target cannot be read", async () => {
    const key = create();
    await course(key, 6);
    const before = shadowOf(key);
    expect(before).toBeDefined();
    cluster.deployments.delete("web");
    await controller.sync(key);
    expect(cluster.condition(key, "Ready")?.reason).toBe("FailedGetScale");
    expect(shadowOf(key)).toEqual(before);
  });
});

describe("the status", () => {
  useFakeTime();

  const writes = (): number => writesOf(cluster.api).filter(call => call.endsWith("/web/status")).length;
  /** Within a hundredth, as over an hour before. */
  const steady: LoadAt = at => 450 + 1.5 * Math.sin((2 * Math.PI * at) / (60 * minute)) + 0.1 * noise(at);

  it("is not written because the load and its forecast move within noise, and time with them", async () => {
    const key = create();
    await storeHistory(cluster, key, 5, [steady]);
    await begin(key, { rps: steady });
    expect(forecastOf(key)?.trusted).toBe(true);
    await course(key, 15, { rps: steady });
    const before = writes();
    await course(key, 120, { rps: steady });

    expect(writes() - before).toBeLessThanOrEqual(4);
  });

  it("is written once a slot at most because of the score", async () => {
    const key = create();
    await storeHistory(cluster, key, 5, [steady]);
    await begin(key, { rps: steady });
    let slot = 0;
    vi.spyOn(Forecaster.prototype, "score", "get").mockImplementation(() => {
      slot = Math.floor(Date.now() / (5 * minute));
      return { origins: slot, skill: 0.3 + 0.3 * noise(Date.now()), coverage: 0.6 + 0.4 * noise(Date.now(), 2) };
    });
    await course(key, 15, { rps: steady });
    const before = writes();
    await course(key, 60, { rps: steady });
    expect(slot).toBeGreaterThan(0);
    expect(writes() - before).toBeGreaterThan(3);
    expect(writes() - before).toBeLessThanOrEqual(13);
  });
});
