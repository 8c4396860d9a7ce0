import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MetricsError, unitOf } from "../../../capabilities/mlscaler/metrics";
import { ResourceMetrics } from "../../../capabilities/mlscaler/metrics/resource";
import { Pod } from "../../../capabilities/mlscaler/target";
import { broken, FakeApi, notFound, refused } from "../fake-api";
import { pass, useFakeTime } from "../time";

const podMetrics = (name: string, ...usage: Record<string, string>[]): object => ({
  metadata: { name },
  containers: usage.map(one => ({ name: "c", usage: one })),
});
const cpu = (name: string, quantity: string): object => podMetrics(name, { cpu: quantity, memory: "512Mi" });
const pods = (...names: string[]): Pod[] => names.map(name => ({ name, ready: true, readySince: 0 }));

/** Long after the pods became Ready. */
const now = Date.UTC(2026, 0, 1);

function source(...items: object[]): { metrics: ResourceMetrics; api: FakeApi } {
  const api = new FakeApi(() => ({ items }));
  return { api, metrics: new ResourceMetrics(api) };
}

async function failureOf(promise: Promise<unknown>): Promise<MetricsError> {
  const error: unknown = await promise.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(MetricsError);
  return error as MetricsError;
}

describe("ResourceMetrics", () => {
  useFakeTime();

  it("sums over containers and ready pods, in cores", async () => {
    const { metrics, api } = source(
      podMetrics("a", { cpu: "250m", memory: "1Gi" }, { cpu: "50000000n", memory: "1Gi" }),
      cpu("b", "1"),
      cpu("of-another", "77"),
    );
    const load = await metrics.observe("shop", "cpu", pods("a", "b"), now);
    expect(load.likely).toBeCloseTo(1.3, 12);
    expect(load.lowest).toBe(load.likely);
    expect(api.calls.map(({ path }) => path)).toEqual(["/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods"]);
  });

  it("counts memory in GiB", async () => {
    const { metrics } = source(podMetrics("a", { cpu: "1", memory: "1536Mi" }, { cpu: "1", memory: "524288Ki" }));
    expect(await metrics.observe("shop", "memory", pods("a"), now)).toEqual({ lowest: 2, likely: 2, recorded: 2 });
    expect([unitOf("cpu"), unitOf("memory")]).toEqual(["cores", "GiB"]);
  });

  it("leaves pods that are not ready out", async () => {
    const { metrics } = source(cpu("a", "1"), cpu("b", "5"));
    const some = [...pods("a"), { name: "b", ready: false, readySince: 0 }];
    expect(await metrics.observe("shop", "cpu", some, now)).toEqual({ lowest: 1, likely: 1, recorded: 1 });
  });

  it("counts a ready pod without a sample as 0 and as the mean of the others", async () => {
    const { metrics } = source(cpu("a", "1"), cpu("b", "2"));
    const load = await metrics.observe("shop", "cpu", pods("a", "b", "new"), now);
    expect(load.lowest).toBe(3);
    expect(load.likely).toBe(4.5);
  });

  it("records nothing for a pod too young to have a sample: what it took over is still in those of the others", async () => {
    const { metrics } = source(cpu("a", "1"), cpu("b", "2"));
    const some = [...pods("a", "b", "old"), { name: "young", ready: true, readySince: now - 59_000 }];
    expect(await metrics.observe("shop", "cpu", some, now)).toEqual({ lowest: 3, likely: 6, recorded: 4.5 });
    expect(await metrics.observe("shop", "cpu", some, now + 2_000)).toEqual({ lowest: 3, likely: 6, recorded: 6 });
  });

  it("fails when fewer than half of the ready pods have a sample, not when half have", async () => {
    const { metrics } = source(cpu("a", "1"), cpu("b", "2"));
    expect(await metrics.observe("shop", "cpu", pods("a", "b", "c", "d"), now)).toEqual({
      lowest: 3,
      likely: 6,
      recorded: 6,
    });
    expect(await failureOf(metrics.observe("shop", "cpu", pods("a", "b", "c", "d", "e"), now))).toMatchObject({
      reason: "FailedGetResourceMetric",
      message: "only 2 of 5 Ready pods have a sample of cpu",
    });
  });

  it("takes a pod of which one container has no sample for one without", async () => {
    const { metrics } = source(podMetrics("a", { cpu: "1" }, { memory: "1Gi" }), cpu("b", "2"), podMetrics("c"));
    expect(await metrics.observe("shop", "cpu", pods("a", "b"), now)).toEqual({ lowest: 2, likely: 4, recorded: 4 });
    await failureOf(metrics.observe("shop", "cpu", pods("a"), now));
    await failureOf(metrics.observe("shop", "cpu", pods("c"), now));
  });

  it("takes what is no Quantity, or below 0, for no sample", async () => {
    const { metrics } = source(cpu("a", "lots"), cpu("b", "-1"), cpu("c", "2"), cpu("d", "2"));
    expect(await metrics.observe("shop", "cpu", pods("a", "b", "c", "d"), now)).toEqual({
      lowest: 4,
      likely: 8,
      recorded: 8,
    });
    await failureOf(metrics.observe("shop", "cpu", pods("a"), now));
  });

  it("never takes the absence of ready pods or of samples for a load of 0", async () => {
    const { metrics } = source();
    expect((await failureOf(metrics.observe("shop", "cpu", [], now))).message).toContain("none of 0 pods");
    expect(
      (await failureOf(metrics.observe("shop", "cpu", [{ name: "a", ready: false, readySince: 0 }], now))).message,
    ).toContain("none of 1");
    await failureOf(metrics.observe("shop", "cpu", pods("a"), now));
  });

  it("takes a measured 0 for 0", async () => {
    const { metrics } = source(cpu("a", "0"));
    expect(await metrics.observe("shop", "cpu", pods("a"), now)).toEqual({ lowest: 0, likely: 0, recorded: 0 });
  });

  it.each([
    ["404", () => Promise.reject(notFound())],
    ["500", () => Promise.reject(broken())],
    ["no answer", () => Promise.reject(refused())],
    ["an unknown form", () => ({ items: [{ metadata: {} }] })],
    ["no list", () => "metrics-server is starting"],
  ])("fails on %s, as a metric does", async (_, answer) => {
    const metrics = new ResourceMetrics(new FakeApi(answer));
    expect((await failureOf(metrics.observe("shop", "cpu", pods("a"), now))).reason).toBe("FailedGetResourceMetric");
  });

  it("reads one list of a namespace for all that ask within 3 s", async () => {
    const { metrics, api } = source(cpu("a", "1"));
    await Promise.all(Array.from({ length: 50 }, () => metrics.observe("shop", "cpu", pods("a"), now)));
    await pass(2.9);
    await metrics.observe("shop", "memory", pods("a"), now);
    expect(api.calls).toHaveLength(1);
    await metrics.observe("other", "cpu", pods("a"), now);
    expect(api.calls).toHaveLength(2);
    await pass(0.1);
    await metrics.observe("shop", "cpu", pods("a"), now);
    expect(api.calls).toHaveLength(3);
  });

  it("does not keep a failure for longer than a list", async () => {
    let fails = true;
    const api = new FakeApi(() => {
      if (fails) throw broken();
      return { items: [cpu("a", "1")] };
    });
    const metrics = new ResourceMetrics(api);
    await failureOf(metrics.observe("shop", "cpu", pods("a"), now));
    fails = false;
    await pass(3);
    expect(await metrics.observe("shop", "cpu", pods("a"), now)).toEqual({ lowest: 1, likely: 1, recorded: 1 });
  });

  it("gives a lowest that is never above the likely, both finite", async () => {
    const names = ["a", "b", "c", "d"];
    const quantity = fc.option(
      fc.nat(1e9).map(nano => `${nano}n`),
      { nil: undefined },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(quantity, { minLength: 1, maxLength: 4 }), async samples => {
        const items = samples.flatMap((sample, index) =>
          sample === undefined ? [] : [cpu(names[index] ?? "", sample)],
        );
        fc.pre(items.length * 2 >= samples.length);
        const { metrics } = source(...items);
        const { lowest, likely } = await metrics.observe("shop", "cpu", pods(...names.slice(0, samples.length)), now);
        expect(Number.isFinite(likely)).toBe(true);
        expect(lowest).toBeLessThanOrEqual(likely * (1 + 1e-12));
      }),
    );
  });
});
