import { describe, expect, it } from "vitest";
import { deploymentPath, listPods, readScale, writeScale } from "../../../capabilities/mlscaler/target";
import { conflict, FakeApi, notFound } from "../fake-api";

const path = "/apis/apps/v1/namespaces/shop/deployments/web/scale";
const scale = {
  metadata: { name: "web", namespace: "shop", uid: "d1", resourceVersion: "7" },
  spec: { replicas: 3 },
  status: { replicas: 2, selector: "app=web" },
};

describe("readScale", () => {
  it("reads what is asked for, what there is, and what it takes to write", async () => {
    const api = new FakeApi(() => scale);
    expect(await readScale(api, "shop", "web")).toEqual({
      path,
      replicas: 3,
      observed: 2,
      selector: "app=web",
      resourceVersion: "7",
    });
    expect(api.calls[0]?.path).toBe(`${deploymentPath("shop", "web")}/scale`);
  });

  it("takes a left out 0 for 0, as Go leaves it out", async () => {
    const api = new FakeApi(() => ({ ...scale, spec: {}, status: { selector: "app=web" } }));
    expect(await readScale(api, "shop", "web")).toMatchObject({ replicas: 0, observed: 0 });
  });

  it("throws what the API server says", async () => {
    const error = notFound();
    await expect(readScale(new FakeApi(() => Promise.reject(error)), "shop", "web")).rejects.toBe(error);
  });
});

describe("writeScale", () => {
  it("writes the replicas with the resourceVersion read, and nothing else", async () => {
    const api = new FakeApi(() => scale);
    await writeScale(api, await readScale(api, "shop", "web"), "shop", "web", 5);
    expect(api.of("PUT")).toMatchObject([
      {
        path,
        body: {
          apiVersion: "autoscaling/v1",
          kind: "Scale",
          metadata: { name: "web", namespace: "shop", resourceVersion: "7" },
          spec: { replicas: 5 },
        },
      },
    ]);
  });

  it("throws a conflict", async () => {
    const error = conflict();
    const api = new FakeApi(({ method }) => {
      if (method === "PUT") throw error;
      return scale;
    });
    await expect(writeScale(api, await readScale(api, "shop", "web"), "shop", "web", 5)).rejects.toBe(error);
  });
});

describe("listPods", () => {
  const pod = (name: string, phase: string, ready: string, deletionTimestamp?: string): object => ({
    metadata: { name, deletionTimestamp },
    status: {
      phase,
      conditions: [
        { type: "Initialized", status: "True" },
        { type: "Ready", status: ready },
      ],
    },
  });

  it("says since when a pod is Ready", async () => {
    const since = "2026-01-01T00:00:30Z";
    const conditions = [{ type: "Ready", status: "True", lastTransitionTime: since }];
    const api = new FakeApi(() => ({ items: [{ metadata: { name: "a" }, status: { phase: "Running", conditions } }] }));
    expect(await listPods(api, "shop", "app=web")).toEqual([{ name: "a", ready: true, readySince: Date.parse(since) }]);
  });

  it("leaves out what is being deleted or has ended, and says which are ready", async () => {
    const items = [
      pod("ready", "Running", "True"),
      pod("starting", "Running", "False"),
      pod("unknown", "Running", "Unknown"),
      pod("failed", "Failed", "False"),
      pod("done", "Succeeded", "False"),
      pod("going", "Running", "True", "2026-01-01T00:00:00Z"),
      { metadata: { name: "pending" } },
    ];
    const api = new FakeApi(() => ({ items }));
    expect(await listPods(api, "shop", "app=web,tier in (a,b)")).toEqual([
      { name: "ready", ready: true, readySince: 0 },
      { name: "starting", ready: false, readySince: 0 },
      { name: "unknown", ready: false, readySince: 0 },
      { name: "pending", ready: false, readySince: 0 },
    ]);
    expect(api.calls).toMatchObject([
      { path: "/api/v1/namespaces/shop/pods", query: { labelSelector: "app=web,tier in (a,b)", resourceVersion: "0" } },
    ]);
  });
});
