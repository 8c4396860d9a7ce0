import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Watchers } from "../../../capabilities/operator/watchers";
import { pass, useFakeTime } from "../time";

const annotation = "mlscaler.example.com/watchers";

/** Watchers that renew one Lease, one after the other. */
class Shared {
  annotations: Record<string, string> = { other: "stays" };

  renew(...watchers: Watchers[]): void {
    for (const watcher of watchers) this.annotations = watcher.renew(this.annotations);
  }
}

const watcher = (process: string, pod?: string): Watchers =>
  new Watchers(pod === undefined ? { process } : { process, pod });

describe("watchers", () => {
  useFakeTime();

  it("share all shards, with at most one more for some than for others", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 64 }), fc.integer({ min: 1, max: 9 }), async (total, count) => {
        const lease = new Shared();
        const watchers = Array.from({ length: count }, (_, number) => watcher(`w${number}`));
        lease.renew(...watchers, ...watchers);
        await pass(2);
        const shares = watchers.map(one => one.shareOf(total));
        expect(shares.reduce((sum, share) => sum + share, 0)).toBe(total);
        expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);
        expect(lease.annotations.other).toBe("stays");
      }),
    );
  });

  it("leave their share at once when they end in order, and after 10 s without a renewal", async () => {
    const lease = new Shared();
    const [one, two, three] = [watcher("one"), watcher("two"), watcher("three")];
    lease.renew(one, two, three, one, two);
    expect([one, two, three].map(({ count }) => count)).toEqual([3, 3, 3]);
    two.withdraw();
    lease.renew(two, one, three);
    expect([one.count, one.shareOf(4)]).toEqual([2, 2]);
    for (let second = 0; second < 10; second += 2) {
      await pass(2);
      lease.renew(one);
    }
    expect([one.count, one.shareOf(4)]).toEqual([1, 4]);
    expect(Object.keys(JSON.parse(lease.annotations[annotation] ?? "") as object)).toEqual(["one"]);
  });

  it("do not count an earlier process of their own pod", () => {
    const lease = new Shared();
    lease.renew(watcher("pod-a_1_x"), watcher("pod-b_2_x"));
    const restarted = watcher("pod-a_1_y", "pod-a_1_");
    lease.renew(restarted);
    expect(restarted.count).toBe(2);
  });

  it.each(["", "[]", "{", '{"one": 1}'])("begin again after someone wrote %j", text => {
    const lease = new Shared();
    const one = watcher("one");
    lease.annotations[annotation] = text;
    lease.renew(one);
    expect([one.count, one.shareOf(4)]).toEqual([1, 4]);
  });
});
