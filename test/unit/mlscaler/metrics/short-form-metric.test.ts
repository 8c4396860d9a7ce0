import { describe, expect, it } from "vitest";
import { Discovery } from "../../../../capabilities/kubernetes/discovery";
import { metricsApis } from "../../../../capabilities/mlscaler/metrics/apis";
import { loadOf, PodSamples } from "../../../../capabilities/mlscaler/metrics/load";
import { Pod } from "../../../../capabilities/mlscaler/metrics/reading";
import {
  readShortForm,
  shortFormReference,
  shortFormType,
  shortFormUnit,
} from "../../../../capabilities/mlscaler/metrics/short-form-metric";
import { Subject } from "../../../../capabilities/mlscaler/metrics/source";
import { FakeApi, notFound } from "../../fake-api";

const now = Date.UTC(2026, 0, 1);
/** Pods that have been Ready for long. */
const pods = (...names: string[]): Pod[] =>
  names.map(name => ({
    ...{ name, labels: {}, phase: "Running", deleting: false, containers: [] },
    ready: { status: true, since: 0 },
  }));

describe("the load of a short form", () => {
  const subject = { namespace: "shop", selector: "app=web", now };
  const timestamp = new Date(now).toISOString();
  const resources = [
    {
      metadata: { name: "a" },
      containers: [
        { name: "c", usage: { cpu: "250m", memory: "1Gi" } },
        { name: "d", usage: { cpu: "50000001n", memory: "512Mi" } },
      ],
    },
  ];
  const cluster = (usage: object[] = resources): FakeApi =>
    new FakeApi(({ path }) => {
      if (path === "/apis/metrics.k8s.io") return { versions: [{ groupVersion: "metrics.k8s.io/v1beta1" }] };
      if (path === "/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods") return { items: usage };
      if (path === "/apis/custom.metrics.k8s.io")
        return { versions: [{ groupVersion: "custom.metrics.k8s.io/v1beta2" }] };
      if (path === "/apis/custom.metrics.k8s.io/v1beta2/namespaces/shop/pods/*/requests")
        return {
          items: [
            { describedObject: { name: "a" }, timestamp, value: "1500m" },
            { describedObject: { name: "b" }, timestamp, value: "lots" },
          ],
        };
      throw notFound(path);
    });
  const read = (metric: string, from: Subject, api = cluster()): Promise<PodSamples> =>
    readShortForm(metric, from, metricsApis(api, new Discovery(api)));

  it("is in cores and GiB, as exact as the API tells", async () => {
    expect((await read("cpu", subject)).fresh.get("a")).toBeCloseTo(0.300000001, 15);
    expect((await read("memory", subject)).fresh).toEqual(new Map([["a", 1.5]]));
  });

  it("is in the metric's own unit for a Pods metric, summed over the pods that the selector finds", async () => {
    const api = cluster();
    const samples = await read("requests", subject, api);
    expect(loadOf(pods("a", "b"), samples, 2, new Set(), now)).toEqual({
      ...{ lowest: 1.5, highest: 3.5, ready: 2, sampled: 1 },
    });
    expect(api.calls.at(-1)?.query).toEqual({ labelSelector: "app=web" });
  });

  it("has the samples apart that are too old, and those whose age cannot be told as both", async () => {
    const at = (name: string, seconds: number | null): object => ({
      ...{ metadata: { name }, containers: [{ name: "c", usage: { cpu: "1", memory: "1Gi" } }] },
      timestamp: seconds === null ? null : new Date(now - seconds * 1000).toISOString(),
    });
    const given = [at("a", 300), at("old", 301), at("none", null), at("ahead", -61), at("b", -60)];
    for (const metric of ["cpu", "memory"]) {
      const { fresh, doubtful } = await read(metric, subject, cluster(given));
      expect([...fresh]).toEqual(["a", "none", "ahead", "b"].map(name => [name, 1]));
      expect(doubtful).toEqual(new Map(["old", "none", "ahead"].map(name => [name, 1])));
    }
  });

  it("fails with the reason of its source", async () => {
    const absent = new FakeApi(() => Promise.reject(notFound()));
    await expect(read("cpu", subject, absent)).rejects.toMatchObject({ reason: "FailedGetResourceMetric" });
    await expect(read("requests", subject, absent)).rejects.toMatchObject({ reason: "FailedGetPodsMetric" });
  });

  it("has a unit and a type of source", () => {
    const names = ["requests_per_second", "constructor"];
    expect(["cpu", "memory", ...names].map(shortFormUnit)).toEqual(["cores", "GiB", ...names]);
    expect(["cpu", "memory", ...names].map(shortFormType)).toEqual(["Resource", "Resource", "Pods", "Pods"]);
    expect(shortFormReference("constructor").reason).toBe("FailedGetPodsMetric");
  });
});
