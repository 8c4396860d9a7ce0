import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Load, loadOf, readyPods } from "../../../../capabilities/mlscaler/metrics/load";
import { MetricsError, Pod } from "../../../../capabilities/mlscaler/metrics/reading";
import { shortFormReference } from "../../../../capabilities/mlscaler/metrics/short-form-metric";

/** Long after the pods became Ready. */
const now = Date.UTC(2026, 0, 1);
const reference = { reason: "FailedGetResourceMetric", metric: "Resource metric cpu" };

const pod = (name: string, rest: Partial<Pod> = {}): Pod => ({
  name,
  labels: {},
  phase: "Running",
  deleting: false,
  ready: { status: true, since: 0 },
  containers: [],
  ...rest,
});
const pods = (...names: string[]): Pod[] => names.map(name => pod(name));
const unready = { ready: { status: false, since: 0 } };

const load = (some: Pod[], samples: Record<string, number>, at = now): Load =>
  loadOf(some, new Map(Object.entries(samples)), at, reference);

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
  it("sums over the target's ready pods", () => {
    const even = load(pods("a", "b"), { a: 0.5, b: 1, "of-another": 77 });
    expect(even).toEqual({ lowest: 1.5, likely: 1.5, recorded: 1.5 });
  });

  it("leaves out pods that are not ready, are being deleted or have ended", () => {
    const some = [pod("a"), pod("b", unready), pod("c", { deleting: true }), pod("d", { phase: "Failed" })];
    some.push(pod("e", { phase: "Succeeded" }), pod("f", { ready: undefined }));
    const samples = { a: 1, b: 5, c: 5, d: 5, e: 5, f: 5 };
    expect(load(some, samples)).toEqual({ lowest: 1, likely: 1, recorded: 1 });
  });

  it("counts a ready pod without a sample as 0 and as the mean of the others", () => {
    expect(load(pods("a", "b", "new"), { a: 1, b: 2 })).toMatchObject({ lowest: 3, likely: 4.5 });
  });

  it("records nothing for a pod too young to have a sample: what it took over is still in those of the others", () => {
    const some = [...pods("a", "b", "old"), pod("young", { ready: { status: true, since: now - 59_000 } })];
    expect(load(some, { a: 1, b: 2 })).toEqual({ lowest: 3, likely: 6, recorded: 4.5 });
    expect(load(some, { a: 1, b: 2 }, now + 2_000)).toEqual({ lowest: 3, likely: 6, recorded: 6 });
  });

  it("fails when fewer than half of the ready pods have a sample, not when half have", () => {
    expect(load(pods("a", "b", "c", "d"), { a: 1, b: 2 })).toEqual({ lowest: 3, likely: 6, recorded: 6 });
    expect(failureOf(() => load(pods("a", "b", "c", "d", "e"), { a: 1, b: 2 }))).toMatchObject({
      reason: "FailedGetResourceMetric",
      message: "Resource metric cpu: only 2 of 5 Ready pods have a sample, half must",
    });
  });

  it("takes what is not a number, or below 0, for no sample", () => {
    const samples = { a: NaN, b: -1, c: 2, d: 2, e: Infinity };
    expect(load(pods("a", "b", "c", "d"), samples)).toEqual({ lowest: 4, likely: 8, recorded: 8 });
    for (const name of ["a", "b", "e"]) failureOf(() => load(pods(name), samples));
  });

  it("never takes the absence of ready pods or of samples for a load of 0", () => {
    expect(failureOf(() => load([], {})).message).toContain("none of 0 pods is Ready");
    expect(failureOf(() => load([pod("a", unready)], { a: 1 })).message).toContain("none of 1 pods is Ready");
    expect(failureOf(() => load(pods("a"), {})).message).toContain("only 0 of 1");
  });

  it("takes a measured 0 for 0", () => {
    expect(load(pods("a"), { a: 0 })).toEqual({ lowest: 0, likely: 0, recorded: 0 });
  });

  it("gives a lowest and a recorded that are never above the likely, all finite", () => {
    const sample = fc.record({ value: fc.option(fc.nat(1e9)), age: fc.nat(120_000) });
    fc.assert(
      fc.property(fc.array(sample, { minLength: 1, maxLength: 8 }), samples => {
        const known = samples.flatMap(({ value }, index) => (value === null ? [] : [[String(index), value] as const]));
        fc.pre(known.length * 2 >= samples.length);
        const some = samples.map(({ age }, index) => pod(String(index), { ready: { status: true, since: now - age } }));
        const { lowest, likely, recorded } = load(some, Object.fromEntries(known));
        expect(Number.isFinite(likely)).toBe(true);
        expect(lowest).toBeLessThanOrEqual(recorded * (1 + 1e-12));
        expect(recorded).toBeLessThanOrEqual(likely * (1 + 1e-12));
      }),
    );
  });
});

describe("readyPods", () => {
  it("finds the pods that carry the load", () => {
    const some = [pod("a"), pod("b", unready), pod("c", { deleting: true }), pod("d", { phase: "Failed" }), pod("e")];
    expect(readyPods(some, reference).map(({ name }) => name)).toEqual(["a", "e"]);
  });

  it.each([
    ["cpu", "FailedGetResourceMetric", "Resource metric cpu"],
    ["memory", "FailedGetResourceMetric", "Resource metric memory"],
    ["requests", "FailedGetPodsMetric", "Pods metric requests"],
  ])("fails by the name of the metric %s when there is none", (metric, reason, name) => {
    expect(failureOf(() => readyPods([pod("a", unready)], shortFormReference(metric)))).toMatchObject({
      reason,
      message: `${name}: none of 1 pods is Ready; see why with "kubectl get pods"`,
    });
  });
});
