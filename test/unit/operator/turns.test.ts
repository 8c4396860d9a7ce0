import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { Turns } from "../../../capabilities/operator/turns";

/** Turns of a process whose CPU is used by `work` alone, as many ms as it says. */
function turnsOf(): { turns: Turns; work: (milliseconds: number, done?: () => void) => () => void } {
  let used = 0;
  const work = (milliseconds: number, done?: () => void) => (): void => {
    used += milliseconds;
    done?.();
  };
  return { turns: new Turns(nextTurn, () => used), work };
}

describe("the steps of syncs", () => {
  it("take a turn of the event loop each", async () => {
    let [loop, running] = [0, true];
    const count = (): void => {
      loop++;
      if (running) setImmediate(count);
    };
    setImmediate(count);
    const turns = new Turns();
    const loops = await Promise.all(
      Array.from({ length: 6 }, (_, which) => turns.run(`shop-${which % 2}`, () => loop)),
    );
    running = false;
    expect(new Set(loops).size).toBe(6);
  });

  it("return, throw, and say how much CPU they used", async () => {
    const { turns, work } = turnsOf();
    const told: number[] = [];
    const say = (milliseconds: number): void => void told.push(milliseconds);
    expect(await turns.run("shop", () => 7, say)).toBe(7);
    const broken = (): never => {
      work(3)();
      throw new Error("broken");
    };
    await expect(turns.run("shop", broken, say)).rejects.toThrow("broken");
    expect(told).toEqual([0, 3]);
    expect(await turns.run("shop", () => 8)).toBe(8);
  });

  it("of a namespace keep their order", async () => {
    const { turns, work } = turnsOf();
    const order: number[] = [];
    await Promise.all(
      [3, 1, 2].map(one =>
        turns.run(
          "shop",
          work(one, () => order.push(one)),
        ),
      ),
    );
    expect(order).toEqual([3, 1, 2]);
  });

  it("of a namespace wait for one step of another at most, whatever that one asks for", async () => {
    const { turns, work } = turnsOf();
    const order: string[] = [];
    const step = (namespace: string, milliseconds: number): Promise<void> =>
      turns.run(
        namespace,
        work(milliseconds, () => order.push(namespace)),
      );
    const greedy = Array.from({ length: 50 }, () => step("greedy", 100));
    await nextTurn();
    // A namespace with short steps, one after another, as those of a sync.
    for (let count = 0; count < 10; count++) {
      const before = order.length;
      await step("shop", 1);
      expect(order.slice(before).filter(namespace => namespace === "greedy").length).toBeLessThanOrEqual(1);
    }
    await Promise.all(greedy);
  });

  it("share the CPU by namespace, not by step", async () => {
    const { turns, work } = turnsOf();
    const used = { heavy: 0, light: 0 };
    const step = (namespace: keyof typeof used, milliseconds: number): Promise<void> =>
      turns.run(
        namespace,
        work(milliseconds, () => (used[namespace] += milliseconds)),
      );
    const steps = Array.from({ length: 400 }, (_, which) => (which % 2 ? step("heavy", 20) : step("light", 2)));
    while (used.light < 200) await nextTurn();
    expect(used.heavy / used.light).toBeLessThan(1.3);
    expect(used.heavy / used.light).toBeGreaterThan(0.7);
    await Promise.all(steps);
  });
});
