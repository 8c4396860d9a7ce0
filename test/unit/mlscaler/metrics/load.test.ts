import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Load, loadOf, readyPods, unsampledCondition } from "../../../../capabilities/mlscaler/metrics/load";
import { MetricsError, Pod } from "../../../../capabilities/mlscaler/metrics/reading";
import { podWith } from "../pod";

/** Long after the pods became Ready. */
const now = Date.UTC(2026, 0, 1);
const reference = { reason: "FailedGetResourceMetric", metric: "Resource metric cpu" };

const pod = (name: string, rest: Partial<Pod> = {}): Pod =>
  podWith({ name, ready: { status: true, since: 0 }, ...rest });
const pods = (...names: string[]): Pod[] => names.map(name => pod(name));
const unready = { ready: { status: false, since: 0 } };

/** The load of pods with these samples, where a replica is to carry 2; `last` are samples that are too old. */
const load = (
  some: Pod[],
  fresh: Record<string, number>,
  { at = now, last = {}, started = [] }: { at?: number; last?: Record<string, number>; started?: string[] } = {},
): Load => {
  const given = { fresh: new Map(Object.entries(fresh)), doubtful: new Map(Object.entries(last)) };
  return loadOf(some, given, 2, new Set(started), at);
};

function failureOf(work: () => unknown): MetricsError {
  try {
    work();
  } catch (error) {
    if (error instanceof MetricsError) return error;
    throw error;
  }
  throw new Error("it did not fail");
}

describe("loadOf", () => {
  const whole = (value: number, ready: number): Load => ({
    ...{ lowest: value, highest: value, recorded: value, ready, sampled: ready },
  });

  it("leaves out pods that are not ready, are being deleted or have ended", () => {
    const some = [pod("a"), pod("b", unready), pod("c", { deleting: true }), pod("d", { phase: "Failed" })];
    some.push(pod("e", { phase: "Succeeded" }), pod("f", { ready: undefined }));
    const samples = { a: 1, b: 5, c: 5, d: 5, e: 5, f: 5 };
    expect(load(some, samples)).toEqual(whole(1, 1));
  });

  // prettier-ignore
  it.each<[string, string[], Record<string, number>, Record<string, number>, Partial<Load>]>([
    ["a ready pod without a sample as 0, and as fully used", ["a", "b", "new"], { a: 1, b: 2 }, {}, { lowest: 3, highest: 5, recorded: undefined, ready: 3, sampled: 2 }],
    ["it as the mean of the others where that is more than a replica is to carry", ["a", "b", "new"], { a: 4, b: 6 }, {}, { lowest: 10, highest: 15 }],
    ["a sample that is too old as 0, and as fully used", ["a", "b", "old"], { a: 1, b: 2 }, { old: 0.1 }, { lowest: 3, highest: 5 }],
    ["or itself if that is more", ["a", "b", "old"], { a: 1, b: 2 }, { old: 9 }, { lowest: 3, highest: 12 }],
    ["a sample of unknown age as itself, and as fully used", ["a", "b"], { a: 1, b: 0.5 }, { b: 0.5 }, { lowest: 1.5, highest: 3 }],
    ["or as itself if that is more", ["a", "b"], { a: 1, b: 5 }, { b: 5 }, { lowest: 6, highest: 6 }],
    ["no NaN, nor one below 0 or without an end", ["a", "b", "c", "d", "e"], { a: NaN, b: -1, c: 2, d: 2, e: Infinity }, {}, { lowest: 4, highest: 10, recorded: undefined, ready: 5, sampled: 2 }],
    ["no old one without an end", ["a"], {}, { a: Infinity }, { highest: 2, recorded: undefined }],
    ["a measured 0 as 0", ["a"], { a: 0 }, {}, whole(0, 1)],
  ])("counts %s", (_, names, fresh, last, expected) => {
    expect({ recorded: undefined, ...load(pods(...names), fresh, { last }) }).toMatchObject(expected);
  });

  it("counts a pod that lost its readiness before a scale-down only, by its sample or as fully used", () => {
    const lost = (name: string): Pod =>
      pod(name, { startedAt: now - 600_000, ready: { status: false, since: now - 5_000 } });
    const never = pod("never", { startedAt: now - 600_000, ready: { status: false, since: now - 600_000 } });
    expect(load([pod("a"), lost("b"), lost("c"), never], { a: 1, b: 0.5, never: 7 })).toEqual({
      ...{ lowest: 1, highest: 3.5, recorded: 1, ready: 1, sampled: 1 },
    });
  });

  it("is for the history only if at most a tenth of it is a guess", () => {
    const some = (count: number): Pod[] => Array.from({ length: count }, (_, index) => pod(`${index}`));
    const sampled = (count: number): Record<string, number> =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`${index}`, 1]));
    expect(load(some(19), sampled(18)).recorded).toBe(19);
    expect(load(some(18), sampled(17)).recorded).toBeUndefined();
  });

  it("records nothing for a pod too young to have a sample: what it took over is still in those of the others", () => {
    const some = [...pods("a", "b"), pod("young", { ready: { status: true, since: now - 59_000 } })];
    expect(load(some, { a: 1, b: 2 })).toMatchObject({ lowest: 3, highest: 5, recorded: 3 });
    expect(load(some, { a: 1, b: 2 }, { at: now + 2_000 }).recorded).toBeUndefined();
  });

  it("is a gap where the young pod is a rollout's: what it took over left with the pod before it", () => {
    const some = [...pods("a", "b"), pod("young", { ready: { status: true, since: now - 1_000 } })];
    expect(load(some, { a: 1, b: 2 }, { started: ["young"] }).recorded).toBeUndefined();
  });

  it("never takes the absence of ready pods or of samples for a load of 0", () => {
    for (const [some, samples] of [
      [[], {}],
      [[pod("a", unready)], { a: 1 }],
      [pods("a"), {}],
    ] as const)
      expect(load([...some], samples).recorded).toBeUndefined();
  });

  it("gives a lowest below a recorded below a highest, all finite, whatever is unknown", () => {
    const value = fc.option(fc.oneof(fc.nat(1e9), fc.constantFrom(NaN, -1, Infinity)), { nil: undefined });
    const sample = fc.record({ value, last: value, age: fc.nat(120_000) });
    const named = (values: (number | undefined)[]): Record<string, number> =>
      Object.fromEntries(values.flatMap((one, index) => (one === undefined ? [] : [[String(index), one]])));
    fc.assert(
      fc.property(fc.array(sample, { maxLength: 8 }), samples => {
        const some = samples.map(({ age }, index) => pod(String(index), { ready: { status: true, since: now - age } }));
        const last = named(samples.map(one => one.last));
        const found = load(some, named(samples.map(one => one.value)), { last });
        expect(Number.isFinite(found.highest)).toBe(true);
        // An unknown pod counts for a replica at least.
        expect(found.highest).toBeGreaterThanOrEqual(found.lowest + 2 * (found.ready - found.sampled));
        if (found.recorded === undefined) return;
        expect(found.lowest).toBeLessThanOrEqual(found.recorded * (1 + 1e-12));
        expect(found.recorded).toBeLessThanOrEqual(found.highest * (1 + 1e-12));
      }),
    );
  });
});

describe("unsampledCondition", () => {
  const readyFor = (name: string, seconds: number): Pod =>
    pod(name, { ready: { status: true, since: now - seconds * 1000 } });
  const messageOf = (some: Pod[], samples: Record<string, "fresh" | "unknown">): string | undefined =>
    unsampledCondition(some, name => samples[name] ?? "none", now, reference)?.message;

  it("names the Ready pods that have had no sample for five minutes, and those with one of an unknown age", () => {
    const some = [readyFor("a", 300), readyFor("b", 1), readyFor("c", 300), pod("d", unready)];
    expect(messageOf(some, { b: "unknown", c: "fresh" })).toContain(
      "Resource metric cpu: 2 of 3 Ready pods (a …) have no fresh sample",
    );
  });

  it("does not exist where each pod has a sample, or is too young to have one", () => {
    expect(messageOf([readyFor("a", 300), readyFor("b", 299)], { a: "fresh" })).toBeUndefined();
  });
});

describe("readyPods", () => {
  it("fails by the name of the metric when there is none", () => {
    expect(failureOf(() => readyPods([pod("a", unready)], reference))).toMatchObject({
      reason: reference.reason,
      message: `${reference.metric}: none of 1 pods is Ready; see why with "kubectl get pods"`,
    });
  });
});
