import { Gauge } from "prom-client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ApiError } from "../../../capabilities/kubernetes/api";
import { log } from "../../../capabilities/kubernetes/log";
import { Namespaces, shardOf } from "../../../capabilities/kubernetes/namespaces";
import { Operator } from "../../../capabilities/operator/operator";
import { untilPhase } from "../../../capabilities/operator/phase";
import { leaseLost } from "../../../capabilities/operator/custom-object";
import { Kind } from "../../../capabilities/operator/reconciler";
import { Outcome } from "../../../capabilities/operator/outcome";
import { objectRegistry } from "../../../capabilities/operator/telemetry";
import { broken, Call, FakeApi, notFound, refused } from "../fake-api";
import { FakeLeases } from "../fake-leases";
import { pass, start, useFakeTime } from "../time";

const leasePath = "/apis/coordination.k8s.io/v1/namespaces/pepr-system/leases";

/** A kind "Thing" whose syncs are only noted. */
class Things implements Kind {
  readonly kind = "Thing";
  readonly resource = { group: "example.com", version: "v1", kind: "Thing", plural: "things" };
  readonly path = "/apis/example.com/v1/things";
  readonly seenObjects: string[] = [];
  readonly synced: string[] = [];
  readonly missedKeys: string[] = [];
  remembered: string[] = [];
  outcome: Outcome = { next: "sync", periodSeconds: 3600 };
  flush: (isIn?: (namespace: string) => boolean) => Promise<void> = () => Promise.resolve();
  isDeaf = false;

  start(): void {}

  onWatched(object: unknown): void {
    this.onListed(object);
  }

  isWatchSilent(): boolean {
    return this.isDeaf;
  }

  onListed(object: unknown): void {
    this.seenObjects.push((object as { metadata: { name: string } }).metadata.name);
  }

  trackedKeys(): string[] {
    return this.remembered;
  }

  doubt(key: string): void {
    this.missedKeys.push(key);
  }

  onLeaseLost(): void {}

  evict(): void {}

  sync(key: string): Promise<Outcome> {
    this.synced.push(key);
    return Promise.resolve(this.outcome);
  }
}

/** An operator of a process whose place in the five minutes of regular lists is 202 s. */
const operatorOn = (api: FakeApi, shards = 1): Operator =>
  new Operator(api, api, new Namespaces(), shards, { process: "watcher-h_1" });

let things: Things;
let operator: Operator;
let stored: string[];
let events: string[];
let lease: { metadata: object; spec: { holderIdentity?: string } } | undefined;
let listing: () => unknown;

const thing = (name: string, generation = 1): object => ({
  metadata: { name, namespace: "shop", uid: name, generation },
});

function serve({ method, path, body }: Call): unknown {
  if (path.startsWith(leasePath)) {
    if (method !== "GET") lease = { ...(body as NonNullable<typeof lease>) };
    if (!lease) throw notFound();
    return structuredClone({ ...lease, metadata: { ...lease.metadata, resourceVersion: "1" } });
  }
  if (path === things.path) return listing();
  if (path.endsWith("/deployments/pepr-mlscaler-watcher")) return thing("pepr-mlscaler-watcher");
  if (path.includes("/events")) events.push((body as { reason: string }).reason);
  return {};
}

async function begin(): Promise<void> {
  operator.start([things]);
  await pass(0.1);
}

beforeEach(() => {
  [stored, events, lease] = [["a", "b"], [], undefined];
  listing = () => ({ metadata: { resourceVersion: "1" }, items: stored.map(name => thing(name)) });
});

describe("an operator", () => {
  useFakeTime();

  beforeEach(() => {
    things = new Things();
    operator = operatorOn(new FakeApi(serve));
  });

  afterEach(async () => {
    vi.restoreAllMocks();
    const stopped = operator.stop();
    await pass(10);
    await stopped;
  });

  it("that holds the Lease sees every object before it syncs any, then syncs each once", async () => {
    await begin();
    expect(things.seenObjects.slice(0, 2)).toEqual(["a", "b"]);
    await pass(5);
    expect(things.synced.sort()).toEqual(["shop/a", "shop/b"]);
  });

  it("that has seen one page of several syncs nothing, though an object of it changes meanwhile", async () => {
    let answer: (list: unknown) => void = () => undefined;
    const rest = new Promise(resolve => (answer = resolve));
    listing = () => ({ metadata: { resourceVersion: "1", continue: "more" }, items: [thing("a")] });
    operator = operatorOn(new FakeApi(call => (call.query?.continue ? rest : serve(call))));
    await begin();
    expect(operator.context.starting()).toBe(true);
    operator.changed(things, thing("a"));
    await pass(1);
    expect([things.seenObjects, things.synced]).toEqual([["a", "a"], []]);
    answer({ metadata: { resourceVersion: "1" }, items: [thing("b")] });
    await pass(0.1);
    expect(things.synced.sort()).toEqual(["shop/a", "shop/b"]);
  });

  it("that does not, syncs nothing, whatever changes, until the other's Lease has run out", async () => {
    lease = { metadata: {}, spec: { holderIdentity: "another" } };
    await begin();
    operator.changed(things, thing("a"));
    operator.context.wake("Thing", "shop/a");
    await pass(10);
    expect(things.synced).toEqual([]);
    expect(things.seenObjects).toEqual(["a"]);
    await pass(10);
    expect(things.synced.sort()).toEqual(["shop/a", "shop/b"]);
  });

  it("syncs a changed object at once, and not again for our own status", async () => {
    await begin();
    operator.changed(things, thing("a", 2));
    await pass(0);
    expect(things.synced.filter(key => key === "shop/a")).toHaveLength(2);
    operator.changed(things, thing("a", 2));
    await pass(1);
    expect(things.synced.filter(key => key === "shop/a")).toHaveLength(2);
  });

  it("finds changes that the watch lost in a full pass, and syncs a removed object once more", async () => {
    await begin();
    operator.changed(things, thing("b"));
    stored.push("c");
    things.remembered = ["shop/gone"];
    await pass(300);
    expect(things.synced).toContain("shop/c");
    expect(things.synced).toContain("shop/gone");
    // What is new in the list may be gone again: it is as old as the list's first page.
    expect(things.missedKeys).toEqual(["shop/gone", "shop/c"]);
  });

  it("finds new objects within 30 s when the watch no longer delivers what this process writes", async () => {
    await begin();
    operator.changed(things, thing("a"));
    stored.push("c");
    await pass(40);
    expect(things.synced).not.toContain("shop/c");
    things.isDeaf = true;
    await pass(31);
    expect(things.synced).toContain("shop/c");
  });

  it("finds changed objects within 30 s as long as the watch has delivered none, and syncs them once", async () => {
    await begin();
    listing = () => ({ metadata: { resourceVersion: "1" }, items: [thing("a", 2), thing("b")] });
    await pass(31);
    expect(things.synced.slice(2)).toEqual(["shop/a"]);
    expect(things.missedKeys).toEqual(["shop/a"]);
    await pass(400);
    operator.changed(things, thing("a", 2));
    operator.changed(things, thing("b"));
    await pass(1);
    expect(things.synced).toHaveLength(3);
  });

  it("lists at a time of its own, and every five minutes from then on", async () => {
    const times: number[] = [];
    operator = operatorOn(
      new FakeApi(call => {
        if (call.path === things.path && call.query?.limit !== "1") times.push(Date.now() - start.getTime());
        return serve(call);
      }),
    );
    await begin();
    operator.changed(things, thing("a"));
    await pass(900);
    const place = untilPhase(lease?.spec.holderIdentity ?? "", 300, start.getTime());
    expect(times.slice(1)).toEqual([place, place + 300_000, place + 600_000]);
  });

  it("does not take objects of a failed list for gone", async () => {
    await begin();
    things.remembered = ["shop/a"];
    const before = things.synced.length;
    listing = () => {
      throw broken();
    };
    await pass(301);
    expect(things.synced).toHaveLength(before);
  });

  it("of several kinds lists again only the one that it could not", async () => {
    listing = () => {
      throw broken();
    };
    const others = new Things();
    const resource = { ...others.resource, kind: "Other", plural: "others" };
    Object.assign(others, { kind: "Other", resource, path: "/apis/example.com/v1/others" });
    operator = operatorOn(
      new FakeApi(call =>
        call.path === others.path ? { metadata: { resourceVersion: "1" }, items: [thing("x")] } : serve(call),
      ),
    );
    operator.start([things, others]);
    await pass(0.1);
    operator.changed(things, thing("b"));
    expect(others.synced).toEqual(["shop/x"]);
    await pass(21);
    expect(others.synced).toEqual(["shop/x"]);
    listing = () => ({ metadata: { resourceVersion: "1" }, items: [thing("a")] });
    await pass(6);
    expect(things.synced).toContain("shop/a");
    expect(others.synced).toEqual(["shop/x"]);
  });

  it.each([
    ["failed", 0],
    ["fails through a regular full pass", 320],
  ])("lists again soon when the list at the start %s", async (_, seconds) => {
    listing = () => {
      throw refused();
    };
    await begin();
    operator.changed(things, thing("b"));
    await pass(seconds);
    expect(things.synced).toEqual(["shop/b"]);
    listing = () => ({ metadata: { resourceVersion: "1" }, items: [thing("a")] });
    await pass(6);
    expect(things.synced).toContain("shop/a");
  });

  it("says which CRD is missing, in an Event too, and goes on when it is there", async () => {
    listing = () => {
      throw notFound("things");
    };
    await begin();
    operator.changed(things, thing("b"));
    expect(events).toEqual(["CRDMissing"]);
    listing = () => ({ metadata: { resourceVersion: "1" }, items: [thing("a")] });
    await pass(31);
    expect(things.synced).toContain("shop/a");
  });

  it("stops when it loses the Lease, and drops the metrics of objects", async () => {
    await begin();
    const told = new Gauge({ name: "things", help: "of one", labelNames: ["name"], registers: [objectRegistry] });
    told.set({ name: "a" }, 1);
    lease = { metadata: {}, spec: { holderIdentity: "another" } };
    await pass(13);
    const before = things.synced.length;
    operator.context.wake("Thing", "shop/a");
    operator.changed(things, thing("a", 7));
    await pass(1);
    expect(things.synced).toHaveLength(before);
    expect(operator.scheduler.size.objects).toBe(0);
    expect((await told.get()).values).toEqual([]);
    objectRegistry.removeSingleMetric("things");
  });

  it.each([
    ["is no error after the Lease was lost", "another", []],
    ["is an error while the Lease is held", undefined, ["sync failed"]],
  ])("a sync that ends as NotLeading %s", async (_, holder, said) => {
    const errors: string[] = [];
    vi.spyOn(log, "error").mockImplementation((_fields: unknown, message?: string) => void errors.push(message ?? ""));
    let end: (error: Error) => void = () => undefined;
    things.sync = () => new Promise((_resolve, reject) => (end = reject));
    stored = ["a"];
    await begin();
    if (holder) lease = { metadata: {}, spec: { holderIdentity: holder } };
    await pass(13);
    end(new ApiError(0, leaseLost, "another process acts"));
    await pass(0);
    expect(errors).toEqual(said);
  });

  it("flushes its kinds after the last sync and while it still holds the Lease", async () => {
    await begin();
    let ended: () => void = () => undefined;
    const order: string[] = [];
    things.sync = () =>
      new Promise(resolve => {
        ended = () => {
          order.push("synced");
          resolve(things.outcome);
        };
      });
    things.flush = () => {
      order.push(`flushed ${lease?.spec.holderIdentity === "" ? "without" : "with"} the Lease`);
      return Promise.resolve();
    };
    operator.context.wake("Thing", "shop/a");
    const stopped = operator.stop();
    await pass(1);
    expect(order).toEqual([]);
    ended();
    await pass(1);
    await stopped;
    expect(order).toEqual(["synced", "flushed with the Lease"]);
    expect(lease?.spec.holderIdentity).toBe("");
  });

  it("follows its shards, and flushes one before another watcher gets its Lease", async () => {
    const leases = new FakeLeases();
    const answer = (call: Call): unknown => (call.path.startsWith(leasePath) ? leases.serve(call) : serve(call));
    const sharded = operatorOn(new FakeApi(answer), 2);
    const holder = (): string | undefined => leases.stored.get("mlscaler-shard-1")?.spec.holderIdentity;
    const namespaces = Array.from({ length: 20 }, (_, index) => `shop-${index}`);
    const flushed: unknown[] = [];
    things.flush = (isIn = () => true) => {
      flushed.push([holder(), namespaces.filter(isIn)]);
      return Promise.resolve();
    };
    sharded.start([things]);
    await pass(10);
    expect(namespaces.filter(sharded.namespaces.part.includes)).toEqual(namespaces);
    for (let second = 0; second < 25; second++) {
      const common = leases.stored.get("mlscaler");
      const renewed = JSON.stringify({ another: String(second) });
      if (common) common.metadata.annotations = { "mlscaler.example.com/watchers": renewed };
      await pass(1);
    }
    const inShard = (shard: number): string[] => namespaces.filter(namespace => shardOf(namespace, 2) === shard);
    expect(flushed).toEqual([["watcher-h_1", inShard(1)]]);
    expect(holder()).not.toBe("watcher-h_1");
    expect(namespaces.filter(sharded.namespaces.part.includes)).toEqual(inShard(0));
    const stopped = sharded.stop();
    await pass(10);
    await stopped;
  });

  it("gives the Lease up although a sync and a store do not end", async () => {
    await begin();
    things.sync = () => new Promise(() => undefined);
    things.flush = () => new Promise(() => undefined);
    operator.context.wake("Thing", "shop/a");
    const stopped = operator.stop();
    await pass(3.4);
    expect(lease?.spec.holderIdentity).not.toBe("");
    await pass(0.2);
    await stopped;
    expect(lease?.spec.holderIdentity).toBe("");
  });
});
