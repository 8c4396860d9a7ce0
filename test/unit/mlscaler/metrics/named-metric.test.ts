import { describe, expect, it } from "vitest";
import { Discovery } from "../../../../capabilities/kubernetes/discovery";
import { metricsApis } from "../../../../capabilities/mlscaler/metrics/api/apis";
import { Pod } from "../../../../capabilities/mlscaler/metrics/reading";
import { metricNamed, readMetric, referenceTo } from "../../../../capabilities/mlscaler/metrics/registry";
import { Total, totalOf, unitOfTotal } from "../../../../capabilities/mlscaler/metrics/total";
import { Prometheus } from "../../../../capabilities/mlscaler/metrics/prometheus/client";
import { Turns } from "../../../../capabilities/operator/turns";
import { FakeApi, notFound } from "../../fake-api";

const now = Date.UTC(2026, 0, 1);
/** Pods that have been Ready for long. */
const pods = (...names: string[]): Pod[] =>
  names.map(name => ({
    ...{ name, labels: {}, phase: "Running", deleting: false, containers: [] },
    ready: { status: true, since: 0 },
  }));

describe("the load of spec.metric", () => {
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
  const cluster = (): FakeApi =>
    new FakeApi(({ path }) => {
      if (path === "/apis/metrics.k8s.io") return { versions: [{ groupVersion: "metrics.k8s.io/v1beta1" }] };
      if (path === "/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods") return { items: resources };
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
  const read = async (name: string, api = cluster()): Promise<Total> => {
    const metric = metricNamed(name, "500m");
    const reading = await readMetric(
      metric,
      subject,
      metricsApis(api, new Discovery(api), new Prometheus(api, new Turns())),
    );
    return totalOf(metric, reading, pods("a", "b"), new Set(), now);
  };

  it("is in cores and GiB, as exact as the API tells, and a replica serves what replicas_per_unit says", async () => {
    const { ofPods, capacity } = await read("cpu");
    expect(ofPods).toMatchObject({ lowest: expect.closeTo(0.300000001, 15) as number, ready: 2, sampled: 1 });
    expect(capacity).toBe(2);
    expect((await read("memory")).ofPods?.lowest).toBe(1.5);
  });

  it("is in the metric's own unit for a Pods metric, summed over the pods that the selector finds", async () => {
    const api = cluster();
    const { ofPods } = await read("requests", api);
    expect(ofPods).toEqual({ lowest: 1.5, highest: 3.5, ready: 2, sampled: 1 });
    expect(api.calls.at(-1)?.query).toEqual({ labelSelector: "app=web" });
  });

  it("has a unit and a type of source", () => {
    const names = ["cpu", "memory", "requests_per_second", "constructor"];
    const metrics = names.map(name => metricNamed(name, 10));
    expect(metrics.map(unitOfTotal)).toEqual(["cores", "GiB", "requests_per_second", "constructor"]);
    expect(metrics.map(({ type }) => type)).toEqual(["Resource", "Resource", "Pods", "Pods"]);
    expect(metrics.map(metric => referenceTo(metric).reason)[3]).toBe("FailedGetPodsMetric");
  });
});
