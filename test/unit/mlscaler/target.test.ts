import { describe, expect, it } from "vitest";
import { specSchema } from "../../../capabilities/mlscaler/schema";
import { kindId, readScale, targetField, targetId, targetOf, writeScale } from "../../../capabilities/mlscaler/target";
import { conflict, FakeApi, notFound, unprocessable } from "../fake-api";

const web = "/apis/apps/v1/namespaces/shop/deployments/web";
const path = `${web}/scale`;
const scale = {
  metadata: { name: "web", namespace: "shop", uid: "d1", resourceVersion: "7" },
  spec: { replicas: 3 },
  status: { replicas: 2, selector: "app=web" },
};

describe("readScale", () => {
  it("reads what is asked for, what there is, and what it takes to write", async () => {
    const api = new FakeApi(() => scale);
    expect(await readScale(api, web)).toEqual({
      path,
      namespace: "shop",
      name: "web",
      replicas: 3,
      observed: 2,
      selector: "app=web",
      resourceVersion: "7",
    });
    expect(api.calls).toMatchObject([{ method: "GET", path }]);
  });

  it("takes a left out 0 for 0, as Go leaves it out", async () => {
    const api = new FakeApi(() => ({ ...scale, spec: {}, status: { selector: "app=web" } }));
    expect(await readScale(api, web)).toMatchObject({ replicas: 0, observed: 0 });
  });

  it("throws what the API server says", async () => {
    const error = notFound();
    await expect(readScale(new FakeApi(() => Promise.reject(error)), web)).rejects.toBe(error);
  });
});

describe("writeScale", () => {
  it("writes the replicas with the resourceVersion read, and nothing else", async () => {
    const api = new FakeApi(() => scale);
    await writeScale(api, await readScale(api, web), 5);
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
    await expect(writeScale(api, await readScale(api, web), 5)).rejects.toBe(error);
  });

  it("only asks with dryRun, within the time that it is given", async () => {
    const api = new FakeApi(() => scale);
    await writeScale(api, await readScale(api, web, 1), 8, { dryRun: true, timeoutSeconds: 1 });
    expect(api.calls).toMatchObject([
      { method: "GET", path, timeoutSeconds: 1 },
      { method: "PUT", path, timeoutSeconds: 1, query: { dryRun: "All" }, body: { spec: { replicas: 8 } } },
    ]);
    await writeScale(api, await readScale(api, web), 8);
    expect(api.of("PUT")[1]).not.toHaveProperty("query");
  });

  it("throws what the target says to a number that it refuses", async () => {
    const error = unprocessable();
    const api = new FakeApi(({ method }) => {
      if (method === "PUT") throw error;
      return scale;
    });
    await expect(writeScale(api, await readScale(api, web), 8)).rejects.toBe(error);
  });
});

describe("a target", () => {
  const target_ref = { apiVersion: "fraim.co.jp/v1", kind: "Hello", name: "hi" };

  it("is target_ref, or the Deployment that target_deployment names", () => {
    const rest = { max_replicas: 10, metric: "cpu", history_size: 5 };
    const byName = specSchema.parse({ ...rest, target_deployment: "web" });
    const byReference = specSchema.parse({ ...rest, target_ref });
    expect(targetOf(byName)).toEqual({ apiVersion: "apps/v1", kind: "Deployment", name: "web" });
    expect(targetOf(byReference)).toEqual(target_ref);
    expect([byName, byReference].map(targetField)).toEqual(["spec.target_deployment", "spec.target_ref"]);
  });

  it("is the same whatever the version of its API, and another in another group, kind, namespace or by another name", () => {
    expect(targetId("shop", target_ref)).toBe("shop/Hello.fraim.co.jp/hi");
    expect(targetId("shop", { ...target_ref, apiVersion: "fraim.co.jp/v2" })).toBe(targetId("shop", target_ref));
    const all = [
      targetId("shop", target_ref),
      targetId("blog", target_ref),
      targetId("shop", { ...target_ref, name: "ho" }),
      targetId("shop", { ...target_ref, kind: "Bye" }),
      targetId("shop", { ...target_ref, apiVersion: "apps/v1" }),
      targetId("shop", { ...target_ref, apiVersion: "v1" }),
    ];
    expect(new Set(all).size).toBe(all.length);
    expect([kindId({ apiVersion: "apps/v1", kind: "Deployment" }), kindId({ apiVersion: "v1", kind: "Pod" })]).toEqual([
      "Deployment.apps",
      "Pod",
    ]);
  });
});
