import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { Namespaces, namespacesFrom } from "../../../capabilities/kubernetes/namespaces";
import { watchMetadata } from "../../../capabilities/kubernetes/watch";
import { FakeApi, refused } from "../fake-api";
import { pass, useFakeTime } from "../time";

useFakeTime();

const namespaces = new Namespaces(namespacesFrom({ MLSCALER_NAMESPACES: "shop, blog,shop" }));
const all = new Namespaces(namespacesFrom({ MLSCALER_NAMESPACES: "" }));

const object = (namespace: string, name: string): object => ({
  metadata: { name, namespace, uid: name, resourceVersion: "1", generation: 1 },
});

describe("the namespaces in which the module acts", () => {
  it("are those that are named, or all", () => {
    const acts = (namespace: string): boolean[] => [namespaces.acts(namespace), namespaces.part.includes(namespace)];
    expect(["shop", "blog", "kube-system"].map(acts)).toEqual([
      [true, true],
      [true, true],
      [false, false],
    ]);
    expect(all.acts("kube-system")).toBe(true);
  });

  it("are part of the paths of their objects", () => {
    expect([...(namespaces.pathsInstead("/apis/apps/v1/deployments") ?? [])]).toEqual([
      ["shop", "/apis/apps/v1/namespaces/shop/deployments"],
      ["blog", "/apis/apps/v1/namespaces/blog/deployments"],
    ]);
    expect(namespaces.pathsInstead("/api/v1/pods")?.get("shop")).toBe("/api/v1/namespaces/shop/pods");
    expect(all.pathsInstead("/api/v1/pods")).toBeUndefined();
  });

  it("are watched one by one: complete when all are, and a list of one removes nothing of another", async () => {
    const known = new Set<string>();
    const complete: boolean[] = [];
    let isBlogThere = false;
    const lists: Record<string, () => object> = {
      "/apis/apps/v1/namespaces/shop/deployments": () => ({
        metadata: { resourceVersion: "20" },
        items: [object("shop", "web")],
      }),
      "/apis/apps/v1/namespaces/blog/deployments": () => {
        if (!isBlogThere) throw refused();
        return { metadata: { resourceVersion: "10" }, items: [object("blog", "posts")] };
      },
    };
    const api = new FakeApi(({ method, path }) => (method === "GET" ? lists[path]?.() : new PassThrough()));
    const controller = new AbortController();
    const handler = {
      seen: (_: unknown, key: string) => void known.add(key),
      gone: (key: string) => void known.delete(key),
      keys: () => known,
      complete: (isComplete: boolean) => void complete.push(isComplete),
      failed: () => undefined,
    };
    void watchMetadata(api, "/apis/apps/v1/deployments", handler, controller.signal, { namespaces });
    await pass(100);
    expect([...known]).toEqual(["shop/web"]);
    expect(complete).not.toContain(true);
    isBlogThere = true;
    await pass(2000);
    expect([...known].sort()).toEqual(["blog/posts", "shop/web"]);
    expect(complete.at(-1)).toBe(true);
    controller.abort();
  });
});
