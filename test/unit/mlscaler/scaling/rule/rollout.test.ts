import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Pod, PodReading, Reading } from "../../../../../capabilities/mlscaler/metrics/reading";
import { readingWithoutStartUp, rolloutOf } from "../../../../../capabilities/mlscaler/scaling/rule/rollout";
import { podWith } from "../../pod";

const now = Date.UTC(2026, 0, 1);
const minute = 60_000;
const hour = 60 * minute;
/** As long as the start of a pod may show after it became Ready. */
const settledAfter = 120_000;

/** A pod of a revision that became Ready so long ago, a minute after it was started; without `readyFor` it is not. */
const pod = (name: string, revision: string | undefined, readyFor?: number, rest: Partial<Pod> = {}): Pod => {
  const since = now - (readyFor ?? 0);
  return podWith({
    name,
    ready: { status: readyFor !== undefined, since },
    startedAt: since - minute,
    revision,
    ...rest,
  });
};

const starting = (pods: Pod[], from?: string, replacedAt?: number): string[] => [
  ...rolloutOf(pods, { from, replacedAt }, now).starting,
];

const age = fc.option(fc.integer({ min: 0, max: 2 * settledAfter }), { nil: undefined });
/** Pods of these revisions, of any age, Ready or not. */
const podsOf = (...revisions: (string | undefined)[]): fc.Arbitrary<Pod[]> =>
  fc
    .array(fc.tuple(fc.constantFrom(...revisions), age, fc.boolean()), { maxLength: 8 })
    .map(all => all.map(([revision, readyFor, deleting], index) => pod(`${index}`, revision, readyFor, { deleting })));

describe("rolloutOf", () => {
  it("finds the pods of another revision that are not Ready, or not for long", () => {
    const pods = [
      pod("old", "1", hour),
      pod("unready", "2"),
      pod("no-condition", "2", 0, { ready: undefined }),
      pod("young", "2", settledAfter - 1),
      pod("settled", "2", settledAfter),
      pod("leaving", "2", 0, { deleting: true }),
    ];
    expect(starting(pods, "1")).toEqual(expect.arrayContaining(["unready", "no-condition", "young"]));
    expect(starting(pods, "1")).toHaveLength(3);
  });

  it("takes the revision of the oldest pod for the one before when that is not known", () => {
    const pods = [
      pod("new", "2", 1000),
      pod("old", "1", hour),
      pod("pending", "2", undefined, { startedAt: undefined }),
    ];
    expect(rolloutOf(pods, {}, now)).toEqual({ from: "1", starting: new Set(["new", "pending"]) });
  });

  it("does not take for the oldest one that is leaving, or has ended", () => {
    for (const rest of [{ deleting: true }, { phase: "Failed" }, { phase: "Succeeded" }]) {
      const pods = [pod("old", "1", hour, rest), pod("new", "2", 1000)];
      expect(rolloutOf(pods, {}, now), JSON.stringify(rest)).toEqual({ from: "2", starting: new Set() });
    }
  });

  it("a scale-up of the revision that was there is no rollout, however young and unready its pods are", () => {
    fc.assert(
      fc.property(podsOf("1"), fc.constantFrom("1", undefined), (pods, from) => {
        const alive = pods.some(({ deleting }) => !deleting);
        expect(rolloutOf(pods, { from }, now)).toEqual({ from: alive ? "1" : from, starting: new Set() });
      }),
    );
  });

  it("where pods name no revision there is no telling, and no rollout", () => {
    fc.assert(
      fc.property(podsOf(undefined), pods => {
        expect(rolloutOf(pods, {}, now)).toEqual({ from: undefined, starting: new Set() });
      }),
    );
    expect(starting([pod("old", "1", hour), pod("unknown", undefined)], "1")).toEqual([]);
  });

  it("is over once all pods are of others and have settled, and then a scale-up is none again", () => {
    const others = fc.array(fc.integer({ min: settledAfter, max: hour }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(others, ages => {
        const pods = ages.map((readyFor, index) => pod(`${index}`, "2", readyFor));
        expect(rolloutOf(pods, { from: "1" }, now)).toEqual({ from: "2", starting: new Set() });
        expect(starting([...pods, pod("added", "2")], rolloutOf(pods, { from: "1" }, now).from)).toEqual([]);
      }),
    );
  });

  it("is not over before: the revision that it is from stays", () => {
    fc.assert(
      fc.property(podsOf("1", "2", "3"), pods => {
        const there = pods.filter(({ deleting }) => !deleting);
        fc.pre(there.some(({ revision }) => revision === "1") || starting(pods, "1").length > 0);
        expect(rolloutOf(pods, { from: "1" }, now).from).toBe("1");
      }),
    );
  });

  it("goes from one revision through another to a third, when that was rolled out before the first had ended", () => {
    const begun = rolloutOf([pod("a", "1", hour), pod("b", "2", 1000)], {}, now);
    const further = rolloutOf([pod("b", "2", settledAfter), pod("c", "3", 1000)], begun, now);
    expect(further).toEqual({ from: "1", replacedAt: now, starting: new Set(["c"]) });
    expect(rolloutOf([pod("c", "3", settledAfter)], further, now)).toEqual({ from: "3", starting: new Set() });
  });

  it("is not kept open by pods that a scale-up adds once all were replaced, nor are those held", () => {
    const replacedAt = now - 100_000;
    const added = [pod("added", "2"), pod("another", "2", 1000)].map(one => ({ ...one, startedAt: replacedAt + 1 }));
    const last = pod("last", "2", 90_000);
    expect(rolloutOf([last, ...added], { from: "1", replacedAt }, now)).toEqual({
      from: "1",
      replacedAt,
      starting: new Set(["last"]),
    });
    expect(rolloutOf([pod("last", "2", settledAfter), ...added], { from: "1", replacedAt }, now)).toEqual({
      from: "2",
      starting: new Set(),
    });
  });

  it("remembers since when none of the revision before has been left, for as long as that is so", () => {
    const first = rolloutOf([pod("new", "2", 1000)], { from: "1" }, now);
    expect(first.replacedAt).toBe(now);
    expect(rolloutOf([pod("new", "2", 1000)], first, now + 5000).replacedAt).toBe(now);
    expect(rolloutOf([pod("new", "2", 1000), pod("old", "1", hour)], first, now).replacedAt).toBeUndefined();
  });

  it("does not wait for a pod that crashes again and again, or finds no node", () => {
    const crashing = pod("crashing", "2", undefined, { startedAt: now - 300_000 });
    const unplaced = pod("unplaced", "2", undefined, { startedAt: undefined });
    const settled = pod("settled", "2", settledAfter);
    expect(starting([crashing, pod("old", "1", hour)], "1")).toEqual([]);
    for (const pods of [[settled, crashing], [settled, unplaced], [crashing]])
      expect(rolloutOf(pods, { from: "1" }, now)).toEqual({ from: "2", starting: new Set() });
    expect(rolloutOf([unplaced], { from: "1" }, now).from).toBe("1");
  });
});

const milliIn = (reading: Reading | undefined): Map<string, number> | undefined =>
  reading && "samples" in reading ? new Map([...reading.samples].map(([name, { milli }]) => [name, milli])) : undefined;

describe("readingWithoutStartUp", () => {
  const pods = ["a", "b", "c"].map(name => pod(name, "1", hour));
  const reading = (of: Record<string, number>): PodReading => ({
    samples: new Map(Object.entries(of).map(([name, milli]) => [name, { milli, at: now, windowMilliseconds: 15_000 }])),
  });
  const settled = (of: Record<string, number>, begun: string): Map<string, number> | undefined =>
    milliIn(readingWithoutStartUp(reading(of), pods, new Set(begun)));

  it("lets a pod that is being started count for no more than the mean of the others", () => {
    const after = new Map(Object.entries({ a: 1, b: 3, c: 2, "of-another": 7 }));
    expect(settled({ a: 1, b: 3, c: 9, "of-another": 7 }, "c")).toEqual(after);
    expect(settled({ a: 2, b: 6, c: 1 }, "c")?.get("c")).toBe(1);
  });

  it("tells nothing when no other pod of the target has a sample", () => {
    expect(settled({ c: 9, "of-another": 7 }, "c")).toBeUndefined();
    expect(settled({ a: 1 }, "abc")).toBeUndefined();
    expect(settled({}, "")).toBeUndefined();
  });

  it("goes by the samples that are numbers", () => {
    for (const garbage of [NaN, -1, Infinity]) {
      expect(settled({ a: 2, b: garbage, c: 9 }, "c")?.get("c")).toBe(2);
      expect(settled({ b: garbage, c: 9 }, "c")).toBeUndefined();
    }
  });

  it("raises nothing, changes no settled pod, and brings the load to no more than that of the others for each", () => {
    const sampled = fc.array(fc.tuple(fc.nat(1e9), fc.boolean()), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(sampled, all => {
        const target = all.map((_, index) => pod(`${index}`, "1", hour));
        const before = new Map(all.map(([milli], index) => [`${index}`, milli]));
        const begun = new Set(all.flatMap(([, isStarting], index) => (isStarting ? [`${index}`] : [])));
        const after = milliIn(readingWithoutStartUp(reading(Object.fromEntries(before)), target, begun));
        const others = all.flatMap(([milli, isStarting]) => (isStarting ? [] : [milli]));
        fc.pre(others.length > 0);
        expect([...(after ?? []).keys()]).toEqual([...before.keys()]);
        for (const [name, milli] of after ?? []) {
          expect(milli).toBeLessThanOrEqual(before.get(name) ?? NaN);
          if (!begun.has(name)) expect(milli).toBe(before.get(name));
        }
        const sum = (loads: number[]): number => loads.reduce((total, load) => total + load, 0);
        // The mean is rounded up for each pod that is being started.
        const most = (sum(others) / others.length) * all.length + begun.size;
        expect(sum([...(after ?? []).values()])).toBeLessThanOrEqual(most * (1 + 1e-9));
      }),
    );
  });

  it("leaves a value that is nobody's in particular as it is", () => {
    expect(readingWithoutStartUp({ milli: 4000 }, pods, new Set("abc"))).toEqual({ milli: 4000 });
  });

  it("is in whole milli-units, when and over how long they were taken as before", () => {
    expect(readingWithoutStartUp(reading({ a: 100, b: 101, c: 900 }), pods, new Set("c"))).toEqual(
      reading({ a: 100, b: 101, c: 101 }),
    );
  });
});
