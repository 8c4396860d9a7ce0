import { describe, expect, it } from "vitest";
import { Discovery } from "../../../capabilities/kubernetes/discovery";
import { broken, FakeApi, notFound } from "../fake-api";
import { pass, useFakeTime } from "../time";

const apps = [
  { name: "deployments/scale", kind: "Scale", namespaced: true },
  { name: "deployments/status", kind: "Deployment", namespaced: true },
  { name: "deployments", kind: "Deployment", namespaced: true, verbs: ["get"], shortNames: ["deploy"] },
  { name: "clusterthings", kind: "ClusterThing", namespaced: false },
];
const web = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };

/** A cluster that serves these APIs, by path. */
function cluster(served: Record<string, object[]> = { "/apis/apps/v1": apps }): FakeApi {
  return new FakeApi(({ path }) => {
    const resources = served[path];
    if (!resources) throw notFound(path);
    return { kind: "APIResourceList", groupVersion: path.slice(6), resources };
  });
}

describe("pathOf", () => {
  useFakeTime();

  it("is the path of an object, from the plural that the API server tells", async () => {
    expect(await new Discovery(cluster()).pathOf(web, "shop")).toBe("/apis/apps/v1/namespaces/shop/deployments/web");
    const irregular = { "/apis/fraim.co.jp/v1": [{ name: "helloes", kind: "Hello", namespaced: true }] };
    const hello = { apiVersion: "fraim.co.jp/v1", kind: "Hello", name: "hi" };
    expect(await new Discovery(cluster(irregular)).pathOf(hello, "shop")).toBe(
      "/apis/fraim.co.jp/v1/namespaces/shop/helloes/hi",
    );
  });

  it("knows the core API, which has no group", async () => {
    const api = cluster({ "/api/v1": [{ name: "replicationcontrollers", kind: "RC", namespaced: true }] });
    const target = { apiVersion: "v1", kind: "RC", name: "old" };
    expect(await new Discovery(api).pathOf(target, "shop")).toBe("/api/v1/namespaces/shop/replicationcontrollers/old");
  });

  it("has the texts of a spec escaped", async () => {
    const api = cluster({ "/apis/apps%20%26/v1": apps });
    const odd = { apiVersion: "apps &/v1", kind: "Deployment", name: "my web?" };
    expect(await new Discovery(api).pathOf(odd, "shop")).toBe(
      "/apis/apps%20%26/v1/namespaces/shop/deployments/my%20web%3F",
    );
  });

  it("is none of a kind that is not there, is a subresource only, or is in no namespace", async () => {
    for (const kind of ["Gadget", "Scale", "ClusterThing", "deployments"])
      expect(await new Discovery(cluster()).pathOf({ ...web, kind }, "shop"), kind).toBeUndefined();
  });

  it.each([
    ["is not served any more", "apps/v1beta1"],
    ["does not serve the kind", "apps/v1beta2"],
    ["serves the kind without its scale", "apps/v1alpha1"],
  ])("is in another version of the group, as for an HPA, where the one that is named %s", async (_, apiVersion) => {
    const unscalable = apps.filter(({ name }) => name !== "deployments/scale");
    const served = cluster({ "/apis/apps/v1": apps, "/apis/apps/v1beta2": [], "/apis/apps/v1alpha1": unscalable });
    const versions = [{ groupVersion: "apps/v1beta2" }, { groupVersion: "apps/v1" }];
    const api = new FakeApi(call => (call.path === "/apis/apps" ? { versions } : served.answer(call)));
    const discovery = new Discovery(api);
    expect(await discovery.pathOf({ ...web, apiVersion }, "shop")).toBe(
      "/apis/apps/v1/namespaces/shop/deployments/web",
    );
    const asked = api.calls.length;
    for (let times = 0; times < 5; times++) await discovery.pathOf({ ...web, apiVersion, name: "other" }, "shop");
    expect(api.calls).toHaveLength(asked);
    const gadget = discovery.pathOf({ ...web, apiVersion, kind: "Gadget" }, "shop").catch(() => undefined);
    expect(await gadget).toBeUndefined();
  });

  it("throws the API server's error, and looks up again the next time", async () => {
    const error = notFound();
    let away = true;
    const api = new FakeApi(() => {
      if (away) throw error;
      return { resources: apps };
    });
    const discovery = new Discovery(api);
    await expect(discovery.pathOf(web, "shop")).rejects.toBe(error);
    away = false;
    expect(await discovery.pathOf(web, "shop")).toContain("/deployments/web");
  });

  it("throws when the answer is no list of resources", async () => {
    await expect(new Discovery(new FakeApi(() => "<html>")).pathOf(web, "shop")).rejects.toThrow();
  });

  it("asks once for all kinds, names and namespaces of an API, and again after 10 min", async () => {
    const api = cluster();
    const discovery = new Discovery(api);
    await discovery.pathOf(web, "shop");
    await discovery.pathOf({ ...web, name: "other" }, "blog");
    await pass(599);
    await discovery.pathOf(web, "shop");
    expect(api.calls).toHaveLength(1);
    await pass(2);
    await discovery.pathOf(web, "shop");
    expect(api.calls).toHaveLength(2);
  });

  it("asks after 10 s for a kind that was not there, and finds it once it is", async () => {
    const served: Record<string, object[]> = { "/apis/apps/v1": [] };
    const api = cluster(served);
    const discovery = new Discovery(api);
    for (let times = 0; times < 5; times++) expect(await discovery.pathOf(web, "shop")).toBeUndefined();
    expect(api.calls.map(({ path }) => path)).toEqual(["/apis/apps/v1", "/apis/apps"]);
    served["/apis/apps/v1"] = apps;
    await pass(9);
    expect(await discovery.pathOf(web, "shop")).toBeUndefined();
    await pass(1);
    expect(await discovery.pathOf(web, "shop")).toContain("/deployments/web");
    expect(api.calls).toHaveLength(3);
  });

  it("uses the cache for one kind while it looks up another", async () => {
    let away = false;
    const api = new FakeApi(() => {
      if (away) throw broken();
      return { resources: apps };
    });
    const discovery = new Discovery(api);
    await discovery.pathOf(web, "shop");
    away = true;
    await pass(60);
    await expect(discovery.pathOf({ ...web, kind: "Gadget" }, "shop")).rejects.toThrow("etcd is away");
    expect(await discovery.pathOf(web, "shop")).toContain("/deployments/web");
  });

  it("keeps to the timeout", async () => {
    const api = cluster();
    await new Discovery(api).pathOf(web, "shop", 1);
    expect(api.calls).toMatchObject([{ path: "/apis/apps/v1", timeoutSeconds: 1 }]);
  });
});

const group = (name: string, ...versions: string[]): object => ({
  kind: "APIGroup",
  name,
  versions: versions.map(version => ({ groupVersion: `${name}/${version}`, version })),
});

describe("versionsOf", () => {
  useFakeTime();
  const custom = "custom.metrics.k8s.io";

  it("returns the versions of a group in their order, and reads them again after a minute", async () => {
    let versions = ["v1beta2", "v1beta1"];
    const api = new FakeApi(() => group(custom, ...versions));
    const discovery = new Discovery(api);
    const both = [`${custom}/v1beta2`, `${custom}/v1beta1`];
    expect(await discovery.versionsOf(custom, 2)).toEqual(both);
    expect(api.calls).toMatchObject([{ path: `/apis/${custom}`, timeoutSeconds: 2 }]);
    versions = ["v1beta1"];
    await pass(59);
    expect(await discovery.versionsOf(custom)).toEqual(both);
    await pass(1);
    expect(await discovery.versionsOf(custom)).toEqual([`${custom}/v1beta1`]);
    expect(api.calls).toHaveLength(2);
  });

  it("is none of a group that is not there, and looks again after 10 s", async () => {
    let there = false;
    const api = new FakeApi(() => {
      if (!there) throw notFound();
      return group(custom, "v1beta2");
    });
    const discovery = new Discovery(api);
    expect(await discovery.versionsOf(custom)).toEqual([]);
    there = true;
    await pass(9);
    expect(await discovery.versionsOf(custom)).toEqual([]);
    await pass(1);
    expect(await discovery.versionsOf(custom)).toEqual([`${custom}/v1beta2`]);
  });
});

describe("resourceOf", () => {
  const ingress = { apiVersion: "networking.k8s.io/v1", kind: "Ingress" };
  const api = (): FakeApi =>
    new FakeApi(({ path }) => {
      if (path === "/apis/networking.k8s.io") return group("networking.k8s.io", "v2", "v1");
      if (path === "/apis/networking.k8s.io/v2") return { resources: [] };
      if (path === "/apis/networking.k8s.io/v1")
        return {
          resources: [
            { name: "ingresses/status", kind: "Ingress", namespaced: true },
            { name: "ingresses", kind: "Ingress", namespaced: true },
          ],
        };
      if (path === "/api/v1")
        return {
          resources: [
            { name: "services", kind: "Service", namespaced: true },
            { name: "nodes", kind: "Node", namespaced: false },
          ],
        };
      throw notFound(path);
    });

  it("is resource and group, in whichever version the kind is", async () => {
    expect(await new Discovery(api()).resourceOf(ingress)).toBe("ingresses.networking.k8s.io");
    expect(await new Discovery(api()).resourceOf({ ...ingress, apiVersion: "networking.k8s.io/v1beta1" })).toBe(
      "ingresses.networking.k8s.io",
    );
  });

  it("is the resource alone in the core API, which is meant when none is named, in a namespace or not", async () => {
    const discovery = new Discovery(api());
    expect(await discovery.resourceOf({ apiVersion: "v1", kind: "Service" })).toBe("services");
    expect(await discovery.resourceOf({ kind: "Node" })).toBe("nodes");
  });

  it("is none of a kind or a group that is not there", async () => {
    const discovery = new Discovery(api());
    expect(await discovery.resourceOf({ ...ingress, kind: "Egress" })).toBeUndefined();
    expect(await discovery.resourceOf({ apiVersion: "extensions/v1beta1", kind: "Ingress" })).toBeUndefined();
  });
});
