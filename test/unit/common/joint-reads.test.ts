import { describe, expect, it } from "vitest";
import { JointReads } from "../../../capabilities/common/joint-reads";

/** Reads that end when they are told to, each with the number of those that had begun. */
function reads(): {
  ask: (key?: string) => Promise<number>;
  begun: () => number;
  end: (fault?: Error) => Promise<void>;
} {
  const joint = new JointReads<number>();
  const ends: ((fault?: Error) => void)[] = [];
  let count = 0;
  const read = (): Promise<number> => {
    const number = ++count;
    return new Promise((resolve, reject) => ends.push(fault => (fault ? reject(fault) : resolve(number))));
  };
  return {
    ask: (key = "a") => joint.ask(key, read),
    begun: () => count,
    end: async fault => {
      ends.shift()?.(fault);
      for (let turn = 0; turn < 10; turn++) await Promise.resolve();
    },
  };
}

describe("JointReads", () => {
  it("gives nobody what was read before he asked, and reads once for all who wait", async () => {
    const { ask, begun, end } = reads();
    const first = ask();
    const others = [ask(), ask(), ask()];
    expect(begun()).toBe(1);
    await end();
    expect(await first).toBe(1);
    expect(begun()).toBe(2);
    const later = ask();
    await end();
    expect(await Promise.all(others)).toEqual([2, 2, 2]);
    await end();
    expect(await later).toBe(3);
    expect(begun()).toBe(3);
  });

  it("reads at once where nothing is under way, and keeps keys apart", async () => {
    const { ask, begun, end } = reads();
    const [one, other] = [ask("a"), ask("b")];
    expect(begun()).toBe(2);
    await end();
    await end();
    expect(await Promise.all([one, other])).toEqual([1, 2]);
    const again = ask("a");
    expect(begun()).toBe(3);
    await end();
    expect(await again).toBe(3);
  });

  it("throws to those who shared a read that failed, and reads for those who wait", async () => {
    const { ask, end } = reads();
    const first = ask();
    const second = ask();
    const seen = expect(first).rejects.toThrow("away");
    await end(new Error("away"));
    await seen;
    await end();
    expect(await second).toBe(2);
  });
});
