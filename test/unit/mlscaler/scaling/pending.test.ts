import { describe, expect, it } from "vitest";
import { Pod } from "../../../../capabilities/mlscaler/metrics/reading";
import { Waiting, waitingOf } from "../../../../capabilities/mlscaler/scaling/pending";
import { podWith } from "../pod";

const begin = Date.UTC(2026, 0, 1);
const minute = 60_000;
const full = "0/5 nodes are available: 5 Insufficient cpu";

const running = (index: number, startUpSeconds = 10): Pod =>
  podWith({
    ...{ name: `web-${index}`, scheduledAt: begin },
    ready: { status: true, since: begin + startUpSeconds * 1000 },
  });
const waits = (index: number, since = begin, message = full): Pod =>
  podWith({ name: `web-${index}`, phase: "Pending", waits: { since, reason: "Unschedulable", message } });

/** What is said after a sync every 15 s for so long. */
function after(
  minutes: number,
  counts: { replicas: number; observed: number },
  podsAt: (at: number) => Pod[],
): Waiting {
  let waiting: Waiting = { pending: [] };
  for (let at = begin; at <= begin + minutes * minute; at += 15_000)
    waiting = waitingOf(waiting, counts, podsAt(at), at);
  return waiting;
}

describe("replicas that find no node", () => {
  const pods = [...Array.from({ length: 9 }, (_, index) => running(index)), waits(9), waits(10), waits(11)];
  const counts = { replicas: 12, observed: 12 };

  it("are said after a minute, with the scheduler's words and a remedy", () => {
    expect(waitingOf(undefined, counts, pods, begin + minute - 1).pending).toEqual([]);
    expect(waitingOf(undefined, counts, pods, begin + 4 * minute).pending).toEqual([
      {
        reason: "Unschedulable",
        replicas: 3,
        what: "3 of 12 replicas are Pending for more than 2 min",
        why: `${full}; add nodes, or lower max_replicas`,
      },
    ]);
  });

  it("are said after twice the time that a start takes, where that is longer", () => {
    const slow = [running(0, 100), waits(1)];
    expect(waitingOf(undefined, { replicas: 2, observed: 2 }, slow, begin + 199_000).pending).toEqual([]);
    expect(waitingOf(undefined, { replicas: 2, observed: 2 }, slow, begin + 200_000).pending).toHaveLength(1);
  });

  it("are no longer said when they have a node, are deleted or have ended", () => {
    const now = begin + 10 * minute;
    const others: Partial<Pod>[] = [{ waits: undefined, scheduledAt: now }, { deleting: true }, { phase: "Failed" }];
    for (const other of others)
      expect(waitingOf(undefined, { replicas: 1, observed: 1 }, [{ ...waits(0), ...other }], now).pending).toEqual([]);
  });

  it("change their text a few times a day only, whatever the scheduler says", () => {
    const texts = new Set<string>();
    let waiting: Waiting | undefined;
    for (let at = begin; at < begin + 1440 * minute; at += 15_000) {
      const words = `0/5 nodes are available: ${at % 7} Insufficient cpu`;
      waiting = waitingOf(waiting, { replicas: 1, observed: 1 }, [waits(0, begin, words)], at);
      for (const { what, why } of waiting.pending) texts.add(what + why);
    }
    expect(texts.size).toBeGreaterThan(5);
    expect(texts.size).toBeLessThan(12);
  });

  it("are told apart from those that a gate holds", () => {
    const gated: Pod = { ...waits(1), waits: { since: begin, reason: "SchedulingGated", message: "" } };
    const found = waitingOf(undefined, { replicas: 2, observed: 2 }, [waits(0), gated], begin + 5 * minute).pending;
    expect(found.map(({ reason, replicas }) => [reason, replicas])).toEqual([
      ["Unschedulable", 1],
      ["SchedulingGated", 1],
    ]);
  });
});

describe("replicas that are not created", () => {
  const eight = Array.from({ length: 8 }, (_, index) => running(index));

  it("are said when the target has had no more of them for a minute", () => {
    const found = after(3, { replicas: 12, observed: 8 }, () => eight).pending;
    expect(found).toMatchObject([
      {
        reason: "ReplicasMissing",
        replicas: 4,
        what: "the target has 8 of 12 replicas for more than 2 min",
        why: expect.stringContaining("quota") as string,
      },
    ]);
  });

  it("are not said of a target that still creates them one by one, or whose status tells no replicas", () => {
    const growing = (at: number): Pod[] => eight.slice(0, 1 + Math.floor((at - begin) / 50_000));
    expect(after(5, { replicas: 12, observed: 0 }, growing).pending).toEqual([]);
    expect(after(5, { replicas: 8, observed: 0 }, () => eight).pending).toEqual([]);
  });
});
