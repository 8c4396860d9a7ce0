import { beforeEach, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { conditionsSchema } from "../../../capabilities/kubernetes/conditions";
import { Outcome } from "../../../capabilities/operator/outcome";
import { CustomObject } from "../../../capabilities/operator/custom-object";
import { Reconciler, Controller, Result } from "../../../capabilities/operator/reconciler";
import { within } from "../../../capabilities/definition/rules";
import { broken, Call, conflict, FakeApi, forbidden, noSuchUid, notFound, refused } from "../fake-api";
import { contextOf } from "../context";
import { writesOf } from "../fake-cluster";
import { Spec, thing } from "../thing";
import { pass, start, useFakeTime } from "../time";

const statusSchema = z.object({
  observedGeneration: z.int().optional(),
  note: z.string().max(10).optional(),
  part: z.object({ seen: z.int().optional() }).optional(),
  conditions: conditionsSchema.optional(),
});
type Status = z.output<typeof statusSchema>;

const resource = thing(statusSchema);

const finalizer = "example.com/finalizer";
const path = "/apis/example.com/v1/namespaces/shop/things/one";
const done = { next: "sync", periodSeconds: 60 } as const;
const retry = { firstSeconds: 1, atMostSeconds: 9 };

interface Stored {
  metadata: Record<string, unknown> & { finalizers?: string[]; deletionTimestamp?: string };
  spec?: unknown;
  status?: unknown;
}

let stored: Stored | undefined;
let holdsLease: boolean;
let api: FakeApi;
let events: Record<string, unknown>[];
/** What goes wrong: by "METHOD path", or by "METHOD events". */
let faults: Map<string, Error>;

/** The API server, as far as one Thing goes. */
function serve({ method, path: at, body: given }: Call): unknown {
  // It comes as JSON.
  const body: unknown = given && JSON.parse(JSON.stringify(given));
  const isEvent = at.endsWith("/events");
  const fault = faults.get(isEvent ? `${method} events` : `${method} ${at}`);
  if (fault) throw fault;
  if (isEvent) return events.push(body as Record<string, unknown>);
  if (!stored) throw notFound();
  if (method === "PATCH" && at === path) {
    const [, operation] = body as { op: string; value: string[] }[];
    stored.metadata.finalizers = operation?.op === "remove" ? [] : operation?.value;
    return {};
  }
  if (method === "PATCH" && at === `${path}/status`) return (stored.status = (body as Stored).status);
  if (method === "GET" && at === path) return structuredClone(stored);
  throw notFound(`${method} ${at}`);
}

beforeEach(() => {
  holdsLease = true;
  faults = new Map();
  events = [];
  api = new FakeApi(serve);
  stored = {
    metadata: { name: "one", namespace: "shop", uid: "u1", resourceVersion: "7", generation: 2 },
    spec: { size: 5 },
  };
});

const the = (): Stored => {
  if (!stored) throw new Error("the object is gone");
  return stored;
};
const conditions = (): z.output<typeof conditionsSchema> => (the().status as Status).conditions ?? [];
const statusWrites = (): Call[] => api.of("PATCH").filter(one => one.path === `${path}/status`);

/** A round that finds this status. */
const finds = (status: Status) => (): Promise<Result<Status>> => Promise.resolve({ status, next: done });

function reconcilerOf(own: Partial<Controller<Spec, Status>> = {}): Reconciler<Spec, Status> {
  const context = contextOf(api, { holdsLease: () => holdsLease, holdsAnyLease: () => holdsLease });
  return new Reconciler(context, { resource, fieldManager: "tester", retry, reconcile: finds({ note: "ok" }), ...own });
}

describe("a kind", () => {
  it("passes every object on, with its spec only when that is valid", () => {
    const onObserved = vi.fn();
    const reconciler = reconcilerOf({ onObserved, resource: { ...resource, nameRule: aToZ } });
    for (const spec of [{ size: 5 }, { size: 0 }, undefined, "x"]) reconciler.onListed({ ...the(), spec });
    reconciler.onListed({ ...the(), metadata: { ...the().metadata, name: "x-1" } });
    const specs = onObserved.mock.calls.map(([, spec]) => spec as Spec | undefined);
    expect(specs).toEqual([{ size: 5, speed: 3 }, undefined, undefined, undefined, undefined]);
    expect(onObserved.mock.calls[0]?.[0]).toMatchObject({ name: "one", namespace: "shop", uid: "u1", finalizers: [] });
    expect(() => reconcilerOf().onListed(the())).not.toThrow();
  });
});

const aToZ = { pattern: "[a-z]+", longest: 5, allowed: "use up to 5 letters" };

describe("a sync", () => {
  useFakeTime();

  it("has the time of the API server while the clock of its node is wrong", async () => {
    const times: Date[] = [];
    const reconcile = ({ now }: CustomObject<Spec, Status>): Promise<Result<Status>> => {
      times.push(now);
      return finds({ note: "ok" })();
    };
    api.clock.observe({ date: start.toUTCString() }, performance.now());
    for (const off of [0, 28 * 86_400_000, -3_600_000]) {
      vi.setSystemTime(start.getTime() + off);
      await reconcilerOf({ reconcile }).sync("shop/one");
    }
    for (const time of times) expect(Math.abs(time.getTime() - start.getTime())).toBeLessThanOrEqual(1000);
    expect(times).toHaveLength(3);
  });

  it("hands on the object as it was read, with the spec's defaults, and returns when to come again", async () => {
    const objects: CustomObject<Spec, Status>[] = [];
    the().status = { note: "before" };
    const reconcile = (object: CustomObject<Spec, Status>): Promise<Result<Status>> => {
      objects.push(object);
      return finds({ note: "ok" })();
    };
    expect(await reconcilerOf({ reconcile }).sync("shop/one")).toEqual(done);
    expect(objects).toHaveLength(1);
    expect(objects[0]).toMatchObject({
      key: "shop/one",
      path,
      reference: { apiVersion: "example.com/v1", kind: "Thing", namespace: "shop", name: "one", uid: "u1" },
      metadata: { generation: 2, resourceVersion: "7" },
      spec: { size: 5, speed: 3 },
      status: { note: "before" },
      now: start,
    });
  });

  it("forgets an object that is gone, and writes nothing", async () => {
    stored = undefined;
    const [reconcile, onDeleted] = [vi.fn(), vi.fn()];
    expect(await reconcilerOf({ reconcile, onDeleted }).sync("shop/one")).toEqual({ next: "forget" });
    expect(onDeleted.mock.calls).toEqual([["shop/one"]]);
    expect(reconcile).not.toHaveBeenCalled();
    expect(writesOf(api)).toEqual([]);
  });

  it("returns the error of a failed read, and neither forgets nor writes", async () => {
    for (const error of [broken(), refused(), forbidden()]) {
      faults.set(`GET ${path}`, error);
      const [reconcile, onDeleted] = [vi.fn(), vi.fn()];
      expect(await reconcilerOf({ reconcile, onDeleted }).sync("shop/one")).toMatchObject({
        next: "retry",
        error: error,
      });
      expect([reconcile.mock.calls, onDeleted.mock.calls]).toEqual([[], []]);
    }
    expect(writesOf(api)).toEqual([]);
  });
});

describe("a spec", () => {
  it("is checked once for each generation while the object is cached", async () => {
    const check = vi.fn(() => true);
    const rules = [{ ...within<Spec>("size", 1, 9), check }];
    const found: unknown[] = [];
    const reconcile = (object: CustomObject<Spec, Status>): Promise<Result<Status>> => {
      found.push(object.spec);
      return finds({ note: "ok" })();
    };
    const reconciler = reconcilerOf({
      resource: { ...resource, rules },
      cacheSeconds: 60,
      sameStatus: () => true,
      reconcile,
    });
    reconciler.onListed(structuredClone(stored));
    await reconciler.sync("shop/one");
    Object.assign(the().metadata, { resourceVersion: "8" });
    reconciler.onWatched(structuredClone(stored));
    await reconciler.sync("shop/one");
    expect(check).toHaveBeenCalledOnce();
    expect(found[1]).toBe(found[0]);
    Object.assign(the().metadata, { resourceVersion: "9", generation: 3 });
    the().spec = { size: 6 };
    reconciler.onWatched(structuredClone(stored));
    await reconciler.sync("shop/one");
    expect(found[2]).toMatchObject({ size: 6 });
    // Another object of the same name.
    Object.assign(the().metadata, { resourceVersion: "10", uid: "u2" });
    the().spec = { size: 7 };
    reconciler.onListed(structuredClone(stored));
    await reconciler.sync("shop/one");
    expect(found[3]).toMatchObject({ size: 7 });
  });
});

describe("a step that uses more than 50 ms of CPU in one turn", () => {
  useFakeTime();

  it("is told in an Event when the sync before had it, too", async () => {
    let used = 0;
    const usage = vi.spyOn(process, "cpuUsage").mockImplementation(() => ({ user: used * 1000, system: 0 }));
    const course = [60, 40, 70, 55, 20].map(milliseconds => async (object: CustomObject<Spec, Status>) => {
      await object.turn("light", () => (used += 50));
      await object.withSpec(undefined).turn("heavy", () => (used += milliseconds));
      return finds({ note: "ok" })();
    });
    const reconciler = reconcilerOf({ reconcile: object => (course.shift() ?? finds({}))(object) });
    const told: number[] = [];
    while (course.length > 0) {
      await reconciler.sync("shop/one");
      told.push(events.length);
    }
    usage.mockRestore();
    expect(told).toEqual([0, 0, 0, 1, 1]);
    expect(events[0]).toMatchObject({ type: "Warning", reason: "SyncSlow" });
    expect(events[0]?.message).toMatch(/^the step heavy used more than 50 ms of CPU at once in two syncs in a row; /);
  });
});

describe("an invalid spec", () => {
  useFakeTime();

  it("is said in an Event and in Ready, looked at again after 300 s, and not acted on", async () => {
    the().spec = { size: 0, speed: 10 };
    the().status = { note: "kept" };
    const [reconcile, onInvalid] = [vi.fn(), vi.fn()];
    const reconciler = reconcilerOf({ reconcile, onInvalid, finalizer });
    expect(await reconciler.sync("shop/one")).toEqual({ next: "sync", periodSeconds: 300 });
    const message = "Invalid Thing spec: size: 0 is out of range, use 1 to 9; speed: 10 is out of range, use 1 to 9";
    expect(events).toMatchObject([
      {
        type: "Warning",
        reason: "InvalidSpec",
        message,
        action: "Reconcile",
        involvedObject: { kind: "Thing", namespace: "shop", name: "one", uid: "u1" },
      },
    ]);
    expect(the().status).toEqual({
      note: "kept",
      observedGeneration: 2,
      conditions: [
        {
          type: "Ready",
          status: "False",
          reason: "InvalidSpec",
          message,
          lastTransitionTime: "2026-01-01T00:00:00Z",
          observedGeneration: 2,
        },
      ],
    });
    expect(onInvalid.mock.calls).toEqual([["shop/one"]]);
    expect(reconcile).not.toHaveBeenCalled();
    expect(the().metadata.finalizers).toBeUndefined();
  });

  it("is not written again while it is the same", async () => {
    the().spec = { size: 0 };
    const reconciler = reconcilerOf();
    for (let times = 0; times < 3; times++) await reconciler.sync("shop/one");
    expect(statusWrites()).toHaveLength(1);
    expect(events).toHaveLength(1);
  });

  it("says so of no spec, of one of another form, and of a name that breaks the rule on names", async () => {
    const reconciler = reconcilerOf({ resource: { ...resource, nameRule: aToZ } });
    const message = async (): Promise<string | undefined> => {
      await reconciler.sync("shop/one");
      return conditions()[0]?.message;
    };
    the().spec = undefined;
    expect(await message()).toMatch(/^Invalid Thing spec: size: is required/);
    the().spec = { size: 1, sise: 2 };
    expect(await message()).toMatch(/^Invalid Thing spec: sise: there is no such field/);
    the().spec = { size: 0 };
    const short = reconcilerOf({ resource: { ...resource, nameRule: { ...aToZ, longest: 2 } } });
    await short.sync("shop/one");
    expect(conditions()[0]?.message).toBe(
      'Invalid Thing spec: metadata.name: "one" cannot be used, use up to 5 letters; size: 0 is out of range, use 1 to 9',
    );
  });
});

describe("the status", () => {
  useFakeTime();

  it("is applied as a whole, by its field manager, to this object and no other of its name", async () => {
    await reconcilerOf().sync("shop/one");
    expect(statusWrites()).toMatchObject([
      {
        contentType: "application/apply-patch+yaml",
        query: { fieldManager: "tester", force: "true" },
      },
    ]);
    expect(statusWrites()[0]?.body).toEqual({
      apiVersion: "example.com/v1",
      kind: "Thing",
      metadata: { namespace: "shop", name: "one", uid: "u1" },
      status: { note: "ok" },
    });
  });

  it("is written only when it differs, and a field that is undefined is no field", async () => {
    const reconciler = reconcilerOf({
      reconcile: finds({ note: "ok", observedGeneration: undefined, part: { seen: undefined } }),
    });
    for (let times = 0; times < 3; times++) await reconciler.sync("shop/one");
    expect(statusWrites()).toHaveLength(1);
    expect(statusWrites()[0]?.body).toHaveProperty("status", { note: "ok", part: {} });
    await reconcilerOf({ reconcile: finds({ note: "new" }) }).sync("shop/one");
    expect(statusWrites()).toHaveLength(2);
    await reconcilerOf({ reconcile: finds({}) }).sync("shop/one");
    expect(the().status).toEqual({});
  });

  it("is not written when the kind itself finds nothing new in it", async () => {
    const sameStatus = vi.fn((before: Status, after: Status) => before.note === after.note);
    the().status = { note: "same", observedGeneration: 1 };
    await reconcilerOf({ sameStatus, reconcile: finds({ note: "same", observedGeneration: 2 }) }).sync("shop/one");
    expect(writesOf(api)).toEqual([]);
    expect(sameStatus).toHaveBeenCalledWith(
      { note: "same", observedGeneration: 1 },
      { note: "same", observedGeneration: 2 },
    );
    await reconcilerOf({ sameStatus, reconcile: finds({ note: "other" }) }).sync("shop/one");
    expect(statusWrites()).toHaveLength(1);
  });

  it.each([
    ["a text", "x"],
    ["a field of another type", { note: 7 }],
    ["a condition that is none", { note: "ok", conditions: [{ type: "Ready" }] }],
    ["null", null],
  ])("is as good as none when %s is stored", async (_, garbage) => {
    the().status = garbage;
    const reconcile = vi.fn(finds({ note: "ok" }));
    await reconcilerOf({ reconcile }).sync("shop/one");
    expect(reconcile).toHaveBeenCalledWith(expect.objectContaining({ status: {} }));
    expect(the().status).toEqual({ note: "ok" });
  });

  it("of an object deleted meanwhile is no failure; any other answer is thrown", async () => {
    for (const gone of [notFound(), noSuchUid("u1")]) {
      faults.set(`PATCH ${path}/status`, gone);
      expect(await reconcilerOf().sync("shop/one")).toEqual(done);
    }
    for (const error of [conflict(), broken(), forbidden()]) {
      faults.set(`PATCH ${path}/status`, error);
      expect(await reconcilerOf().sync("shop/one")).toMatchObject({ next: "retry", error: error });
    }
  });

  it("keeps the time of a condition that did not change, and those that were not looked at", async () => {
    const old = { status: "True", reason: "A", message: "", lastTransitionTime: "2025-01-01T00:00:00Z" } as const;
    the().status = {
      conditions: [
        { type: "Other", ...old },
        { type: "Ready", ...old },
      ],
    };
    const reconcile = (object: CustomObject<Spec, Status>): Promise<Result<Status>> =>
      finds({
        conditions: object.conditions([{ type: "Ready", status: "True", reason: "B", message: "all is well" }]),
      })();
    await reconcilerOf({ reconcile }).sync("shop/one");
    expect(conditions()).toEqual([
      { type: "Other", ...old },
      { type: "Ready", ...old, reason: "B", message: "all is well", observedGeneration: 2 },
    ]);
  });
});

describe("a round that fails", () => {
  useFakeTime();

  const throwing = (error: unknown): Partial<Controller<Spec, Status>> => ({
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
    reconcile: () => Promise.reject(error),
  });

  it("writes Ready False with the reason, keeps the rest, and returns the error", async () => {
    the().status = { note: "kept" };
    const error = broken();
    expect(await reconcilerOf(throwing(error)).sync("shop/one")).toMatchObject({ next: "retry", error: error });
    expect(the().status).toMatchObject({ note: "kept", observedGeneration: 2 });
    expect(conditions()).toMatchObject([
      { type: "Ready", status: "False", reason: "InternalError", message: "etcd is away" },
    ]);
  });

  it("records a permanent error as an Event, and no transient one", async () => {
    for (const error of [broken(), refused(), new TypeError("x is not a function")])
      expect(await reconcilerOf(throwing(error)).sync("shop/one")).toMatchObject({ next: "retry", error: error });
    expect(events).toEqual([]);
    expect(await reconcilerOf(throwing(forbidden())).sync("shop/one")).toMatchObject({
      next: "retry",
      error: { message: "forbidden" },
    });
    expect(events).toMatchObject([{ type: "Warning", reason: "Forbidden", message: "forbidden", action: "Reconcile" }]);
  });

  it("returns the first error when the status cannot be written either", async () => {
    const error = forbidden();
    faults.set(`PATCH ${path}/status`, broken());
    faults.set("POST events", broken());
    expect(await reconcilerOf(throwing(error)).sync("shop/one")).toMatchObject({ next: "retry", error: error });
  });

  it("with a status of its own has that written, and its outcome returned", async () => {
    const next: Outcome = { next: "retry", firstSeconds: 5, atMostSeconds: 7, error: broken() };
    const reconcile = (): Promise<Result<Status>> => Promise.resolve({ status: { note: "half" }, next });
    expect(await reconcilerOf({ reconcile }).sync("shop/one")).toBe(next);
    expect(the().status).toEqual({ note: "half" });
    faults.set(`PATCH ${path}/status`, forbidden());
    the().status = undefined;
    expect(await reconcilerOf({ reconcile }).sync("shop/one")).toBe(next);
  });
});

describe("a process that does not lead", () => {
  useFakeTime();

  it("neither reads nor writes", async () => {
    holdsLease = false;
    expect(await reconcilerOf().sync("shop/one")).toMatchObject({ error: { reason: "NotLeading" } });
    expect(api.calls).toEqual([]);
  });

  const lost = (): boolean => (holdsLease = false);

  it.each<[string, () => Promise<Result<Status>>]>([
    ["all went well", finds({ note: "ok" })],
    ["a round throws", () => Promise.reject(forbidden())],
    [
      "a round breaks off",
      () =>
        Promise.resolve({
          status: { note: "half" },
          next: { next: "retry", firstSeconds: 5, atMostSeconds: 9, error: forbidden() },
        }),
    ],
  ])("any more writes nothing when %s", async (_, end) => {
    const reconcile = (): Promise<Result<Status>> => {
      lost();
      return end();
    };
    expect(await reconcilerOf({ reconcile }).sync("shop/one")).toHaveProperty("error");
    expect(writesOf(api)).toEqual([]);
  });

  it.each<[string, () => void]>([
    ["is to get its finalizer", () => undefined],
    ["is invalid", () => (the().spec = { size: 0 })],
    [
      "is being deleted",
      () => Object.assign(the().metadata, { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [finalizer] }),
    ],
  ])("any more once the object is read writes nothing when it %s", async (_, prepare) => {
    prepare();
    const get = api.get.bind(api);
    vi.spyOn(api, "get").mockImplementation((...call) => {
      lost();
      return get(...call);
    });
    const reconciler = reconcilerOf({ finalizer });
    expect(await reconciler.sync("shop/one")).toMatchObject({ error: { reason: "NotLeading" } });
    expect(writesOf(api)).toEqual([]);
  });

  it("any more keeps the finalizer of an object whose end it has prepared", async () => {
    Object.assign(the().metadata, { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [finalizer] });
    const finalize = (): Promise<boolean> => Promise.resolve(!lost());
    const reconciler = reconcilerOf({ finalizer, finalize: () => finalize().then(() => true) });
    expect(await reconciler.sync("shop/one")).toMatchObject({ error: { reason: "NotLeading" } });
    expect(writesOf(api)).toEqual([]);
  });
});

describe("a finalizer", () => {
  useFakeTime();

  it("is there before the first round, and added once", async () => {
    const there: unknown[] = [];
    const reconcile = (): Promise<Result<Status>> => {
      there.push(the().metadata.finalizers);
      return finds({ note: "ok" })();
    };
    const reconciler = reconcilerOf({ finalizer, reconcile });
    await reconciler.sync("shop/one");
    await reconciler.sync("shop/one");
    expect(there).toEqual([[finalizer], [finalizer]]);
    expect(api.of("PATCH").filter(one => one.path === path)).toHaveLength(1);
  });

  it("that cannot be added lets no round begin", async () => {
    const reconcile = vi.fn();
    const error = conflict();
    faults.set(`PATCH ${path}`, error);
    expect(await reconcilerOf({ finalizer, reconcile }).sync("shop/one")).toMatchObject({
      next: "retry",
      error: error,
    });
    expect(reconcile).not.toHaveBeenCalled();
    expect(writesOf(api)).toEqual([`PATCH ${path}`]);
  });
});

describe("an object that is being deleted", () => {
  useFakeTime();

  beforeEach(() => {
    Object.assign(the().metadata, { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: [finalizer] });
  });

  it("keeps its finalizer while it is not done, and is looked at again; then it goes, and is forgotten", async () => {
    let finished = false;
    const [reconcile, onDeleted] = [vi.fn(), vi.fn()];
    const finalize = vi.fn(() => Promise.resolve(finished));
    const reconciler = reconcilerOf({ finalizer, finalize, reconcile, onDeleted });
    expect(await reconciler.sync("shop/one")).toEqual({ next: "soon", afterSeconds: 30, periodSeconds: 300 });
    expect(the().metadata.finalizers).toEqual([finalizer]);
    expect(onDeleted).not.toHaveBeenCalled();
    expect(writesOf(api)).toEqual([]);
    finished = true;
    expect(await reconciler.sync("shop/one")).toEqual({ next: "forget" });
    expect(the().metadata.finalizers).toEqual([]);
    expect(onDeleted.mock.calls).toEqual([["shop/one"]]);
    expect(finalize).toHaveBeenCalledWith(expect.objectContaining({ spec: { size: 5, speed: 3 } }));
    expect(reconcile).not.toHaveBeenCalled();
    expect(statusWrites()).toEqual([]);
  });

  it("is finalized whatever its spec", async () => {
    the().spec = { size: 0 };
    const finalize = vi.fn(() => Promise.resolve(true));
    expect(await reconcilerOf({ finalizer, finalize }).sync("shop/one")).toEqual({ next: "forget" });
    expect(finalize).toHaveBeenCalledWith(expect.objectContaining({ spec: undefined }));
    expect(the().metadata.finalizers).toEqual([]);
    expect(events).toEqual([]);
  });

  it("stays when its finalizing throws", async () => {
    const error = refused();
    const onDeleted = vi.fn();
    const finalize = (): Promise<boolean> => Promise.reject(error);
    expect(await reconcilerOf({ finalizer, finalize, onDeleted }).sync("shop/one")).toMatchObject({
      next: "retry",
      error: error,
    });
    expect(the().metadata.finalizers).toEqual([finalizer]);
    expect(onDeleted).not.toHaveBeenCalled();
  });

  it("goes at once where there is nothing to do, and is left to others once its finalizer is off", async () => {
    expect(await reconcilerOf({ finalizer }).sync("shop/one")).toEqual({ next: "forget" });
    const finalize = vi.fn(() => Promise.resolve(true));
    the().metadata.finalizers = ["other"];
    expect(await reconcilerOf({ finalizer, finalize }).sync("shop/one")).toEqual({ next: "forget" });
    expect(await reconcilerOf().sync("shop/one")).toEqual({ next: "forget" });
    expect(finalize).not.toHaveBeenCalled();
    expect(the().metadata.finalizers).toEqual(["other"]);
  });
});

describe("isUnheard", () => {
  useFakeTime();

  it("tells that no watch delivered a status 30 s after its write", async () => {
    const reconciler = reconcilerOf({ reconcile: finds({ note: "new" }) });
    await pass(60);
    expect(reconciler.isWatchSilent()).toBe(false);
    await reconciler.sync("shop/one");
    expect(api.of("PATCH")).toHaveLength(1);
    await pass(29);
    expect(reconciler.isWatchSilent()).toBe(false);
    await pass(2);
    expect(reconciler.isWatchSilent()).toBe(true);
    reconciler.onWatched(the());
    expect(reconciler.isWatchSilent()).toBe(false);
    await pass(60);
    expect(reconciler.isWatchSilent()).toBe(false);
  });

  it("does not count a write whose event comes before its answer, nor one that failed", async () => {
    api = new FakeApi(call => {
      if (call.method === "PATCH") reconciler.onWatched(the());
      return serve(call);
    });
    const reconciler = reconcilerOf({ reconcile: finds({ note: "new" }) });
    await reconciler.sync("shop/one");
    the().status = {};
    faults.set(`PATCH ${path}/status`, conflict());
    expect(await reconciler.sync("shop/one")).toHaveProperty("error");
    await pass(60);
    expect(reconciler.isWatchSilent()).toBe(false);
  });
});

describe("the cache", () => {
  useFakeTime();

  const trusting = (own: Partial<Controller<Spec, Status>> = {}): Reconciler<Spec, Status> =>
    reconcilerOf({ cacheSeconds: 60, ...own });
  const version = (resourceVersion: string, metadata: object = {}): Stored => ({
    ...the(),
    metadata: { ...the().metadata, resourceVersion, ...metadata },
  });
  const reads = (): Call[] => api.of("GET");

  it("is not read again for as long as that counts, then once", async () => {
    const reconciler = trusting();
    reconciler.onListed(the());
    the().status = { note: "ok" };
    stored = version("8");
    reconciler.onListed(stored);
    for (let sync = 0; sync < 3; sync++) await reconciler.sync("shop/one");
    expect(reads()).toEqual([]);
    await pass(60);
    for (let sync = 0; sync < 3; sync++) await reconciler.sync("shop/one");
    expect(reads()).toHaveLength(1);
  });

  it("reads an object that a watch delivers and it does not know, because it may be gone", async () => {
    const reconciler = trusting();
    the().status = { note: "ok" };
    reconciler.onWatched(the());
    await reconciler.sync("shop/one");
    await reconciler.sync("shop/one");
    expect(reads()).toHaveLength(1);
    reconciler.onWatched(version("8"));
    await reconciler.sync("shop/one");
    expect(reads()).toHaveLength(1);
    const past = the();
    stored = undefined;
    reconciler.doubt("shop/one");
    expect(await reconciler.sync("shop/one")).toEqual({ next: "forget" });
    reconciler.onWatched(past);
    reconciler.onWatched({ ...past, metadata: { ...past.metadata, resourceVersion: "9" } });
    expect(await reconciler.sync("shop/one")).toEqual({ next: "forget" });
  });

  it("is filled again by the read of an object that was in doubt, also after an error", async () => {
    const reconciler = trusting();
    reconciler.onListed(the());
    faults.set(`PATCH ${path}/status`, conflict());
    expect(await reconciler.sync("shop/one")).toHaveProperty("error");
    faults.clear();
    the().status = { note: "ok" };
    for (let sync = 0; sync < 3; sync++) await reconciler.sync("shop/one");
    expect(reads()).toHaveLength(1);
    reconciler.doubt("shop/one");
    for (let sync = 0; sync < 3; sync++) await reconciler.sync("shop/one");
    expect(reads()).toHaveLength(2);
  });

  it("is not used by kinds without cacheSeconds, nor without a watch event", async () => {
    const reconciler = reconcilerOf();
    reconciler.onListed(the());
    for (const one of [reconciler, trusting()]) for (let sync = 0; sync < 2; sync++) await one.sync("shop/one");
    expect(reads()).toHaveLength(4);
  });

  it("has the latest state, never an earlier one", async () => {
    const specs: Spec[] = [];
    const reconciler = trusting({
      reconcile: ({ spec }) => {
        specs.push(spec);
        return finds({})();
      },
    });
    reconciler.onListed({ ...version("10"), spec: { size: 2 } });
    reconciler.onListed({ ...version("9", { generation: 1 }), spec: { size: 1 } });
    await reconciler.sync("shop/one");
    reconciler.onListed({ ...version("11", { generation: 3 }), spec: { size: 3 } });
    await reconciler.sync("shop/one");
    expect(specs.map(({ size }) => size)).toEqual([2, 3]);
  });

  it("has the change that a watch tells of during a read", async () => {
    const sizes: number[] = [];
    const reconciler = trusting({
      reconcile: ({ spec: { size } }) => {
        sizes.push(size);
        return finds({ note: "ok" })();
      },
    });
    the().status = { note: "ok" };
    reconciler.onWatched(version("8"));
    const syncing = reconciler.sync("shop/one");
    stored = { ...version("9", { generation: 3 }), spec: { size: 3 } };
    reconciler.onWatched(stored);
    await syncing;
    await reconciler.sync("shop/one");
    expect(sizes.at(-1)).toBe(3);
  });

  it("is known as our own writes left it: nothing is written twice", async () => {
    const answer = (call: Call): unknown => {
      const body = serve(call);
      return call.method === "PATCH" ? version("9", { finalizers: [finalizer] }) : body;
    };
    api = new FakeApi(answer);
    const reconciler = trusting({ finalizer, finalize: () => Promise.resolve(true) });
    reconciler.onListed(the());
    for (let sync = 0; sync < 3; sync++) await reconciler.sync("shop/one");
    expect(api.calls.map(({ method, path: at }) => `${method} ${at}`)).toEqual([
      `PATCH ${path}`,
      `PATCH ${path}/status`,
    ]);
  });

  it("drops an object after any error, after an answer without it, and after a list without it", async () => {
    const reconciler = trusting();
    faults.set(`PATCH ${path}/status`, conflict());
    reconciler.onListed(the());
    expect(await reconciler.sync("shop/one")).toHaveProperty("error");
    faults.clear();
    await reconciler.sync("shop/one");
    expect(reads()).toHaveLength(1);
    reconciler.onListed({ ...version("8"), status: {} });
    await reconciler.sync("shop/one");
    await reconciler.sync("shop/one");
    expect(reads()).toHaveLength(2);
    reconciler.onListed(version("9"));
    stored = undefined;
    reconciler.doubt("shop/one");
    expect(await reconciler.sync("shop/one")).toEqual({ next: "forget" });
  });

  it("is read at every sync once it is being deleted, and no more once it is gone", async () => {
    const reconciler = trusting();
    reconciler.onListed(version("8"));
    reconciler.onListed(version("9", { deletionTimestamp: "now", finalizers: ["other"] }));
    stored = undefined;
    expect(await reconciler.sync("shop/one")).toEqual({ next: "forget" });
  });

  it("whose status can no longer be written because it is gone is looked for by the next sync", async () => {
    const reconciler = trusting();
    reconciler.onListed(the());
    stored = undefined;
    await reconciler.sync("shop/one");
    expect(await reconciler.sync("shop/one")).toEqual({ next: "forget" });
  });
});
