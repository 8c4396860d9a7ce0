import { describe, expect, it } from "vitest";
import {
  cluster,
  failureOf,
  groupOf,
  now,
  subject,
  pods,
  podsPath,
  sampled,
  selected,
  selector,
  target,
  value,
  values,
} from "../metrics-cluster";

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

  it("fails when none of its values is a Quantity", async () => {
    const { read } = cluster({ [podsPath]: values(value("a", "lots")) });
    expect((await failureOf(read(pods, subject))).message).toContain("none of its values is a Quantity");
  });
});
