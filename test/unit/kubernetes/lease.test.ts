import fc from "fast-check";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { Lease, LeaseOptions } from "../../../capabilities/kubernetes/lease";
import { conflict, FakeApi, notFound, refused } from "../fake-api";
import { FakeLeases, StoredLease } from "../fake-leases";
import { pass, start, useFakeTime } from "../time";

/** An API server with one Lease. `weather` is asked before and after each call. */
class Leases extends FakeApi {
  readonly #leases = new FakeLeases();

  constructor(weather: () => Promise<void> = () => Promise.resolve()) {
    super(async call => {
      await weather();
      const answer = this.#leases.serve(call);
      // What is written is written, though the answer may be lost.
      await weather();
      return answer;
    });
  }

  get stored(): StoredLease | undefined {
    return this.#leases.stored.get("mlscaler");
  }

  set stored(lease: StoredLease | undefined) {
    if (lease) this.#leases.stored.set("mlscaler", lease);
    else this.#leases.stored.delete("mlscaler");
  }
}

interface Candidate {
  lease: Lease;
  told: boolean[];
  errors: unknown[];
}

/** All candidates of a test. */
let candidates: Candidate[] = [];

function candidate(api: FakeApi, process: string, pod?: string, options?: LeaseOptions): Candidate {
  const told: boolean[] = [];
  const errors: unknown[] = [];
  const lease = new Lease(
    api,
    "pepr-system",
    "mlscaler",
    pod === undefined ? { process } : { process, pod },
    held => told.push(held),
    error => errors.push(error),
    options,
  );
  const one = { lease, told, errors };
  candidates.push(one);
  return one;
}

/** A candidate that runs. */
function running(api: FakeApi, process = "one", pod?: string): Candidate {
  const one = candidate(api, process, pod);
  one.lease.run();
  return one;
}

/** Leases of which this one is stored. */
function withLease(spec: StoredLease["spec"]): Leases {
  const api = new Leases();
  api.stored = { metadata: { name: "mlscaler", resourceVersion: "9" }, spec };
  return api;
}

describe("Lease", () => {
  useFakeTime();

  afterEach(async () => {
    const released = Promise.all(candidates.map(({ lease }) => lease.release()));
    candidates = [];
    await pass(60);
    await released;
  });

  it("is created and renewed by the first process, which is notified once", async () => {
    const api = new Leases();
    const { lease, told } = candidate(api, "one");
    expect(lease.held).toBe(false);
    lease.run();
    await pass(60);
    expect(lease.held).toBe(true);
    expect(told).toEqual([true]);
    expect(api.stored?.spec).toMatchObject({ holderIdentity: "one", leaseDurationSeconds: 15, leaseTransitions: 0 });
    expect(api.stored?.spec.renewTime).toBe(new Date(start.getTime() + 60_000).toISOString().replace("Z", "000Z"));
  });

  it("is taken from a dead holder 15 s after its last renewal, by the taker's own clock", async () => {
    // What the other's clock says does not matter: it is an hour ahead.
    const renewTime = new Date(start.getTime() + 3600_000).toISOString();
    const spec = { holderIdentity: "gone", leaseDurationSeconds: 15, leaseTransitions: 3, renewTime };
    const api = withLease(spec);
    const { lease, told } = running(api);
    await pass(14.9);
    expect(lease.held).toBe(false);
    await pass(0.2);
    expect(lease.held).toBe(true);
    expect(told).toEqual([true]);
    expect(api.stored?.spec).toMatchObject({ holderIdentity: "one", leaseTransitions: 4 });
  });

  it("is taken at once from an earlier process of the same pod, and of no other", async () => {
    const pod = "watcher-abc_0cc6_";
    for (const [holder, held] of [
      [`${pod}1111`, true],
      ["watcher-abc_0cc7_1111", false],
    ] as const) {
      const spec = { holderIdentity: holder, leaseDurationSeconds: 15, leaseTransitions: 3 };
      const api = withLease(spec);
      const { lease } = candidate(api, `${pod}2222`, pod);
      lease.run();
      await pass(0.1);
      expect(lease.held).toBe(held);
      expect(lease.term).toBe(held ? 5 : 0);
    }
  });

  it("is lost 10 s after the last renewal when the API server is away, and is won back", async () => {
    let away = false;
    const api = new Leases(() => (away ? Promise.reject(refused()) : Promise.resolve()));
    const { lease, told, errors } = running(api);
    await pass(4);
    away = true;
    await pass(9.9);
    expect(lease.held).toBe(true);
    await pass(0.1);
    expect(lease.held).toBe(false);
    await pass(4);
    expect(told).toEqual([true, false]);
    expect(errors.length).toBeGreaterThan(3);
    away = false;
    await pass(2);
    expect(told).toEqual([true, false, true]);
    // No other process took it.
    expect(lease.term).toBe(1);
  });

  it("does not report a conflict as a failure, and counts no term when another process was faster", async () => {
    const api = new FakeApi(({ method }) => {
      if (method === "GET") throw notFound();
      throw conflict();
    });
    const { lease, errors } = running(api);
    await pass(10);
    expect([lease.held, lease.term, errors]).toEqual([false, 0, []]);
  });

  it("stays with another holder when it is released late, without an error", async () => {
    const api = new Leases();
    const { lease } = running(api);
    await pass(1);
    if (api.stored) api.stored.spec.holderIdentity = "other";
    await lease.release();
    expect(api.stored?.spec.holderIdentity).toBe("other");

    let away = false;
    const failing = candidate(new Leases(() => (away ? Promise.reject(refused()) : Promise.resolve())), "one");
    failing.lease.run();
    await pass(1);
    away = true;
    await expect(failing.lease.release()).resolves.toBeUndefined();
    expect(failing.lease.held).toBe(false);
    expect(failing.errors).toHaveLength(1);
  });

  it("gives each request less time than the lease lasts", async () => {
    const api = new Leases();
    running(api);
    await pass(10);
    for (const { method, timeoutSeconds } of api.calls) {
      if (method !== "POST") expect(timeoutSeconds).toBeLessThanOrEqual(4);
    }
  });

  it("counts a term each time that it is taken, and none while it is only renewed", async () => {
    const api = new Leases();
    const { lease } = candidate(api, "one");
    expect(lease.term).toBe(0);
    lease.run();
    await pass(60);
    expect([lease.held, lease.term]).toEqual([true, 1]);

    if (api.stored) api.stored.spec.holderIdentity = "other";
    await pass(5);
    expect(lease.term).toBe(1);
    // The other renews nothing, so its time runs out.
    await pass(30);
    expect([lease.held, lease.term]).toEqual([true, 2]);
  });

  it("counts the term that a write began whose answer was lost", async () => {
    let lost = false;
    const api: Leases = new Leases((): Promise<void> => {
      const isTaken = api.stored?.spec.holderIdentity === "one";
      return lost && isTaken ? Promise.reject(refused()) : Promise.resolve();
    });
    const { lease } = running(api);
    await pass(4);
    expect(lease.term).toBe(1);
    if (api.stored) api.stored.spec.holderIdentity = "other";
    lost = true;
    await pass(20);
    expect([api.stored?.spec.holderIdentity, lease.held]).toEqual(["one", false]);
    lost = false;
    await pass(2);
    expect([lease.held, lease.term]).toEqual([true, 2]);
  });

  it("goes on counting when the Lease is deleted, so that a later holder has a higher number", async () => {
    const spec = { holderIdentity: "", leaseTransitions: 7 };
    const api = withLease(spec);
    const { lease } = running(api);
    await pass(4);
    expect(lease.term).toBe(9);
    api.stored = undefined;
    await pass(4);
    expect([lease.held, lease.term]).toEqual([true, 10]);
  });

  it("is created again by its holder when it is deleted, and by another process only after 15 s", async () => {
    const api = new Leases();
    const one = running(api);
    await pass(1);
    const other = running(api, "other");
    await pass(3.5);
    // The turn of the other one comes first.
    api.stored = undefined;
    for (let step = 0; step < 100; step++) {
      await pass(0.1);
      expect([one.lease.held, other.lease.held]).toEqual([true, false]);
    }
    await one.lease.release();
    api.stored = undefined;
    await pass(15);
    expect(other.lease.held).toBe(true);
  });

  it("is lost as soon as another process is seen to hold it", async () => {
    const api = new Leases();
    const { lease, told } = running(api);
    await pass(1);
    const spec = { holderIdentity: "other", leaseDurationSeconds: 15, leaseTransitions: 7 };
    api.stored = { metadata: { name: "mlscaler", resourceVersion: "99" }, spec };
    await pass(2);
    expect([lease.held, told]).toEqual([false, [true, false]]);
  });

  it("never has two holders, whatever the network does, and has one when it is quiet", async () => {
    const delays = fc.array(fc.tuple(fc.constantFrom(0, 0, 1, 500, 3000, 9000), fc.boolean(), fc.boolean()), {
      minLength: 3,
      maxLength: 60,
    });
    await fc.assert(
      fc.asyncProperty(delays, fc.integer({ min: 0, max: 5000 }), async (plan, later) => {
        let quiet = false;
        let call = 0;
        const weather = async (): Promise<void> => {
          const [delay, fails, twice] = quiet ? [0, false, false] : (plan[call++ % plan.length] ?? [0, false, false]);
          if (delay > 0) await new Promise(resolve => setTimeout(resolve, delay));
          if (fails && twice) throw refused();
        };
        const api = new Leases(weather);
        const all = ["one", "other", "third"].map(identity => candidate(api, identity));
        for (const { lease } of all) {
          lease.run();
          await pass(later / 1000);
        }
        for (let step = 0; step < 120; step++) {
          await pass(0.5);
          expect(all.filter(({ lease }) => lease.held).length).toBeLessThanOrEqual(1);
        }
        quiet = true;
        await pass(60);
        expect(all.filter(({ lease }) => lease.held)).toHaveLength(1);
        for (const { lease, told } of all) expect(told.at(-1) ?? false).toBe(lease.held);
        await Promise.all(all.map(({ lease }) => lease.release()));
        expect(vi.getTimerCount()).toBe(0);
      }),
      { numRuns: 12 },
    );
  });

  it("is held by all that share it, however slow the API server is and whoever is faster", async () => {
    const slow = fc.array(fc.integer({ min: 0, max: 900 }), { minLength: 3, maxLength: 30 });
    const random = vi.spyOn(Math, "random");
    onTestFinished(() => random.mockRestore());
    const chances = fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(slow, fc.integer({ min: 0, max: 2000 }), chances, async (delays, later, chosen) => {
        let drawn = 0;
        random.mockImplementation(() => chosen[drawn++ % chosen.length] ?? 0);
        let call = 0;
        const weather = (): Promise<void> =>
          new Promise(resolve => setTimeout(resolve, delays[call++ % delays.length] ?? 0));
        const api = new Leases(weather);
        const shared = { isShared: () => true };
        const all = Array.from({ length: 6 }, () => candidate(api, "watchers of 4 shards", undefined, shared));
        const other = candidate(api, "watchers of 2 shards", undefined, shared);
        for (const { lease } of all) {
          lease.run();
          await pass(later / 1000);
        }
        await pass(20);
        other.lease.run();
        for (let step = 0; step < 120; step++) {
          await pass(0.5);
          expect(all.every(({ lease }) => lease.held && lease.term === 1)).toBe(true);
          expect(other.lease.held).toBe(false);
        }
        await Promise.all([pass(20), ...[...all, other].map(({ lease }) => lease.release())]);
      }),
      { numRuns: 5 },
    );
  });

  it("stays with a process that has joined since the last write, when it is released", async () => {
    const api = new Leases();
    let isShared = false;
    const annotations = (before: Record<string, string>): Record<string, string> => {
      isShared = before.joined !== undefined;
      return before;
    };
    const { lease } = candidate(api, "watchers of 4 shards", undefined, { annotations, isShared: () => isShared });
    lease.run();
    await pass(1);
    if (api.stored) api.stored.metadata = { ...api.stored.metadata, annotations: { joined: "now" } };
    await lease.release();
    expect(api.stored?.spec.holderIdentity).toBe("watchers of 4 shards");
  });

  it("does not count the write of another holder as a renewal", async () => {
    const api = new Leases();
    const { lease } = candidate(api, "watchers of 4 shards", undefined, { isShared: () => true });
    lease.run();
    await pass(1);
    const read = api.stored;
    // Another process is faster than each write.
    let version = 1;
    const taking = new FakeApi(({ method }) => {
      if (method === "PUT") throw conflict();
      const spec = { ...read?.spec, holderIdentity: holder };
      return { metadata: { ...read?.metadata, resourceVersion: String(version++) }, spec };
    });
    let holder = "watchers of 4 shards";
    const second = candidate(taking, "watchers of 4 shards", undefined, { isShared: () => true, mayTake: () => false });
    second.lease.run();
    await pass(5);
    expect(second.lease.held).toBe(true);
    for (holder of ["other", ""]) {
      await pass(12);
      expect(second.lease.held).toBe(false);
    }
    await Promise.all([lease.release(), second.lease.release()]);
  });
});
