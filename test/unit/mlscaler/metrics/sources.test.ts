import { describe, expect, it } from "vitest";
import { Metric } from "../../../../capabilities/mlscaler/metrics/registry";
import { broken } from "../../fake-api";
import {
  ago,
  cluster,
  cpu,
  cpuOf,
  external,
  externalPath,
  failureOf,
  groupOf,
  namespacePath,
  now,
  object,
  objectPath,
  pods,
  podsPath,
  resourcePath,
  sampled,
  selected,
  selector,
  series,
  subject,
  target,
  usage,
  value,
  values,
} from "./metrics-cluster";

describe("Resource and ContainerResource", () => {
  const items = values(
    usage("a", { web: { cpu: "250m" }, proxy: { cpu: "1n" } }),
    usage("b", { web: { cpu: "1" } }, { window: "20.25s", timestamp: ago(20) }),
    usage("partly", { web: { cpu: "1" }, proxy: { memory: "1Gi" } }),
    usage("garbage", { web: { cpu: "lots" } }),
    usage("empty", {}),
  );

  it("sums over containers, each rounded up, and leaves out pods of which a part is missing", async () => {
    const { read, api } = cluster({ [resourcePath]: items });
    expect(await read(cpu, subject)).toEqual({
      samples: new Map([
        ["a", sampled(251)],
        ["b", sampled(1000, now - 20_000, 20_250)],
      ]),
    });
    expect(api.calls.at(-1)).toMatchObject({ path: resourcePath, timeoutSeconds: 5 });
  });

  it("reads one container, from the same list", async () => {
    const { read, api } = cluster({ [resourcePath]: items });
    await read(cpu, subject);
    expect(await read(cpuOf("proxy"), subject)).toEqual({ samples: new Map([["a", sampled(1)]]) });
    expect(api.calls.filter(({ path }) => path === resourcePath)).toHaveLength(1);
  });

  it("reads v1 where that is served", async () => {
    const { read } = cluster({
      "/apis/metrics.k8s.io": groupOf("metrics.k8s.io", "v1beta1", "v1"),
      [resourcePath.replace("v1beta1", "v1")]: items,
    });
    expect(await read(cpuOf("proxy"), subject)).toEqual({ samples: new Map([["a", sampled(1)]]) });
  });

  it("fails when no pod has it", async () => {
    const { read } = cluster({ [resourcePath]: items });
    expect(await failureOf(read(cpuOf("sidecar"), subject))).toMatchObject({
      reason: "FailedGetContainerResourceMetric",
      message:
        "ContainerResource metric cpu of container sidecar: metrics.k8s.io has it for no pod of namespace shop; check the name",
    });
    const gpu: Metric = { type: "Resource", resource: { name: "gpu", target } };
    expect((await failureOf(read(gpu, subject))).reason).toBe("FailedGetResourceMetric");
  });
});

describe("Pods", () => {
  it("reads all pods of the selector in one request, from the newest version that there is", async () => {
    const { read, api } = cluster({
      [podsPath]: values(
        value("a", "1500m", { windowSeconds: 30 }),
        value("b", 2),
        value("c", "lots"),
        value("d", "-1"),
      ),
    });
    expect(await read(pods, subject)).toEqual({
      samples: new Map([
        ["a", sampled(1500, now - 1000, 30_000)],
        ["b", sampled(2000, now - 1000, 60_000)],
      ]),
    });
    expect(api.calls.at(-1)).toMatchObject({ path: podsPath, query: { labelSelector: "app=web" }, timeoutSeconds: 5 });
  });

  it("narrows the series by the metric's selector", async () => {
    const { read, api } = cluster({ [podsPath]: values(value("a", 1)) });
    await read({ type: "Pods", pods: { metric: { name: "requests", selector }, target } }, subject);
    expect(api.calls.at(-1)?.query).toEqual({ labelSelector: "app=web", metricLabelSelector: selected });
  });

  it("makes do with v1beta1", async () => {
    const { read } = cluster({
      "/apis/custom.metrics.k8s.io": groupOf("custom.metrics.k8s.io", "v1beta1"),
      [podsPath.replace("v1beta2", "v1beta1")]: values(value("a", 1, { metricName: "requests", window: 20 })),
    });
    expect(await read(pods, subject)).toEqual({ samples: new Map([["a", sampled(1000, now - 1000, 20_000)]]) });
  });
});

describe("Object", () => {
  it("finds the resource of the kind and reads the one value", async () => {
    const { read, api } = cluster({ [objectPath]: values(value("main", "10k")) });
    expect(await read(object, subject)).toEqual({ milli: 10_000_000 });
    expect(api.calls.at(-1)?.query).toEqual({});
  });

  it("reads a metric of the namespace beside the objects in it, whatever name it has", async () => {
    const { read, api } = cluster({ [namespacePath]: values(value("shop", 3)) });
    const describedObject = { kind: "Namespace", name: "elsewhere" };
    const metric = { name: "requests", selector };
    expect(await read({ type: "Object", object: { describedObject, metric, target } }, subject)).toEqual({
      milli: 3000,
    });
    expect(api.calls.at(-1)?.query).toEqual({ metricLabelSelector: selected });
  });

  it("fails when there is not one value of it, or none that is a Quantity", async () => {
    const two = cluster({ [objectPath]: values(value("main", 1), value("main", 2)) });
    expect(await failureOf(two.read(object, subject))).toMatchObject({
      reason: "FailedGetObjectMetric",
      message:
        "Object metric requests of Ingress main: there are 2 values of it, not one; narrow them by metric.selector",
    });
    const garbage = cluster({ [objectPath]: values(value("main", "lots")) });
    expect((await failureOf(garbage.read(object, subject))).message).toContain('its value "lots" is not a Quantity');
  });

  it("fails when there is no such kind, or nobody can say", async () => {
    const { read } = cluster({ "/apis/networking.k8s.io/v1": { resources: [] } });
    expect((await failureOf(read(object, subject))).message).toContain(
      "the cluster has no kind Ingress in the API of networking.k8s.io/v1; check describedObject",
    );
    const away = cluster({ "/apis/networking.k8s.io": broken() });
    expect(await failureOf(away.read(object, subject))).toMatchObject({
      reason: "FailedGetObjectMetric",
      message: expect.stringContaining("InternalError: etcd is away") as string,
    });
    const odd = cluster({ "/apis/networking.k8s.io": { kind: "Status" } });
    expect((await failureOf(odd.read(object, subject))).message).toContain("InvalidAnswer");
  });

  it.each(["networking k8s.io/v1", "networking.k8s.io\n/v1", "réseau.k8s.io/v1", "☃/v1", "../v1"])(
    "fails alone when describedObject.apiVersion is %j",
    async apiVersion => {
      const { read } = cluster({});
      const describedObject = { apiVersion, kind: "Ingress", name: "main" };
      const metric = { name: "requests" };
      const failure = await failureOf(read({ type: "Object", object: { describedObject, metric, target } }, subject));
      expect(failure.reason).toBe("FailedGetObjectMetric");
    },
  );
});

describe("External", () => {
  it("sums its series", async () => {
    const { read, api } = cluster({ [externalPath]: values(series("8.2"), series("400m"), series("-1")) });
    expect(await read(external, subject)).toEqual({ milli: 7600 });
    expect(api.calls).toMatchObject([{ path: externalPath, query: {} }]);
  });

  it("narrows them by the selector", async () => {
    const { read, api } = cluster({ [externalPath]: values(series("1")) });
    await read({ type: "External", external: { metric: { name: "queue|length", selector }, target } }, subject);
    expect(api.calls[0]?.query).toEqual({ labelSelector: selected });
  });

  it("fails when one series is no Quantity: a part is not the sum", async () => {
    const { read } = cluster({ [externalPath]: values(series("1"), series("lots")) });
    expect((await failureOf(read(external, subject))).reason).toBe("FailedGetExternalMetric");
  });
});
