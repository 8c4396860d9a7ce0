import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { EventText } from "../../../../capabilities/kubernetes/events";
import { log } from "../../../../capabilities/kubernetes/log";
import { Metadata, metadataSchema } from "../../../../capabilities/kubernetes/metadata";
import { CoarseGrid, slotOf } from "../../../../capabilities/mlscaler/history/coarse-grid";
import { codeOf, loadOfCode } from "../../../../capabilities/mlscaler/history/compact-loads";
import { keptSlots, slotMilliseconds } from "../../../../capabilities/mlscaler/history/retention";
import { Memory, remember } from "../../../../capabilities/mlscaler/memory/memory";
import { Store } from "../../../../capabilities/mlscaler/memory/store";
import { mlscaler, Spec, specSchema } from "../../../../capabilities/mlscaler/schema";
import { Call, refused } from "../../fake-api";
import { start } from "../../time";
import { Cluster, ConfigMap } from "./history-cluster";
import { inTurn } from "../../context";

const day = 86_400_000;
const begin = start.getTime();

const spec = (fields: object = {}): Spec =>
  specSchema.parse({ target_deployment: "web", max_replicas: 100, metric: "cpu", history_size: 5, ...fields });

/** The MLScaler with this uid; "uid-new" is created in the place of "uid-web". */
const metadataOf = (uid: string): Metadata =>
  metadataSchema.parse({ name: uid === "uid-new" ? "web" : uid.slice("uid-".length), namespace: "shop", uid });

let cluster: Cluster;
let events: EventText[];
let now: number;
let trusted: boolean;

beforeEach(() => {
  trusted = false;
  cluster = new Cluster();
  cluster.mlscalers = ["uid-web"];
  events = [];
  now = begin;
});

afterEach(() => {
  vi.restoreAllMocks();
});

const newStore = (): Store => new Store(cluster.context, mlscaler);

/** A memory as a sync leaves it that scales nothing. */
async function memoryIn(store: Store, made = spec(), uid = "uid-web"): Promise<Memory> {
  const scaler = {
    key: `shop/${uid}`,
    metadata: metadataOf(uid),
    spec: made,
    status: { forecast: { trusted } },
    record: (event: EventText) => Promise.resolve(void events.push(event)),
    turn: inTurn,
    now: new Date(now),
  };
  const memory = await store.memoryOf(scaler);
  const idle = { ableToScale: "ReadyForNewScale", scalingLimited: "DesiredWithinRange", paused: false } as const;
  const decision = { ...idle, final: 1, basis: "Load" } as const;
  const plan = { decision, past: memory.state, failedSyncs: 0 };
  return remember(memory, {
    ...{ now, series: memory.state.series, revision: {}, plan },
    decided: { current: 1, scaled: false },
  });
}

/** The grid of the load that `made` forecasts. */
const gridOf = ({ grids }: Memory): CoarseGrid => [...grids.values()][0] ?? new CoarseGrid();

/** The same, as a sync finds it. */
const gridIn = async (store: Store, made = spec(), uid = "uid-web"): Promise<CoarseGrid> =>
  gridOf(await memoryIn(store, made, uid));

/** Keeps the memory as a sync does that observes nothing. */
const keep = async (store: Store): Promise<void> => store.keep("shop/uid-web", await memoryIn(store), new Date(now));

/** One sync at `now`, with this load, which stands for `lasting`. */
async function sync(
  store: Store,
  load: number | undefined,
  lasting = slotMilliseconds,
  uid = "uid-web",
): Promise<void> {
  const memory = await memoryIn(store, spec(), uid);
  gridOf(memory).record(now, load, lasting);
  await store.keep(`shop/${uid}`, memory, new Date(now));
}

/** Syncs, one a slot, with these loads; then the process ends. */
async function run(store: Store, loads: (number | undefined)[]): Promise<void> {
  for (const load of loads) {
    await sync(store, load);
    now += slotMilliseconds;
  }
  await sync(store, undefined);
  await store.flush(new Date(now));
}

/** The same, where a backfill brings all loads but the last hundred. */
async function begun(store: Store, loads: number[]): Promise<void> {
  const early = loads.slice(0, -100);
  const samples = early.map((load, index) => ({ at: now + index * slotMilliseconds, load }));
  now += early.length * slotMilliseconds;
  (await gridIn(store)).backfill(samples, slotMilliseconds, now);
  await run(store, loads.slice(-100));
}

/** Loads that all differ as they are stored: 1, and so on by the codes of `CompactLoads`. */
const daysOf = (days: number): number[] =>
  Array.from({ length: days * 288 }, (_, index) => loadOfCode(codeOf(1) + index));

const histories = (): ConfigMap[] =>
  [...cluster.configMaps.values()].filter(({ metadata }) => /^mlscaler-history-.*-[0-9a-f]{8}$/.test(metadata.name));

function history(): ConfigMap & { binaryData: Record<string, string> } {
  const [only] = histories();
  if (!only?.binaryData) throw new Error("nothing is stored");
  return { ...only, binaryData: only.binaryData };
}

/** Puts something else in the place of the stored days. */
const tamper = (change: Partial<ConfigMap>): void => void Object.assign(histories()[0] ?? {}, change);

const historyWrites = (from = 0): Call[] =>
  cluster.api.calls
    .slice(from)
    .filter(
      ({ method, body }) =>
        method !== "GET" && (body as ConfigMap | undefined)?.metadata.name.startsWith("mlscaler-history-") === true,
    );

describe("a restart", () => {
  it("finds every closed slot as it was, to the last bit", async () => {
    const load = fc.oneof(
      { weight: 9, arbitrary: fc.float({ min: 0, noNaN: true, noDefaultInfinity: true }) },
      fc.constant(undefined),
    );
    const moments = fc.record({
      loads: fc.array(fc.tuple(load, fc.integer({ min: 30_000, max: 3 * slotMilliseconds })), { maxLength: 150 }),
      long: fc.array(fc.constantFrom(0, 1, 7, 27), { maxLength: 2 }),
      flushed: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(moments, async ({ loads, long, flushed }) => {
        cluster = new Cluster();
        now = begin;
        const store = newStore();
        for (const [index, [each, wait]] of loads.entries()) {
          await sync(store, each, wait);
          now += wait + (index % 50 === 49 ? (long[index % 2] ?? 0) * day : 0);
        }
        const memory = await memoryIn(store);
        const before = gridOf(memory);
        before.record(now);
        if (flushed) {
          await store.keep("shop/uid-web", memory, new Date(now));
          await store.flush(new Date(now));
        }
        const after = await gridIn(newStore());
        after.record(now);
        // What was closed after the last write is lost.
        const { writtenAt } = JSON.parse(cluster.state || '{"writtenAt":0}') as { writtenAt: number };
        const { next } = before.cursor;
        const kept = slotOf(writtenAt) - (next - keptSlots);
        const expected = before.slots(next - keptSlots, next).map((load, index) => (index < kept ? load : NaN));
        const read = after.slots(next - keptSlots, next);
        expect(expected.findIndex((load, index) => !Object.is(load, read[index]))).toBe(-1);
        expect(after.cursor.next).toBe(next);
        if (flushed) expect(writtenAt).toBe(now);
      }),
      { numRuns: 25 },
    );
  });

  it("finds four weeks in two reads, and nothing older", async () => {
    const loads = daysOf(31);
    await begun(newStore(), loads);
    const days = Object.keys(history().binaryData);
    expect(days.length).toBeLessThanOrEqual(29);
    expect(days).not.toContain("2026-01-01");
    // Far below the 1 MiB of a ConfigMap; the tail is a day at most.
    expect(JSON.stringify(history()).length).toBeLessThan(25_000);
    expect(JSON.stringify(cluster.configMaps.get("mlscaler-state-uid-web")).length).toBeLessThan(4000);
    cluster.api.calls.length = 0;
    const grid = await gridIn(newStore());
    grid.record(now);
    expect([...grid.loads()]).toEqual(loads.slice(-keptSlots));
    expect(cluster.api.of("GET")).toHaveLength(2);
    expect(events).toEqual([]);
  });

  it("reads and keeps nothing without a forecast", async () => {
    await begun(newStore(), daysOf(1));
    cluster.api.calls.length = 0;
    await gridIn(newStore(), spec({ forecast: { model: "off" } }));
    expect(cluster.api.of("GET")).toHaveLength(1);
  });
});

describe("what is stored", () => {
  it("is a ConfigMap a load that says whose and of what it is, with a key a day", async () => {
    await begun(newStore(), daysOf(4));
    const { metadata, data, binaryData } = history();
    expect(metadata.name).toMatch(/^mlscaler-history-uid-web-[0-9a-f]{8}$/);
    expect(metadata).toMatchObject({
      namespace: "pepr-system",
      labels: { "app.kubernetes.io/managed-by": "mlscaler", "mlscaler.example.com/uid": "uid-web" },
      annotations: { "mlscaler.example.com/namespace": "shop", "mlscaler.example.com/name": "web" },
    });
    expect(data).toEqual({ version: "3", of: 'Resource {"name":"cpu"} of Deployment.apps/web every 300 s' });
    expect(Object.keys(binaryData).slice(0, 3)).toEqual(["2026-01-01", "2026-01-02", "2026-01-03"]);
    const first = Buffer.from(binaryData["2026-01-01"] ?? "", "base64");
    expect(first).toHaveLength(288 * 2);
    const codes = [0, 1, 2].map(slot => first.readUInt16LE(2 * slot));
    expect(codes).toEqual([codeOf(1), codeOf(1) + 1, codeOf(1) + 2]);
  });

  it("is written once a day, each MLScaler's at its own time", async () => {
    const times: number[][] = [];
    for (const uid of ["uid-web", "uid-other"]) {
      now = begin;
      const store = newStore();
      const written: number[] = [];
      for (let sample = 0; sample < 3 * 288; sample++) {
        const before = cluster.api.calls.length;
        await sync(store, 1, slotMilliseconds, uid);
        if (historyWrites(before).length > 0) written.push(now - begin);
        now += slotMilliseconds;
      }
      expect(written).toHaveLength(3);
      expect(new Set(written.slice(1).map((time, index) => time - (written[index] ?? 0)))).toEqual(new Set([day]));
      times.push(written);
    }
    expect(times[0]).not.toEqual(times[1]);
  });

  it("is written at once when older slots were filled in, or forgotten", async () => {
    const store = newStore();
    await run(store, [1, 2, 3]);
    const grid = await gridIn(store);
    const before = historyWrites().length;
    const samples = daysOf(2).map((load, index) => ({ at: begin - 2 * day + index * slotMilliseconds, load }));
    grid.backfill(samples, slotMilliseconds, now);
    await sync(store, 4);
    expect(historyWrites().length).toBeGreaterThan(before);
    expect([...(await gridIn(newStore())).loads()]).toEqual([...grid.loads()]);
    now -= day;
    await sync(store, 5);
    const restored = await gridIn(newStore());
    expect([...restored.loads()]).toEqual(daysOf(2).slice(0, 291));
  });

  it("that cannot be written is tried again every five minutes, and is in the state meanwhile", async () => {
    vi.spyOn(log, "warn").mockImplementation(() => undefined);
    const store = newStore();
    cluster.fault = ({ body }) =>
      (body as ConfigMap | undefined)?.metadata.name.startsWith("mlscaler-history-") ? refused() : undefined;
    for (const load of daysOf(3)) {
      await sync(store, load);
      now += slotMilliseconds;
    }
    const { length } = cluster.api.calls;
    for (let seconds = 0; seconds < 3000; seconds += 100) {
      await sync(store, 5);
      now += 100_000;
    }
    expect(historyWrites(length)).toHaveLength(10);
    expect(histories()).toEqual([]);
    const restored = await gridIn(newStore());
    expect(restored.loads().length).toBeGreaterThan(3 * 288);
    cluster.fault = undefined;
    now += slotMilliseconds;
    await sync(store, 5);
    expect(Object.keys(history().binaryData)).toContain("2026-01-01");
    now += 2 * slotMilliseconds;
    await sync(store, 5);
    expect(cluster.configMaps.get("mlscaler-state-uid-web")?.data.tails?.length).toBeLessThan(200);
  });
});

describe("what cannot be read", () => {
  const loads = daysOf(4);

  beforeEach(async () => {
    await begun(newStore(), loads);
  });

  const loadsAfter = async (store = newStore()): Promise<number[]> => {
    const grid = await gridIn(store);
    grid.record(now);
    return [...grid.loads()];
  };

  it.each([
    ["Invalid base64", "?"],
    ["is cut off", "AAAA"],
    ["is no day", "AAAAAAAAAAA="],
    ["Invalid input", 7],
  ])("is a day among others, which count: it %s", async (fault, text) => {
    const key = "2026-01-02";
    const { binaryData } = history();
    tamper({ binaryData: { ...binaryData, [key]: text as string } });
    const store = newStore();
    expect(await loadsAfter(store)).toEqual(loads.map((load, index) => (index >= 288 && index < 576 ? NaN : load)));
    expect(events).toMatchObject([{ type: "Warning", reason: "StateUnreadable" }]);
    expect(events[0]?.message).toContain(`ConfigMap pepr-system/${history().metadata.name} has days`);
    expect(events[0]?.message).toContain(`${key}: ${fault}`);
    expect(cluster.configMaps.get(`${history().metadata.name}-unreadable`)?.binaryData).toHaveProperty(key, text);
    // It is written without it, so that it is said once.
    await keep(store);
    await loadsAfter();
    expect(events).toHaveLength(1);
  });

  it.each(["today", "2026-13-01", "2026-1-1"])("is the day %j", async key => {
    const { binaryData } = history();
    tamper({ binaryData: { ...binaryData, [key]: binaryData["2026-01-02"] ?? "" } });
    expect(await loadsAfter()).toEqual(loads);
    expect(events[0]?.message).toContain(`${key}: is no date`);
  });

  it("is left out in silence where it is of a day to come, or long gone", async () => {
    const { binaryData } = history();
    const text = binaryData["2026-01-02"] ?? "";
    tamper({ binaryData: { ...binaryData, "9999-01-01": text, "2026-02-01": text, "1900-01-01": text } });
    expect(await loadsAfter()).toEqual(loads);
  });

  it.each([
    ["without data", { data: undefined }, "data: Invalid input"],
    ["of another version", { data: { version: "4", of: "" } }, "data.version"],
    ["of another load", { data: { version: "3", of: "rps" } }, "data.of: Invalid input"],
  ])("is a ConfigMap %s; what the state holds of it counts", async (_, change, fault) => {
    const stored = Object.keys(history().binaryData).length;
    expect(stored).toBeGreaterThanOrEqual(4);
    tamper(change as Partial<ConfigMap>);
    const store = newStore();
    const left = await loadsAfter(store);
    expect(left.length).toBeGreaterThan(0);
    expect(left).toEqual(loads.slice(-left.length));
    expect(events).toHaveLength(1);
    expect(events[0]?.message).toContain(fault);
    await keep(store);
    expect(history().data.of).toBe('Resource {"name":"cpu"} of Deployment.apps/web every 300 s');
  });

  it.each(["garbage", '[{"of":"x","from":1,"loads":"AAAA"}]'])(
    "are the newest slots in the state: %j; all else counts",
    async tails => {
      const state = cluster.configMaps.get("mlscaler-state-uid-web");
      if (state) state.data.tails = tails;
      const left = await loadsAfter();
      const known = left.findLastIndex(load => !Number.isNaN(load)) + 1;
      expect(known).toBeGreaterThan(3 * 288);
      expect(left.slice(0, known)).toEqual(loads.slice(0, known));
      expect(events).toMatchObject([{ reason: "StateUnreadable" }]);
      expect(events[0]?.message).toContain("ConfigMap pepr-system/mlscaler-state-uid-web cannot be decoded");
    },
  );

  it("is the state; the coarse grid counts", async () => {
    const state = cluster.configMaps.get("mlscaler-state-uid-web");
    if (state) state.data.state = "garbage";
    expect(await loadsAfter()).toEqual(loads);
    expect(events).toHaveLength(1);
  });

  describe("for the moment", () => {
    const failing = (error: Error, name = "/mlscaler-history-"): void => {
      vi.spyOn(log, "warn").mockImplementation(() => undefined);
      cluster.fault = ({ method, path }) => (method === "GET" && path.includes(name) ? error : undefined);
    };

    it("stops no sync, is not written over, and is read later", async () => {
      failing(refused());
      const before = historyWrites().length;
      const store = newStore();
      const begun = await gridIn(store);
      const { cursor } = begun;
      expect(begun.loads().length).toBeLessThan(loads.length);
      for (let times = 0; times < 300; times++) {
        await sync(store, 7);
        now += slotMilliseconds;
      }
      expect(historyWrites()).toHaveLength(before);
      cluster.fault = undefined;
      const grid = await gridIn(store);
      expect(grid).toBe(begun);
      expect(grid.closedSince(cursor)).toBeUndefined();
      grid.record(now);
      expect([...grid.loads()]).toEqual([...loads, ...Array<number>(300).fill(7)]);
      expect(events).toEqual([]);
    });

    it("is the state: no days are read before it, nor written", async () => {
      failing(refused(), "/mlscaler-state-");
      const before = historyWrites().length;
      const store = newStore();
      for (let times = 0; times < 300; times++) {
        await sync(store, 7);
        now += slotMilliseconds;
      }
      expect(historyWrites()).toHaveLength(before);
      cluster.fault = undefined;
      expect((await gridIn(store)).loads().length).toBeGreaterThan(loads.length);
    });

    it("holds the count only where a forecast was trusted", async () => {
      failing(refused());
      expect((await memoryIn(newStore())).unread).toMatchObject({ holds: false });
      trusted = true;
      expect((await memoryIn(newStore())).unread).toMatchObject({ holds: true });
    });
  });
});

describe("what was deleted", () => {
  it("is written anew after the next sweep", async () => {
    const store = newStore();
    const loads = daysOf(3);
    await begun(store, loads);
    cluster.configMaps.clear();
    await store.sweep.once();
    await sync(store, 5);
    const grid = await gridIn(newStore());
    grid.record(now);
    expect([...grid.loads()]).toEqual(loads);
  });
});

describe("what no MLScaler has any more", () => {
  const stored = (): string[] =>
    [...cluster.configMaps.keys()].map(name => name.replace(/[0-9a-f]{8}$/, "HASH")).sort();
  const all = ["mlscaler-history-uid-web-HASH", "mlscaler-state-uid-web"];
  let store: Store;

  beforeEach(async () => {
    store = newStore();
    await begun(store, daysOf(2));
    expect(stored()).toEqual(all);
  });

  /** Sweeps when it is found, a day later, and an hour after that. */
  const sweeps = async (): Promise<void> => {
    for (const hours of [0, 24, 25]) await store.sweep.once(new Date(now + hours * 3_600_000));
  };

  it("is swept a day later, known or not, and nothing else is", async () => {
    await sync(newStore(), 1, slotMilliseconds, "uid-web-2");
    cluster.mlscalers = ["uid-web-2"];
    await newStore().release("shop/web", "uid-web", new Date(now));
    expect(stored()).toHaveLength(3);
    await sweeps();
    expect(stored()).toEqual(["mlscaler-state-uid-web-2"]);
  });

  it("is the copy of days that could not be decoded", async () => {
    tamper({ data: { version: "3", of: "something else" } });
    await sync(newStore(), 1);
    const copies = (): string[] => stored().filter(name => name.endsWith("-unreadable"));
    expect(copies()).toHaveLength(1);
    await sweeps();
    expect(copies()).toEqual([]);
  });

  it("is the history of a load that is no longer forecast", async () => {
    await gridIn(store, spec({ metric: "memory" }));
    await sweeps();
    expect(stored()).toEqual(["mlscaler-state-uid-web"]);
  });
});

describe("an MLScaler that is created in the place of a deleted one", () => {
  const loads = daysOf(4);
  const names = (): string[] => [...cluster.configMaps.keys()].map(name => name.replace(/[0-9a-f]{8}$/, "HASH")).sort();

  /** The one of before ends; the new one is synced for the first time after so many hours. */
  const recreated = async (hours: number, made = spec()): Promise<CoarseGrid> => {
    const before = newStore();
    await begun(before, loads);
    await before.release("shop/uid-web", "uid-web", new Date(now));
    before.evict("shop/uid-web");
    cluster.mlscalers = ["uid-new"];
    now += hours * 3_600_000;
    const after = newStore();
    const grid = await gridIn(after, made, "uid-new");
    await sync(after, 5, slotMilliseconds, "uid-new");
    return grid;
  };

  it("adopts its loads, and what was stored of them is stored once", async () => {
    const grid = await recreated(1);
    grid.record(now);
    expect([...grid.loads()].slice(0, loads.length)).toEqual(loads);
    expect(names()).toEqual(["mlscaler-history-uid-new-HASH", "mlscaler-state-uid-new"]);
    const again = await gridIn(newStore(), spec(), "uid-new");
    again.record(now);
    expect([...again.loads()].slice(0, loads.length)).toEqual(loads);
  });

  it("adopts nothing after a day, and nothing of another target", async () => {
    expect((await recreated(25)).loads()).toHaveLength(0);
    cluster.configMaps.clear();
    now = begin;
    expect((await recreated(1, spec({ target_deployment: "api" }))).loads()).toHaveLength(0);
  });

  const earlier = ["mlscaler-history-uid-web-HASH", "mlscaler-state-uid-web"];

  it.each([
    ["its state cannot be written", "POST", "mlscaler-state-uid-new", [...earlier, "mlscaler-history-uid-new-HASH"]],
    [
      "its days cannot be written, which its state has then",
      "POST",
      "mlscaler-history-uid-new",
      ["mlscaler-state-uid-new"],
    ],
    ["its days cannot be read", "GET", "mlscaler-history-uid-new", earlier],
  ])("loses nothing while %s", async (_, method, name, stored) => {
    vi.spyOn(log, "warn").mockImplementation(() => undefined);
    cluster.fault = call => {
      const of = (call.body as ConfigMap | undefined)?.metadata.name ?? call.path.slice(call.path.lastIndexOf("/") + 1);
      return call.method === method && of.startsWith(name) ? refused() : undefined;
    };
    await recreated(1);
    expect(names()).toEqual([...stored].sort());
    cluster.fault = undefined;
    const grid = await gridIn(newStore(), spec(), "uid-new");
    grid.record(now);
    expect([...grid.loads()].slice(0, loads.length)).toEqual(loads);
  });
});
