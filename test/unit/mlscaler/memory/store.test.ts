import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { ApiError } from "../../../../capabilities/kubernetes/api";
import { EventText } from "../../../../capabilities/kubernetes/events";
import { log } from "../../../../capabilities/kubernetes/log";
import { Metadata, metadataSchema } from "../../../../capabilities/kubernetes/metadata";
import { registry } from "../../../../capabilities/operator/telemetry";
import { Memory, memoryOf, recall, remember, State } from "../../../../capabilities/mlscaler/memory/memory";
import { slotMilliseconds } from "../../../../capabilities/mlscaler/history/retention";
import { emptySeries, recorded } from "../../../../capabilities/mlscaler/history/series";
import { decodeState, encodeState } from "../../../../capabilities/mlscaler/memory/codec";
import { Store } from "../../../../capabilities/mlscaler/memory/store";
import { mlscaler, Spec, specSchema } from "../../../../capabilities/mlscaler/schema";
import { broken, forbidden, notFound, refused } from "../../fake-api";
import { pass, start, useFakeTime } from "../../time";
import { Cluster, configMapsPath as path } from "./history-cluster";
import { inTurn } from "../../context";

const begin = start.getTime();

const spec = (fields: object = {}): Spec =>
  specSchema.parse({ target_deployment: "web", max_replicas: 100, metric: "cpu", history_size: 5, ...fields });

const metadata: Metadata = metadataSchema.parse({ name: "web", namespace: "shop", uid: "uid-web" });

let cluster: Cluster;
let events: EventText[];

beforeEach(() => {
  cluster = new Cluster();
  events = [];
});

afterEach(() => {
  vi.restoreAllMocks();
});

const scalerOf = (fields: object = {}, of = metadata): Parameters<Store["memoryOf"]>[0] => ({
  key: `shop/${of.name}`,
  metadata: of,
  spec: spec(fields),
  status: {},
  now: start,
  record: event => Promise.resolve(void events.push(event)),
  turn: inTurn,
});

const newStore = (): Store => new Store(cluster.context, mlscaler);

/** A memory as one sync with this recommendation leaves it, kept; it scales when the count is another. */
async function sync(
  store: Store,
  recommended: number,
  seconds: number,
  current = recommended,
  fields: object = {},
): Promise<Memory> {
  const memory = await store.memoryOf(scalerOf(fields));
  const now = begin + seconds * 1000;
  const past = recall(memory, current, spec(), now);
  const series = recorded(memory.state.series, now, recommended / 10);
  const decision = {
    recommended,
    final: recommended,
    basis: "Load",
    ableToScale: "ReadyForNewScale",
    scalingLimited: "DesiredWithinRange",
    paused: false,
  } as const;
  const plan = { decision, past, failedSyncs: 0 };
  const decided = { current, scaled: current !== recommended };
  const after = remember(memory, { now, series, revision: {}, plan, decided });
  await store.keep("shop/web", after, new Date(now));
  return after;
}

/** What is stored of the MLScaler. */
const written = (): ReturnType<typeof decodeState> => decodeState(cluster.state);

const epoch = fc.integer({ min: begin - 1e9, max: begin + 1e9 });
const load = fc.oneof(fc.double({ min: 0, max: 1e9, noNaN: true }), fc.constant(NaN));

describe("what is stored", () => {
  const amount = fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }).map(Math.abs);
  const sums = fc.record({ replicas: amount, missing: amount });
  const states = fc.record(
    {
      of: fc.string(),
      series: fc.record({
        step: fc.integer({ min: 5000, max: 3_600_000 }),
        origin: fc.integer({ min: -250, max: 3_600_000 }),
        last: fc.oneof(fc.nat(1e9), fc.constant(-Infinity)),
        values: fc.array(load, { maxLength: 200 }),
      }),
      recommendations: fc.array(fc.record({ at: epoch, replicas: fc.nat(1000) })),
      scaleEvents: fc.array(fc.record({ at: epoch, change: fc.integer({ min: -1000, max: 1000 }) })),
      lastRecommended: epoch,
      revision: fc.string(),
      replicas: fc.nat(1000),
      lastScaled: epoch.map(at => new Date(at)),
      benefit: fc.array(
        fc.record({
          ...{ day: fc.nat(1e6), tried: amount, hpa: sums, margin: sums },
          raised: fc.dictionary(fc.constantFrom("60", "90", "95"), sums, { noNullPrototype: true }),
        }),
        { maxLength: 7 },
      ),
    },
    { requiredKeys: ["of", "series", "recommendations", "scaleEvents", "benefit"] },
  );

  it("is read as it was written, to the last bit", () => {
    fc.assert(
      fc.property(states, epoch, (made, at) => {
        const state: State = { ...made, series: { ...made.series, capacity: made.series.values.length } };
        const read = decodeState(encodeState(state, at, 7));
        expect(read).toEqual({ state, writtenAt: at, term: 7 });
        const { values } = read.state.series;
        expect(values.every((value, index) => Object.is(value, state.series.values[index]))).toBe(true);
      }),
    );
  });

  it("has whole times after a jump of the clock, though the monotonic clock has fractions", async () => {
    const store = newStore();
    const wall = vi.spyOn(Date, "now").mockReturnValue(begin);
    const monotonic = vi.spyOn(performance, "now").mockReturnValue(1_000.25);
    await sync(store, 3, 0, 2);
    wall.mockReturnValue(begin + 3_610_000);
    monotonic.mockReturnValue(11_000.6);
    const { state } = await store.memoryOf(scalerOf());
    expect(state.recommendations.map(({ at }) => at)).toEqual([begin + 3_600_000, begin + 3_600_000]);
    expect(state.scaleEvents).toEqual([{ at: begin + 3_600_000, change: 1 }]);
    expect(decodeState(encodeState(state, begin, 1)).state.lastRecommended).toBe(begin + 3_600_000);
  });

  it("is far below the 1 MiB of a ConfigMap, the longest history included", () => {
    const size = (samples: number, recommendations: number): number => {
      const series = { ...emptySeries(5000, 0, samples), last: 35e7, values: Array<number>(samples).fill(0.123456789) };
      const past = Array.from({ length: recommendations }, (_, index) => ({ at: begin + index, replicas: index }));
      const scaleEvents = past.map(({ at }) => ({ at, change: 1 }));
      return encodeState({ of: "cpu", series, recommendations: past, scaleEvents, benefit: [] }, begin, 1).length;
    };
    expect(size(20_163, 720)).toBeLessThan(300_000);
    expect(size(63, 3)).toBeLessThan(1200);
  });

  it("is nothing else: garbage throws a fault of its own, and never reads as a memory", () => {
    const faults = (text: string): string => {
      try {
        decodeState(text);
        return "none";
      } catch (error) {
        return error instanceof z.ZodError || error instanceof SyntaxError ? "told" : String(error);
      }
    };
    fc.assert(fc.property(fc.string(), text => void expect(faults(text)).toBe("told")));
    fc.assert(fc.property(fc.json(), text => void expect(faults(text)).toBe("told")));
    const valid = JSON.parse(encodeState(memoryOf(undefined, "k", "u", spec()).state, begin, 1)) as Record<
      string,
      unknown
    >;
    expect(faults(JSON.stringify(valid))).toBe("none");
    const wrong = [
      { version: 2 },
      { writtenAt: "now" },
      { writtenAt: 1e300 },
      { series: { step: 0, origin: 0, last: 0, loads: "" } },
      { series: { step: 1, origin: 0, last: 0, loads: "AAAA" } },
      { series: { step: 1, origin: 0, last: 0, loads: "?" } },
      { series: { step: 1, origin: 0, last: 0, loads: base64(-1) } },
      { series: { step: 1, origin: 0, last: 0, loads: base64(Infinity) } },
      { recommendations: [{ at: begin, replicas: -1 }] },
      { recommendations: [{ at: begin, replicas: 1.5 }] },
      { scaleEvents: {} },
      { lastScaled: null },
    ];
    for (const change of wrong)
      expect(faults(JSON.stringify({ ...valid, ...change })), JSON.stringify(change)).toBe("told");
  });

  const base64 = (value: number): string => Buffer.from(new Float64Array([value]).buffer).toString("base64");
});

describe("a restart", () => {
  it("finds what was kept, in a ConfigMap that says whose it is", async () => {
    const before = await sync(newStore(), 6, 0, 3);
    expect([...cluster.configMaps.values()].map(({ metadata: stored }) => stored)).toEqual([
      {
        name: "mlscaler-state-uid-web",
        namespace: "pepr-system",
        labels: {
          "app.kubernetes.io/managed-by": "mlscaler",
          "mlscaler.example.com/uid": "uid-web",
          "mlscaler.example.com/heir": expect.stringMatching(/^[0-9a-f]{32}$/) as string,
        },
        annotations: {
          "mlscaler.example.com/namespace": "shop",
          "mlscaler.example.com/name": "web",
          "mlscaler.example.com/target": "Deployment.apps/web",
        },
        resourceVersion: "101",
      },
    ]);
    expect(before.session.lastSync).toBe(begin);
    expect(await newStore().memoryOf(scalerOf())).toEqual({
      ...before,
      state: { ...before.state, planned: [], nodes: [], nodeWaits: [] },
      session: { stored: { at: begin, highest: 6, replicas: 6 } },
    });
    expect(events).toEqual([]);
  });

  it.each(["a restart", "no restart, while nothing can be written"])(
    "finds loads that were not stored yet when the forecast was turned off, after %s",
    async which => {
      const store = newStore();
      const metrics = [
        { type: "Resource", resource: { name: "cpu", target: { type: "AverageValue", averageValue: "1" } } },
      ];
      const off = { forecast: { model: "off" }, metric: undefined, history_size: undefined, metrics };
      const on = { ...off, forecast: {} };
      const [grid] = (await store.memoryOf(scalerOf(on))).grids.values();
      for (const [slot, load] of [5, 6, 7].entries()) {
        grid?.record(begin + slot * slotMilliseconds, load, slotMilliseconds);
        await sync(store, 6, slot * 300, 6, on);
      }
      if (which !== "a restart") cluster.fault = ({ method }) => (method === "GET" ? undefined : broken());
      await sync(store, 6, 960, 6, off);
      const after = which === "a restart" ? newStore() : store;
      const { grids } = await after.memoryOf({ ...scalerOf(on), now: new Date(begin + 4 * slotMilliseconds) });
      const [found] = grids.values();
      expect(found?.loads().slice(0, 2)).toEqual(Float32Array.of(5, 6));
    },
  );

  it("reads once, and again only when the Lease was taken anew", async () => {
    const store = newStore();
    await sync(store, 6, 0);
    const memory = await sync(store, 6, 30);
    // The state, the list of those that may be adopted, and the days of the coarse grid.
    expect(cluster.api.of("GET")).toHaveLength(3);
    cluster.term++;
    const other = newStore();
    await sync(other, 9, 60);
    const again = await store.memoryOf(scalerOf());
    expect(again).not.toBe(memory);
    expect(again.state.recommendations.at(-1)).toEqual({ at: begin + 60_000, replicas: 9 });
  });

  it.each(["garbage", '{"version":9}'])(
    "survives %j, says so, and keeps a copy before it writes another",
    async state => {
      await sync(newStore(), 6, 0);
      const [configMap] = cluster.configMaps.values();
      Object.assign(configMap ?? {}, { data: { state } });
      const memory = await sync(newStore(), 3, 30, 6);
      expect(events).toMatchObject([{ type: "Warning", reason: "StateUnreadable" }]);
      expect(events[0]?.message).toContain("ConfigMap pepr-system/mlscaler-state-uid-web cannot be decoded");
      expect(cluster.configMaps.get("mlscaler-state-uid-web-unreadable")?.data).toEqual({ state });
      // HPA's rule: the count as it is counts as recommended.
      expect(memory.state.recommendations[0]).toEqual({ at: begin + 30_000, replicas: 6 });
      expect(written().state.recommendations).toEqual(memory.state.recommendations);
    },
  );

  it("keeps what cannot be decoded as long as no copy can be written", async () => {
    await sync(newStore(), 6, 0);
    const [configMap] = cluster.configMaps.values();
    Object.assign(configMap ?? {}, { data: { state: "garbage" } });
    cluster.fault = ({ method }) => (method === "POST" ? forbidden() : undefined);
    const store = newStore();
    expect((await sync(store, 3, 30, 6)).unread?.message).toContain("cannot be read: forbidden");
    expect(cluster.state).toBe("garbage");
    cluster.fault = undefined;
    expect((await sync(store, 3, 60, 6)).unread).toBeUndefined();
    expect(written().state.replicas).toBe(3);
  });
});

describe("what cannot be read", () => {
  useFakeTime();

  it.each([
    ["one 403", 1, forbidden],
    ["no answer for half an hour", 60, refused],
  ])("is not empty: after %s all is there, and what came meanwhile", async (_, times, fault) => {
    const earlier = newStore();
    for (let each = 0; each < 40; each++) await sync(earlier, 6, each * 30, 6, { history_size: 500 });
    await earlier.flush(new Date(begin + 1_200_000));
    vi.setSystemTime(begin + 1_200_000);
    const before = cluster.state;
    const store = newStore();
    cluster.fault = ({ method }) => (method === "GET" ? fault() : undefined);
    for (let each = 0; each < times; each++) {
      const { unread } = await sync(store, 4, 1200 + each * 30, 6, { history_size: 500 });
      expect(unread?.message).toContain("ConfigMap pepr-system/mlscaler-state-uid-web cannot be read");
      expect(cluster.state).toBe(before);
    }
    await store.flush(new Date(begin + 4_000_000));
    expect(cluster.state).toBe(before);
    cluster.fault = undefined;
    const { unread, state } = await sync(store, 4, 1200 + times * 30, 6, { history_size: 500 });
    expect(unread).toBeUndefined();
    expect(state.series.values).toHaveLength(40 + times + 1);
    expect(written().state.series.values).toHaveLength(40 + times + 1);
    expect(state.recommendations.some(({ replicas }) => replicas === 6)).toBe(times < 10);
  });

  it("is not replaced before a sync has used it, as without the scale of the target", async () => {
    await sync(newStore(), 9, 0);
    const before = cluster.state;
    const store = newStore();
    cluster.fault = ({ method }) => (method === "GET" ? forbidden() : undefined);
    await sync(store, 8, 120, 8);
    cluster.fault = undefined;
    await store.keep("shop/web", await store.memoryOf(scalerOf()), new Date(begin + 240_000));
    await store.flush(new Date(begin + 250_000));
    expect(cluster.state).toBe(before);
    // The process of the 9 may have recommended it until its next write.
    const { recommendations } = recall(await newStore().memoryOf(scalerOf()), 8, spec(), begin + 360_000);
    expect(recommendations).toContainEqual({ at: begin + 360_000, replicas: 9 });
    await sync(store, 8, 360, 8);
    expect(written().state.recommendations).toContainEqual({ at: begin + 360_000, replicas: 9 });
  });

  it("says the remedy of missing rights", async () => {
    cluster.fault = () => forbidden();
    const { unread } = await newStore().memoryOf(scalerOf());
    expect(unread?.message).toContain("forbidden. Install the rights with kubectl apply -R -f dist/install.");
  });

  it("holds for the window, and for ten minutes where a forecast was trusted", async () => {
    const heldFor = async (fields: object, trusted: boolean): Promise<number> => {
      const store = newStore();
      cluster.fault = ({ method }) => (method === "GET" ? refused() : undefined);
      let minutes = 0;
      const scaler = { ...scalerOf(fields), status: { forecast: { trusted } } };
      while ((await store.memoryOf(scaler)).unread?.holds && minutes < 100) {
        minutes++;
        await pass(60);
        // What this process reports as not trusted later does not matter.
        scaler.status.forecast.trusted = false;
      }
      return minutes;
    };
    const scaleDown = (seconds: number): object => ({
      behavior: {
        scaleDown: { stabilizationWindowSeconds: seconds, policies: [{ type: "Pods", value: 1, periodSeconds: 60 }] },
      },
    });
    expect(await heldFor({}, false)).toBe(5);
    expect(await heldFor({}, true)).toBe(10);
    expect(await heldFor(scaleDown(0), false)).toBe(1);
    expect(await heldFor(scaleDown(3600), true)).toBe(60);
  });
});

describe("another writer", () => {
  const stale = (replicas: number): string =>
    encodeState({ ...memoryOf(undefined, "k", "u", spec()).state, replicas }, begin, 1);
  const putLate = (state: string): void => {
    const stored = cluster.configMaps.get("mlscaler-state-uid-web");
    if (!stored) throw new Error("nothing is stored");
    cluster.put({ ...stored, data: { state } });
  };

  it("that lost the Lease replaces nothing newer: its late write is refused", async () => {
    const old = newStore();
    await sync(old, 6, 0);
    let late: (() => void) | undefined;
    // The write of the old leader is under way while the new one reads and writes.
    const answer = cluster.api.answer;
    vi.spyOn(cluster.api, "answer").mockImplementation(async call => {
      if (call.method === "PUT" && !late) await new Promise<void>(resolve => (late = resolve));
      return answer(call);
    });
    const writing = sync(old, 9, 30);
    await vi.waitFor(() => expect(late).toBeDefined());
    cluster.term++;
    await sync(newStore(), 3, 60, 4);
    expect(written().state.replicas).toBe(3);
    late?.();
    await writing;
    expect(written()).toMatchObject({ term: 2, state: { replicas: 3 } });
  });

  it("wrote between read and write: what it knew is added", async () => {
    const store = newStore();
    cluster.term = 2;
    await sync(store, 3, 0);
    const late = { ...written().state, recommendations: [{ at: begin - 1000, replicas: 8 }] };
    putLate(encodeState(late, begin, 1));
    await sync(store, 4, 30, 3);
    expect(written().term).toBe(1);
    const { state } = await sync(store, 4, 60);
    expect(Math.max(...state.recommendations.map(({ replicas }) => replicas))).toBe(8);
    expect(written()).toMatchObject({ term: 2, state: { replicas: 4 } });
  });

  it("with a newer Lease term makes this one stand back, for as long as a Lease may be held unknowingly", async () => {
    vi.useFakeTimers({ now: start });
    const store = newStore();
    await sync(store, 3, 0);
    putLate(stale(9).replace('"term":1', '"term":7'));
    await sync(store, 4, 30, 3);
    await expect(store.memoryOf(scalerOf())).rejects.toMatchObject({ reason: "NotLeading" });
    expect(written()).toMatchObject({ term: 7, state: { replicas: 9 } });
    // A process that still holds the Lease has the newest term: the count of the Lease began anew.
    await pass(16);
    await sync(store, 4, 60);
    expect(written()).toMatchObject({ term: 1, state: { replicas: 4 } });
    vi.useRealTimers();
  });

  it("whose answer was lost was this one: nothing counts twice", async () => {
    const store = newStore();
    await sync(store, 3, 0);
    await sync(store, 5, 30, 3);
    const answer = cluster.api.answer;
    const losing = vi.spyOn(cluster.api, "answer").mockImplementation(call => {
      const done = answer(call);
      if (call.method === "PUT") throw refused();
      return done;
    });
    await sync(store, 7, 60, 5);
    losing.mockRestore();
    await sync(store, 7, 90);
    const { state } = await sync(store, 7, 120);
    expect(state.scaleEvents.map(({ change }) => change)).toEqual([2, 2]);
    expect(written().state.scaleEvents).toEqual(state.scaleEvents);
  });
});

describe("writes", () => {
  const kept = async (store: Store, recommended: number, seconds: number, current?: number): Promise<boolean> => {
    const before = cluster.writes.length;
    await sync(store, recommended, seconds, current);
    return cluster.writes.length > before;
  };

  it("are made at once for a scaling and a rise, and for a fall that lasts a minute", async () => {
    const store = newStore();
    // The place of this one within ten minutes is not met within the first four.
    expect(await kept(store, 6, 0)).toBe(true);
    expect(await kept(store, 6, 15)).toBe(false);
    expect(await kept(store, 7, 30, 7)).toBe(true);
    expect(await kept(store, 5, 45, 7)).toBe(true);
    expect(await kept(store, 5, 60)).toBe(false);
    expect(await kept(store, 6, 75)).toBe(false);
    expect(await kept(store, 5, 85)).toBe(false);
    expect(await kept(store, 5, 90)).toBe(true);
  });

  it("are made every ten minutes where nothing changes, each MLScaler's at its own time", async () => {
    const store = newStore();
    const times: number[] = [];
    for (let seconds = 0; seconds < 3600; seconds += 15) if (await kept(store, 6, seconds)) times.push(seconds);
    expect(times).toHaveLength(7);
    const gaps = times.slice(1).map((seconds, index) => seconds - (times[index] ?? 0));
    expect(new Set(gaps.slice(1))).toEqual(new Set([600]));
    expect(gaps[0]).toBeLessThanOrEqual(600);
  });

  it("make what was deleted anew", async () => {
    const store = newStore();
    await sync(store, 6, 0);
    cluster.configMaps.clear();
    await sync(store, 7, 30);
    expect(written().state.replicas).toBe(7);
  });

  it("that fail are counted, told once, and made at the next sync", async () => {
    const warn = vi.spyOn(log, "warn").mockImplementation(() => undefined);
    const store = newStore();
    cluster.fault = ({ method }) => (method === "GET" ? undefined : broken());
    const failures = async (): Promise<number> => {
      const all = await registry.getSingleMetric("mlscaler_state_write_failures_total")?.get();
      return all?.values.find(({ labels }) => labels.reason === "InternalError")?.value ?? 0;
    };
    const before = await failures();
    await sync(store, 6, 0);
    await sync(store, 6, 15);
    expect(await failures()).toBe(before + 2);
    expect(warn).toHaveBeenCalledTimes(1);
    cluster.fault = undefined;
    await sync(store, 6, 30);
    expect(written().writtenAt).toBe(begin + 30_000);
    expect(await kept(store, 6, 45)).toBe(false);
  });

  it("are not made while another process acts, or since it did", async () => {
    const store = newStore();
    const memory = await sync(store, 6, 0);
    cluster.holdsLease = false;
    expect(await kept(store, 9, 30)).toBe(false);
    cluster.holdsLease = true;
    cluster.term++;
    await store.keep("shop/web", memory, new Date(begin + 3_600_000));
    await store.flush(new Date(begin + 3_600_000));
    expect(written().writtenAt).toBe(begin);
  });
});

describe("what no MLScaler has any more", () => {
  const stored = (): string[] => [...cluster.configMaps.keys()];

  beforeEach(async () => {
    await sync(newStore(), 6, 0);
  });

  const sweeper = newStore;
  const hours = (count: number): Date => new Date(begin + count * 3_600_000);
  const mark = (): string | undefined =>
    cluster.configMaps.get("mlscaler-state-uid-web")?.metadata.annotations["mlscaler.example.com/unowned-since"];

  it("is kept for a day, and no failure is thrown", async () => {
    const store = sweeper();
    await store.release("shop/web", "uid-web", start);
    expect(mark()).toBe(start.toISOString());
    await store.release("shop/web", "uid-web", hours(1));
    expect(mark()).toBe(start.toISOString());
    for (const count of [1, 23]) await store.sweep.once(hours(count));
    expect(stored()).toHaveLength(1);
    await store.sweep.once(hours(24));
    await store.sweep.once(hours(25));
    expect(stored()).toEqual([]);
    cluster.fault = () => broken();
    await store.release("shop/web", "uid-web", start);
  });

  it("outlives a clock that is weeks ahead for one sweep, or was when it was marked", async () => {
    const store = sweeper();
    await store.release("shop/web", "uid-web", start);
    await store.sweep.once(hours(24 * 28));
    await store.sweep.once(hours(2));
    await store.sweep.once(hours(24 * 28));
    expect(stored()).toHaveLength(1);
    await store.sweep.once(hours(-30));
    expect(mark()).toBe(hours(-30).toISOString());
    expect(stored()).toHaveLength(1);
  });

  it("is not removed by a process that lost the Lease, nor when it was written since the list", async () => {
    const store = sweeper();
    await store.release("shop/web", "uid-web", start);
    await store.sweep.once(hours(24));
    cluster.holdsLease = false;
    await store.sweep.once(hours(25));
    expect(stored()).toHaveLength(1);
    cluster.holdsLease = true;
    const [object] = cluster.configMaps.values();
    cluster.fault = ({ method }) => {
      if (method === "DELETE" && object) cluster.put(object);
      return undefined;
    };
    await store.sweep.once(hours(25));
    expect(stored()).toHaveLength(1);
  });

  it("is listed by label, and nothing else is", async () => {
    cluster.mlscalers = ["other"];
    const [object] = cluster.configMaps.values();
    if (object) cluster.put({ ...object, metadata: { ...object.metadata, name: "mine" } });
    const store = sweeper();
    for (const count of [0, 24, 25]) await store.sweep.once(hours(count));
    expect(stored()).toEqual(["mine"]);
    expect(cluster.api.of("GET").find(call => call.query?.labelSelector?.endsWith("/uid"))?.query).toMatchObject({
      labelSelector: "app.kubernetes.io/managed-by=mlscaler,mlscaler.example.com/uid",
    });
  });

  it("is not what an MLScaler has, nor anything while MLScalers cannot be listed", async () => {
    cluster.mlscalers = ["uid-web"];
    await newStore().sweep.once();
    cluster.mlscalers = [];
    cluster.fault = call => (call.path.endsWith("/mlscalers") ? notFound() : undefined);
    await expect(newStore().sweep.once()).rejects.toThrow(ApiError);
    expect(stored()).toEqual(["mlscaler-state-uid-web"]);
  });

  it("is looked for after all states were listed, so that no new one is taken for an orphan", async () => {
    cluster.api.calls.length = 0;
    await newStore().sweep.once();
    const lists = cluster.api.of("GET").flatMap(call => (call.query ? [call.path] : []));
    expect(lists).toEqual([path, "/apis/example.com/v1/mlscalers"]);
  });

  describe("now and then", () => {
    useFakeTime();

    it("is swept while this process acts, until it ends", async () => {
      vi.spyOn(log, "warn").mockImplementation(() => undefined);
      const ending = new AbortController();
      cluster.holdsLease = false;
      const done = newStore().sweep.until(ending.signal);
      await pass(59);
      expect(stored()).toHaveLength(1);
      cluster.holdsLease = true;
      cluster.fault = () => broken();
      await pass(60);
      expect(stored()).toHaveLength(1);
      cluster.fault = undefined;
      await pass(60);
      expect(mark()).toBeDefined();
      const before = cluster.api.calls.length;
      await pass(3000);
      expect(cluster.api.calls).toHaveLength(before);
      await pass(700);
      expect(cluster.api.calls.length).toBeGreaterThan(before);
      await pass(25 * 3600);
      expect(stored()).toEqual([]);
      ending.abort();
      await done;
    });
  });
});
