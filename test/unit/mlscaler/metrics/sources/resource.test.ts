import { describe, expect, it } from "vitest";
import { Metric } from "../../../../../capabilities/mlscaler/metrics/registry";
import {
  ago,
  cluster,
  cpu,
  cpuOf,
  failureOf,
  groupOf,
  now,
  subject,
  resourcePath,
  sampled,
  target,
  usage,
  values,
} from "../metrics-cluster";

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
