import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  HorizontalPodAutoscalers,
  hpaOn,
  hpasIn,
} from "../../../../capabilities/mlscaler/target/horizontal-pod-autoscalers";
import { Namespaces, shardOf } from "../../../../capabilities/kubernetes/namespaces";
import { ApiError } from "../../../../capabilities/kubernetes/api";
import { broken, Call, FakeApi, forbidden } from "../../fake-api";
import { autoscaler as hpa, deployment, TargetReference as Reference } from "../../fake-cluster";
import { pass, useFakeTime, settle } from "../../time";

const web = "shop/Deployment.apps/web";
const db = "shop/StatefulSet.apps/db";

const statefulSet: Reference = { apiVersion: "apps/v1", kind: "StatefulSet", name: "db" };

const scaledObject = { apiVersion: "keda.sh/v1alpha1", kind: "ScaledObject", name: "web", uid: "so", controller: true };

/** The HPA that is found first on a target. */
const on = (hpas: HorizontalPodAutoscalers, target: string): string | undefined => hpas.on(target)[0]?.text;

describe("hpaOn", () => {
  const on = (target: Reference, ...items: object[]): Promise<string | undefined> =>
    hpaOn(new FakeApi(() => ({ items })), "shop", { apiVersion: "apps/v1", ...target });

  it("names the HPA on the target, whatever version each names it by", async () => {
    const others = [hpa("a", { ...deployment, name: "api" }), hpa("b", { ...deployment, kind: "StatefulSet" })];
    expect(await on(deployment, ...others, hpa("c", { ...deployment, apiVersion: "apps/v1beta2" }))).toBe("HPA c");
    const controller = { kind: "ReplicationController", name: "web" };
    expect(await on({ apiVersion: "v1", ...controller }, ...others, hpa("c", controller))).toBe("HPA c");
    expect(await on(deployment, ...others)).toBeUndefined();
    expect(await on(deployment, hpa("c", { ...deployment, apiVersion: "example.com/v1" }))).toBeUndefined();
    expect(await on({ ...deployment, apiVersion: "v1" }, hpa("c"))).toBeUndefined();
  });

  it("names the controller of the HPA, because that must be deleted", async () => {
    const made = hpa("keda-hpa-web", deployment, { ownerReferences: [scaledObject] });
    expect(await on(deployment, made)).toBe("HPA keda-hpa-web of ScaledObject web");
    const merelyOwned = hpa("web", deployment, { ownerReferences: [{ ...scaledObject, controller: false }] });
    expect(await on(deployment, merelyOwned)).toBe("HPA web");
  });

  it("reads the namespace with the timeout, and throws the error of the API server", async () => {
    const api = new FakeApi(() => ({ items: [] }));
    await hpasIn(api, "shop", 1);
    expect(api.calls).toMatchObject([
      { path: "/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers", timeoutSeconds: 1 },
    ]);
    const away = new FakeApi(() => {
      throw forbidden();
    });
    await expect(hpaOn(away, "shop", { ...deployment, apiVersion: "apps/v1" })).rejects.toThrow("forbidden");
  });
});

describe("HorizontalPodAutoscalers", () => {
  useFakeTime();

  let items: object[];
  let answer: (call: Call) => unknown;
  let streams: PassThrough[];
  let changed: string[];
  let stop: AbortController;
  let hpas: HorizontalPodAutoscalers;

  beforeEach(() => {
    items = [];
    streams = [];
    changed = [];
    stop = new AbortController();
    answer = () => ({ metadata: { resourceVersion: "10" }, items });
    const api = new FakeApi(call => {
      if (call.method === "GET") return answer(call);
      const stream = new PassThrough();
      streams.push(stream);
      return stream;
    });
    hpas = new HorizontalPodAutoscalers(api, new Namespaces(), target => changed.push(target));
  });

  afterEach(() => stop.abort());

  async function begin(...first: object[]): Promise<void> {
    items = first;
    hpas.start(stop.signal);
    await settle();
  }

  async function send(type: string, object: object): Promise<void> {
    streams.at(-1)?.write(`${JSON.stringify({ type, object })}\n`);
    await settle();
  }

  it("knows all HPAs after the list, and reports their targets", async () => {
    await begin(hpa("web"), hpa("db", statefulSet, { ownerReferences: [scaledObject] }));
    expect(on(hpas, web)).toBe("HPA web");
    expect(on(hpas, db)).toBe("HPA db of ScaledObject web");
    expect(on(hpas, "other/Deployment.apps/web")).toBeUndefined();
    expect(changed).toEqual([web, db]);
  });

  it("follows one that comes, turns to another target, and goes", async () => {
    await begin();
    await send("ADDED", hpa("web"));
    expect([on(hpas, web), changed]).toEqual(["HPA web", [web]]);
    await send("MODIFIED", hpa("web", statefulSet));
    expect([on(hpas, web), on(hpas, db)]).toEqual([undefined, "HPA web"]);
    expect(changed).toEqual([web, web, db]);
    await send("DELETED", hpa("web", statefulSet));
    expect(on(hpas, db)).toBeUndefined();
    expect(changed).toEqual([web, web, db, db]);
  });

  it("ignores a change of the status", async () => {
    await begin(hpa("web"));
    changed.length = 0;
    await send("MODIFIED", { ...hpa("web"), status: { currentReplicas: 4 } });
    expect([on(hpas, web), changed]).toEqual(["HPA web", []]);
  });

  it.each([
    ["fails", broken()],
    ["has lost the history of a page", new ApiError(410, "Expired", "the continue token is too old")],
  ])("throws while the API server %s, and recovers", async (_, error) => {
    answer = () => {
      throw error;
    };
    await begin();
    await expect(hpas.unknownIn("shop")).rejects.toBe(error);
    answer = () => ({ metadata: { resourceVersion: "10" }, items: [hpa("web")] });
    await pass(2);
    await settle();
    expect([on(hpas, web), changed]).toEqual(["HPA web", [web]]);
    expect(await hpas.unknownIn("shop")).toBeUndefined();
  });

  it("tells why HPAs may not be listed, from the start or later, until they may be", async () => {
    const listed = answer;
    const refuse = (): void => {
      answer = () => {
        throw forbidden();
      };
    };
    refuse();
    await begin();
    expect(await hpas.unknownIn("shop")).toBe("forbidden");
    answer = listed;
    await pass(2);
    await settle();
    expect(await hpas.unknownIn("shop")).toBeUndefined();
    refuse();
    streams.at(-1)?.destroy(new Error("socket hang up"));
    await settle();
    // What is known is true until it cannot be read again.
    expect(await hpas.unknownIn("shop")).toBeUndefined();
    await pass(2);
    await settle();
    expect(await hpas.unknownIn("shop")).toBe("forbidden");
  });

  it("blocks syncs until the first list", async () => {
    let list: (answer: object) => void = () => undefined;
    answer = () => new Promise(resolve => (list = resolve));
    hpas.start(stop.signal);
    let ended = false;
    void hpas.unknownIn("shop").then(() => (ended = true));
    await settle();
    expect(ended).toBe(false);
    list({ metadata: { resourceVersion: "10" }, items: [hpa("web")] });
    await settle();
    expect([ended, on(hpas, web)]).toEqual([true, "HPA web"]);
  });
});

describe("HorizontalPodAutoscalers of a process with shards", () => {
  useFakeTime();

  it("that get other namespaces wait for their list, also those that waited before", async () => {
    const stop = new AbortController();
    const lists: ((list: object) => void)[] = [];
    const watch = new PassThrough();
    const api = new FakeApi(({ method }) =>
      method === "GET" ? new Promise(resolve => lists.push(resolve as (list: object) => void)) : watch,
    );
    const namespaces = new Namespaces();
    const hpas = new HorizontalPodAutoscalers(api, namespaces, () => undefined);
    const answer = (...items: object[]): Promise<void> => {
      lists.shift()?.({ metadata: { resourceVersion: "10" }, items });
      return settle();
    };
    hpas.start(stop.signal);
    await settle();
    let waited = false;
    void hpas.unknownIn("shop").then(() => (waited = true));
    namespaces.follow(new Set([shardOf("shop", 4)]), 4);
    await settle();
    await answer(hpa("web"));
    expect([waited, on(hpas, web)]).toEqual([false, undefined]);
    await answer(hpa("web"));
    expect([waited, on(hpas, web)]).toEqual([true, "HPA web"]);

    namespaces.follow(new Set([(shardOf("shop", 4) + 1) % 4]), 4);
    // As the connection of a watch that is aborted.
    watch.end();
    await settle();
    await answer(hpa("web"));
    expect(on(hpas, web)).toBeUndefined();
    stop.abort();
  });
});

describe("HorizontalPodAutoscalers of a process with rights in some namespaces", () => {
  useFakeTime();

  it("are unknown in the namespaces alone in which they may not be listed, or are not listed yet", async () => {
    const stop = new AbortController();
    const stream = new PassThrough();
    const api = new FakeApi(({ method, path }) => {
      if (method === "STREAM") return stream;
      if (path.includes("/blog/")) throw forbidden();
      if (path.includes("/late/")) return new Promise(() => undefined);
      return { metadata: { resourceVersion: "10" }, items: [hpa("web")] };
    });
    const hpas = new HorizontalPodAutoscalers(api, new Namespaces(["shop", "blog", "late"]), () => undefined);
    hpas.start(stop.signal);
    await settle();
    expect([await hpas.unknownIn("shop"), on(hpas, web)]).toEqual([undefined, "HPA web"]);
    expect(await hpas.unknownIn("blog")).toBe("forbidden");
    let waited = false;
    void hpas.unknownIn("late").then(() => (waited = true));
    await settle();
    expect(waited).toBe(false);
    stop.abort();
    stream.end();
  });
});
