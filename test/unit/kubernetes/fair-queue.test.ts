import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FairPool, FairQueue, NoPermit, Permits } from "../../../capabilities/kubernetes/fair-queue";
import { pass, useFakeTime } from "../time";

interface Item {
  owner: string;
  number: number;
}

/** Arrivals of items and ends of work, in any order. */
const steps = fc.array(
  fc.oneof(fc.record({ arrives: fc.constantFrom("a", "b", "c", "d") }), fc.record({ ends: fc.nat(20) })),
  { maxLength: 200 },
);

/** Plays `steps` on a queue; `after` sees it after each step, with the items that work. */
function play(
  permits: number,
  script: ({ arrives: string } | { ends: number })[],
  after: (queue: FairQueue<Item>, working: Item[], waiting: Item[]) => void,
): { started: Item[]; arrived: Item[] } {
  const queue = new FairQueue<Item>(new Permits(permits));
  const [working, waiting, started, arrived]: [Item[], Item[], Item[], Item[]] = [[], [], [], []];
  for (const step of script) {
    if ("arrives" in step) {
      const item = { owner: step.arrives, number: arrived.length };
      arrived.push(item);
      waiting.push(item);
      queue.push(item.owner, item);
    } else {
      const [ended] = working.splice(step.ends % Math.max(1, working.length), 1);
      if (ended) queue.permits.release(ended.owner);
    }
    for (let item = queue.next(); item; item = queue.next()) {
      waiting.splice(waiting.indexOf(item), 1);
      working.push(item);
      started.push(item);
    }
    after(queue, working, waiting);
  }
  return { started, arrived };
}

const heldBy = (items: Item[], owner: string): number => items.filter(item => item.owner === owner).length;

describe("a fair queue", () => {
  it("fills its permits but for the reserve, never takes more, and counts what waits", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), steps, (permits, script) => {
        play(permits, script, (queue, working, waiting) => {
          expect(working.length).toBeLessThanOrEqual(permits);
          expect(queue.length).toBe(waiting.length);
          const free = permits - working.length;
          for (const { owner } of waiting) expect(heldBy(working, owner)).toBeGreaterThanOrEqual(free);
        });
      }),
    );
  });

  it("has a permit at once for the fourth owner, whatever three others hold of 8 permits or more", () => {
    fc.assert(
      fc.property(fc.integer({ min: 8, max: 20 }), steps, (permits, script) => {
        play(permits, script, (_, working, waiting) => {
          for (const { owner } of waiting) expect(heldBy(working, owner)).toBeGreaterThan(0);
        });
      }),
    );
  });

  it("starts everything in the end, the items of an owner in their order", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), steps, (permits, script) => {
        const ends = Array.from({ length: 2 * script.length + 1 }, () => ({ ends: 0 }));
        const { started, arrived } = play(permits, [...script, ...ends], () => undefined);
        expect(started).toHaveLength(arrived.length);
        for (const owner of ["a", "b", "c", "d"]) {
          const numbers = started.filter(item => item.owner === owner).map(({ number }) => number);
          expect(numbers).toEqual([...numbers].sort((one, other) => one - other));
        }
      }),
    );
  });

  it("gives an owner its turn after one item at most of each other, however many these have", () => {
    const queue = new FairQueue<string>(new Permits(1));
    for (let item = 0; item < 100; item++) for (const owner of ["a", "b"]) queue.push(owner, `${owner}${item}`);
    const turn = (): string | undefined => {
      const item = queue.next();
      if (item) queue.permits.release(item.charAt(0));
      return item;
    };
    expect([turn(), turn(), turn()]).toEqual(["a0", "b0", "a1"]);
    queue.push("c", "c0");
    expect([turn(), turn(), turn()]).toEqual(["b1", "a2", "c0"]);
  });

  it("forgets what is removed", () => {
    const queue = new FairQueue<string>(new Permits(2));
    for (const item of ["1", "2"]) queue.push("a", item);
    expect([queue.remove("a", "1"), queue.remove("a", "1"), queue.length]).toEqual([true, false, 1]);
    expect(queue.next()).toBe("2");
    expect([queue.next(), queue.length]).toEqual([undefined, 0]);
  });
});

describe("permits", () => {
  it("go to one owner by half, and to several in equal parts, with one part free", () => {
    const permits = new Permits(32);
    const taken = new Map<string, number>();
    for (let round = 0; round < 32; round++)
      for (const owner of ["a", "b", "c"]) if (permits.take(owner)) taken.set(owner, (taken.get(owner) ?? 0) + 1);
    expect([...taken.values()]).toEqual([8, 8, 8]);
    const alone = new Permits(32);
    while (alone.take("a"));
    expect(alone.free).toBe(16);
  });

  it("are no more for an owner than its limit", () => {
    const permits = new Permits(4, 1);
    expect(["a", "a", "b", "c", "d", "e"].map(owner => permits.take(owner))).toEqual([
      ...[true, false, true, true, true, false],
    ]);
    permits.release("a");
    expect(["b", "a"].map(owner => permits.take(owner))).toEqual([false, true]);
  });
});

describe("a fair pool", () => {
  useFakeTime();

  const lasting = (seconds: number) => async (): Promise<void> => {
    await new Promise(resolve => setTimeout(resolve, seconds * 1000));
  };

  it("starts work at once for another owner, however much one has", async () => {
    const pool = new FairPool(new Permits(8));
    for (let index = 0; index < 100; index++) void pool.run("a", 1e6, lasting(5));
    const began = performance.now();
    let lag = NaN;
    void pool.run("b", 1e6, () => Promise.resolve((lag = performance.now() - began)));
    await pass(0);
    expect(lag).toBe(0);
    // 100 pieces of 5 s, four at once.
    await pass(124);
    expect(pool.permits.free).toBe(4);
    await pass(1);
    expect(pool.permits.free).toBe(8);
  });

  it("gives up work that finds no permit in time, and does not start it later", async () => {
    const pool = new FairPool(new Permits(2));
    let started = false;
    const first = pool.run("a", 0, lasting(5));
    const second = pool.run("a", 3000, () => Promise.resolve((started = true)));
    const failed = expect(second).rejects.toThrow(NoPermit);
    await pass(3);
    await failed;
    await pass(10);
    await first;
    expect(started).toBe(false);
    expect(pool.permits.free).toBe(2);
  });

  it("frees the permit of work that throws", async () => {
    const pool = new FairPool(new Permits(1));
    await expect(pool.run("a", 0, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(await pool.run("a", 0, () => Promise.resolve("yes"))).toBe("yes");
  });
});
