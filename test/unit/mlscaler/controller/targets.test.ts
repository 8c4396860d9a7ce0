import { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import { describe, expect, it, vi } from "vitest";
import { forbidden, notFound } from "../../fake-api";
import { autoscaler } from "../../fake-cluster";
import { pass } from "../../time";
import { cluster, setting, useSetting } from "./setting";

useSetting();

describe("the watch of targets", () => {
  /**
   * Answers lists of targets with `items`, and watches of them with `streams`, then with nothing. The cluster answers
   * all else.
   */
  function watchesOf(items: object[], ...streams: PassThrough[]): string[] {
    const watches: string[] = [];
    const get = cluster.api.get.bind(cluster.api);
    vi.spyOn(cluster.api, "get").mockImplementation((path, request) =>
      request?.accept ? Promise.resolve({ metadata: { resourceVersion: "1" }, items }) : get(path, request),
    );
    const stream = cluster.api.stream.bind(cluster.api);
    vi.spyOn(cluster.api, "stream").mockImplementation((path, ...rest) => {
      if (path.endsWith("/horizontalpodautoscalers")) return stream(path, ...rest);
      watches.push(path);
      const next = streams.shift() as IncomingMessage | undefined;
      return next ? Promise.resolve(Object.assign(next, { statusCode: 200 })) : new Promise(() => undefined);
    });
    return watches;
  }
  const edited = (name: string): object => ({ metadata: { name, namespace: "shop", uid: "d", generation: 2 } });

  it("watches Deployments, and is woken by one that was edited by hand", async () => {
    const key = cluster.createOn(5);
    const ended = new AbortController();
    const watches = watchesOf([edited("web"), edited("api")]);
    setting.controller.start(ended.signal);
    setting.controller.onListed(cluster.stored(key));
    await setting.sync(key);
    await pass(0);
    expect(watches).toEqual(["/apis/apps/v1/deployments"]);
    expect(setting.woken).toEqual([`MLScaler ${key}`]);
    ended.abort();
  });

  it("watches each kind of target once, from the first that is scaled, and none that it has no right to", async () => {
    cluster.run("statefulsets/db", 2);
    cluster.run("statefulsets/queue", 2);
    cluster.run("helloes/hi", 2);
    const ended = new AbortController();
    const watches = watchesOf([edited("db")]);
    setting.controller.start(ended.signal);
    const onRef = (name: string, apiVersion: string, kind: string, target: string): string =>
      cluster.create(name, { target_deployment: undefined, target_ref: { apiVersion, kind, name: target } });
    for (const key of [
      onRef("first", "apps/v1", "StatefulSet", "db"),
      onRef("second", "apps/v1", "StatefulSet", "queue"),
      onRef("third", "fraim.co.jp/v1", "Hello", "hi"),
      onRef("fourth", "other.example.com/v1", "Deployment", "web"),
    ])
      await setting.sync(key);
    await pass(0);
    expect(watches).toEqual(["/apis/apps/v1/statefulsets", "/apis/fraim.co.jp/v1/helloes"]);
    expect(setting.woken).toEqual(["MLScaler shop/first"]);
    ended.abort();
  });

  it("is kept from no watch by an API version that is not there", async () => {
    cluster.deploy("web", 5);
    const ended = new AbortController();
    const watches = watchesOf([]);
    setting.controller.start(ended.signal);
    const wrong = { apiVersion: "apps/v9", kind: "Deployment", name: "web" };
    for (const key of [
      cluster.create("wrong", { target_deployment: undefined, target_ref: wrong, mode: "Observe" }),
      cluster.create("right"),
    ]) {
      setting.controller.onListed(cluster.stored(key));
      await setting.sync(key);
    }
    await pass(0);
    expect(watches).toEqual(["/apis/apps/v1/deployments"]);
    ended.abort();
  });
});

describe("target_ref", () => {
  const on = (apiVersion: string, kind: string, name: string): Record<string, unknown> => ({
    target_deployment: undefined,
    target_ref: { apiVersion, kind, name },
  });
  const statefulSet = on("apps/v1", "StatefulSet", "db");
  const hello = on("fraim.co.jp/v1", "Hello", "hi");

  it("scales a Hello by the load of the pods that its own selector finds", async () => {
    const hi = cluster.run("helloes/hi", 2, 7);
    cluster.deploy("web", 9);
    const key = cluster.create("hi", hello);
    cluster.load = 0.4;
    await setting.sync(key);
    expect(hi.replicas).toBe(4);
    expect(cluster.stored(key).status?.metrics).toMatchObject([{ current: "0.40" }]);
    const selectors = cluster.api.of("GET").filter(({ path }) => path === "/api/v1/namespaces/shop/pods");
    expect(selectors.map(({ query }) => query?.labelSelector)).toEqual(["run=hi"]);
  });

  it.each([
    ["an object that is not there", statefulSet, "StatefulSet db is not in namespace shop, or has no scale"],
    ["a kind that its API does not have", on("apps/v1", "Gadget", "x"), "apps/v1 has no kind Gadget in namespaces"],
  ])("says of %s that its scale could not be read, and tries again", async (_, spec, message) => {
    const key = cluster.create("web", spec);
    expect(await setting.sync(key)).toEqual({ next: "retry", firstSeconds: 5, atMostSeconds: 30 });
    for (const type of ["AbleToScale", "Ready"]) {
      expect(setting.condition(key, type)).toBe("False/FailedGetScale");
      expect(cluster.condition(key, type)?.message).toContain(message);
    }
    expect(cluster.events).toMatchObject([{ type: "Warning", reason: "FailedGetScale" }]);
    expect(cluster.api.of("PUT")).toEqual([]);
  });

  const webByReference = on("apps/v1", "Deployment", "web");
  it.each<[string, object, object]>([
    ["spec.target_ref", {}, webByReference],
    ["spec.target_deployment", webByReference, {}],
  ])("is a rival of a target_deployment on the same Deployment: %s is the younger", async (field, first, second) => {
    cluster.deploy("web", 3);
    const older = cluster.create("older", { ...first }, { creationTimestamp: "2025-01-01T00:00:00Z" });
    const younger = cluster.create("younger", { ...second });
    for (const key of [older, younger]) setting.controller.onListed(cluster.stored(key));
    await setting.sync(younger);
    expect(cluster.scaled).toEqual([]);
    for (const type of ["AbleToScale", "Ready"])
      expect(cluster.condition(younger, type)).toMatchObject({
        ...{ status: "False", reason: "AmbiguousTarget" },
        message: expect.stringMatching(
          `^${field}: Deployment web is already scaled by MLScaler shop/older, which is older`,
        ) as string,
      });
    await setting.sync(older);
    expect(setting.replicas()).toBe(5);
    expect(cluster.condition(older, "Ready")?.status).toBe("True");
  });

  /** An MLScaler that scaled the StatefulSet db from 3 to 5 and is now being deleted. */
  async function scaledAndDeleted(): Promise<string> {
    cluster.run("statefulsets/db", 3);
    const key = cluster.create("db", { ...statefulSet, min_replicas: 2 });
    await setting.sync(key);
    expect(cluster.others.get("statefulsets/db")?.replicas).toBe(5);
    cluster.stored(key).metadata.deletionTimestamp = "2026-01-01T00:01:00Z";
    return key;
  }

  it.each([
    ["apps/v1beta1", "StatefulSet", "db", 5],
    ["apps/v1", "StatefulSet", "other", 2],
  ])("is left to an HPA on %s %s %s only if that is the target: %d", async (apiVersion, kind, name, expected) => {
    const key = await scaledAndDeleted();
    cluster.putAutoscaler(autoscaler("it", { apiVersion, kind, name }));
    await setting.sync(key);
    expect(cluster.others.get("statefulsets/db")?.replicas).toBe(expected);
    expect(cluster.mlscalers.has(key)).toBe(false);
  });

  it("does not hold a deletion up when its kind is gone or may not be looked for", async () => {
    for (const error of [notFound(), forbidden()]) {
      const key = await scaledAndDeleted();
      setting.restart();
      cluster.fail("GET", "/apis/apps/v1", error);
      expect(await setting.sync(key)).toEqual({ next: "forget" });
      expect(cluster.mlscalers.has(key)).toBe(false);
      cluster.heal();
    }
  });
});
