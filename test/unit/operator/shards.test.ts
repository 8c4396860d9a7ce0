import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { Shards, shardsFrom } from "../../../capabilities/operator/shards";
import { FakeApi, refused } from "../fake-api";
import { FakeLeases } from "../fake-leases";
import { pass, useFakeTime } from "../time";

/** One watcher: its shards, and what it was told of them. */
class Watcher {
  readonly told: string[] = [];
  readonly acting = new Set<number>();
  isCut = false;
  delay = (): number => 5;
  readonly shards: Shards;

  constructor(leases: FakeLeases, name: string, total: number, ending: () => Promise<void> = () => Promise.resolve()) {
    this.shards = new Shards(
      new FakeApi(async call => {
        await new Promise(resolve => setTimeout(resolve, this.delay()));
        if (this.isCut) throw refused();
        return leases.serve(call);
      }),
      "pepr-system",
      "mlscaler",
      { process: name },
      total,
      {
        gained: shard => void this.acting.add(shard),
        lost: shard => void this.acting.delete(shard),
        ending: async shard => {
          this.told.push(`ending ${shard}`);
          await ending();
        },
        failed: () => undefined,
      },
    );
    this.shards.run();
  }
}

/** The shards in which more than one watcher acts, or none. */
const wrong = (watchers: Watcher[], total: number): number[] =>
  Array.from({ length: total }, (_, shard) => shard).filter(
    shard => watchers.filter(({ shards }) => shards.holds(shard)).length !== 1,
  );

const sizes = (...watchers: Watcher[]): number[] => watchers.map(({ shards }) => shards.held.length);

async function end(...watchers: Watcher[]): Promise<void> {
  for (const { shards } of watchers) {
    const released = shards.release();
    await pass(10);
    await released;
  }
}

describe("shards", () => {
  useFakeTime();

  it("are all held by the only watcher, and their Leases are those of the shards", async () => {
    const leases = new FakeLeases();
    const watcher = new Watcher(leases, "one", 4);
    await pass(5);
    expect([...watcher.acting].sort()).toEqual([0, 1, 2, 3]);
    expect([...leases.stored.keys()].sort()).toEqual([
      "mlscaler",
      ...[0, 1, 2, 3].map(shard => `mlscaler-shard-${shard}`),
    ]);
    expect(watcher.shards.holdsLease("shop")).toBe(true);
    await end(watcher);
    expect([...leases.stored.values()].map(({ spec }) => spec.holderIdentity)).toEqual(["", "", "", "", ""]);
  });

  it("have the Lease of the module alone when there is one", async () => {
    const leases = new FakeLeases();
    const watcher = new Watcher(leases, "one", 1);
    await pass(5);
    expect([...leases.stored.keys()]).toEqual(["mlscaler"]);
    expect(leases.stored.get("mlscaler")?.spec.holderIdentity).toBe("one");
    await end(watcher);
  });

  it("are handed over in order to a watcher that joins, and back when it leaves", async () => {
    const leases = new FakeLeases();
    const one = new Watcher(leases, "one", 4);
    await pass(10);
    const two = new Watcher(leases, "two", 4);
    await pass(30);
    expect(sizes(one, two)).toEqual([2, 2]);
    expect(wrong([one, two], 4)).toEqual([]);
    expect(one.told).toEqual(["ending 2", "ending 3"]);
    await end(two);
    expect(sizes(one)).toEqual([4]);
    await end(one);
  });

  it("of a watcher that is lost are taken 15 s after the other one last saw it, so within 17 s", async () => {
    const leases = new FakeLeases();
    const one = new Watcher(leases, "one", 4);
    await pass(10);
    const two = new Watcher(leases, "two", 4);
    await pass(20.1);
    one.isCut = true;
    await pass(17);
    expect(sizes(one, two)).toEqual([0, 4]);
    await end(one, two);
  });

  it("are shared out at once by watchers that start together", async () => {
    const leases = new FakeLeases();
    const one = new Watcher(leases, "one", 4);
    await pass(1);
    const two = new Watcher(leases, "two", 4);
    await pass(9);
    expect(sizes(one, two)).toEqual([2, 2]);
    await end(one, two);
  });

  it("of a lost watcher are taken by the one that is left, although another one has just joined", async () => {
    const leases = new FakeLeases();
    const one = new Watcher(leases, "one", 6);
    await pass(10);
    const two = new Watcher(leases, "two", 6);
    await pass(30);
    const { held } = one.shards;
    one.told.length = 0;
    two.isCut = true;
    await pass(5);
    const three = new Watcher(leases, "three", 6);
    await pass(12);
    expect(sizes(one, two, three)).toEqual([6, 0, 0]);
    // Their objects get a sync before the new one gets these shards, and no others.
    await pass(20);
    expect(one.told).toEqual([]);
    await pass(20);
    expect(one.told).toHaveLength(3);
    expect(one.shards.held).toEqual(held);
    expect(sizes(one, two, three)).toEqual([3, 0, 3]);
    await end(one, two, three);
  });

  it("are held until the work in them has ended", async () => {
    const leases = new FakeLeases();
    let finish = (): void => undefined;
    const one = new Watcher(leases, "one", 2, () => new Promise(resolve => (finish = resolve)));
    await pass(10);
    const two = new Watcher(leases, "two", 2);
    await pass(20);
    expect(sizes(one, two)).toEqual([2, 0]);
    finish();
    await pass(5);
    expect(sizes(one, two)).toEqual([1, 1]);
    await end(one, two);
  });

  it.each([
    [1, 4],
    [4, 1],
    [4, 8],
  ])("move once when their number goes from %i to %i, and nobody acts twice meanwhile", async (before, after) => {
    const leases = new FakeLeases();
    const old = new Watcher(leases, "old", before);
    await pass(10);
    const next = new Watcher(leases, "next", after);
    await pass(30);
    expect(sizes(old, next)).toEqual([before, 0]);
    const released = old.shards.release();
    for (let second = 0; second < 25; second++) {
      await pass(1);
      expect(old.shards.held.length > 0 && next.shards.held.length > 0).toBe(false);
    }
    await released;
    expect(sizes(old, next)).toEqual([0, after]);
    await end(next);
  });

  it("have a higher term with each holder", async () => {
    const leases = new FakeLeases();
    const one = new Watcher(leases, "one", 2);
    await pass(5);
    const first = one.shards.term("shop");
    await end(one);
    const two = new Watcher(leases, "two", 2);
    await pass(5);
    expect(two.shards.term("shop")).toBeGreaterThan(first);
    await end(two);
  });

  it("are acted in as long as they are held, however late their Leases were renewed", async () => {
    const delays = fc.array(fc.integer({ min: 0, max: 7000 }), { minLength: 3, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(delays, async plan => {
        const watcher = new Watcher(new FakeLeases(), "one", 4);
        await pass(10);
        let call = 0;
        watcher.delay = () => plan[call++ % plan.length] ?? 5;
        await pass(60);
        watcher.delay = () => 5;
        await pass(30);
        expect(watcher.shards.held).toHaveLength(4);
        expect([...watcher.acting].sort()).toEqual(watcher.shards.held);
        await end(watcher);
      }),
      { numRuns: 8 },
    );
  });

  it("are never held by two, and by one each in the end, whoever joins, leaves or is cut off", async () => {
    const step = fc.record({
      watcher: fc.nat({ max: 3 }),
      what: fc.constantFrom("join", "leave", "cut", "mend"),
      seconds: fc.nat({ max: 25 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), fc.integer({ min: 2, max: 6 }), async (steps, total) => {
        const leases = new FakeLeases();
        const all: Watcher[] = [];
        const present = new Map<number, Watcher>();
        for (const { watcher, what, seconds } of [...steps, { watcher: 9, what: "join", seconds: 0 }]) {
          const found = present.get(watcher);
          if (what === "join" && !found) {
            const joined = new Watcher(leases, `w${watcher}-${all.length}`, total);
            present.set(watcher, joined);
            all.push(joined);
          } else if (found && what === "leave") {
            present.delete(watcher);
            void found.shards.release();
          } else if (found) found.isCut = what === "cut";
          for (let second = 0; second < seconds; second++) {
            await pass(1);
            for (let shard = 0; shard < total; shard++)
              expect(all.filter(({ shards }) => shards.holds(shard)).length).toBeLessThanOrEqual(1);
          }
        }
        for (const { isCut } of all) if (isCut) for (const one of all) one.isCut = false;
        await pass(90);
        const left = [...present.values()];
        expect(wrong(left, total)).toEqual([]);
        const held = sizes(...left);
        expect(Math.max(...held) - Math.min(...held)).toBeLessThanOrEqual(1);
        await end(...left);
        vi.clearAllTimers();
      }),
      { numRuns: 10 },
    );
  });
});

describe("MLSCALER_SHARDS", () => {
  it.each([
    [undefined, 1],
    ["", 1],
    ["1", 1],
    ["64", 64],
  ])("%j means %i", (MLSCALER_SHARDS, shards) => expect(shardsFrom({ MLSCALER_SHARDS })).toBe(shards));

  it.each(["0", "65", "1000", "-1", "2.5", "four"])("refuses %j", MLSCALER_SHARDS =>
    expect(() => shardsFrom({ MLSCALER_SHARDS })).toThrow(
      `MLSCALER_SHARDS is "${MLSCALER_SHARDS}", use a whole number from 1 to 64`,
    ),
  );
});
