import { describe, expect, it } from "vitest";
import type { Pod } from "../../../../../capabilities/mlscaler/metrics/reading";
import { type NodeWait, NodeWaits, withWaits } from "../../../../../capabilities/mlscaler/scaling/ahead/node-waits";
import { start } from "../../../time";
import { podWith } from "../../pod";

const now = start.getTime();
const day = 86_400_000;

/** A pod that was created some seconds ago, and waited for a node. */
const pod = (age: number, waited: number, waitedFor?: string): Pod =>
  podWith({ waitedFor, createdAt: now - 1000 * age, scheduledAt: now - 1000 * (age - waited) });

/** The nodes, made this many seconds ago. */
const nodes: Record<string, number> = { old: 5000, young: 400 };
const createdAt = (name: string): number | undefined =>
  nodes[name] === undefined ? undefined : now - 1000 * nodes[name];
const secondsOf = (known: NodeWait[], pods: Pod[]): number[] =>
  withWaits(known, pods, createdAt, now).map(({ seconds }) => seconds);

describe("withWaits", () => {
  it("counts a pod whose node was made after it, once", () => {
    const pods = [pod(450, 150, "young"), pod(440, 140, "young"), pod(300, 20, "young"), pod(500, 100, "old")];
    const found = withWaits([], pods, createdAt, now);
    expect(found.map(({ seconds }) => seconds)).toEqual([150, 140]);
    expect(withWaits(found, pods, createdAt, now)).toBe(found);
  });

  it("counts neither an unknown node nor a pod that waited for more than half an hour", () => {
    expect(secondsOf([], [pod(450, 150, "gone"), pod(450, 150), pod(3000, 2700, "young")])).toEqual([]);
  });

  it("keeps the newest twenty, for four weeks", () => {
    const old = { at: now - 28 * day, seconds: 90 };
    const known = [old, { at: old.at + 1, seconds: 80 }];
    expect(secondsOf(known, [])).toEqual([80]);
    const pods = Array.from({ length: 30 }, (_, age) => pod(430 + age, 100 + age, "young"));
    expect(secondsOf(known, pods)).toEqual(Array.from({ length: 20 }, (_, age) => 119 - age));
  });
});

describe("the time of a node", () => {
  it("is the 90th percentile of the waits of the target, else of its namespace, else of the cluster", () => {
    const waits = new NodeWaits();
    const seconds = (key: string): number | undefined => waits.secondsOf(key);
    expect(seconds("shop/web")).toBeUndefined();
    const ten = Array.from({ length: 10 }, (_, at) => ({ at, seconds: 10 * at }));
    waits.keep("shop/api", ten);
    expect([seconds("shop/api"), seconds("shop/web"), seconds("bank/web")]).toEqual([80, 80, 80]);
    waits.keep("bank/api", [{ at: 1, seconds: 300 }]);
    expect([seconds("shop/api"), seconds("shop/web"), seconds("bank/web"), seconds("new/web")]).toEqual([
      ...[80, 80, 300, 90],
    ]);
    waits.keep("bank/api", []);
    expect([seconds("bank/web"), seconds("shop/api")]).toEqual([80, 80]);
  });
});
