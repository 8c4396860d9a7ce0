import { PassThrough } from "node:stream";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { autoscaled, autoscalerOn, Autoscalers } from "../../../capabilities/mlscaler/autoscalers";
import { broken, Call, FakeApi, forbidden } from "../fake-api";
import { autoscaler as hpa, deployment, FakeCluster, TargetReference as Reference } from "../fake-cluster";
import { pass, useFakeTime } from "../time";
import { controllerOf, TestedController } from "./controller-of";

const web = "shop/Deployment.apps/web";
const db = "shop/StatefulSet.apps/db";

const statefulSet: Reference = { apiVersion: "apps/v1", kind: "StatefulSet", name: "db" };

/** Lets streams, which take some turns of the event loop, hand on what they have. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await pass(0);
}

const scaledObject = { apiVersion: "keda.sh/v1alpha1", kind: "ScaledObject", name: "web", uid: "so", controller: true };

describe("autoscalerOn", () => {
  const on = (target: Reference, ...items: object[]): Promise<string | undefined> =>
    autoscalerOn(new FakeApi(() => ({ items })), "shop", { apiVersion: "apps/v1", ...target });

  it("names the HPA on the target, whatever version each names it by", async () => {
    const others = [hpa("a", { ...deployment, name: "api" }), hpa("b", { ...deployment, kind: "StatefulSet" })];
    expect(await on(deployment, ...others, hpa("c", { ...deployment, apiVersion: "apps/v1beta2" }))).toBe("HPA c");
    expect(await on(deployment, ...others, hpa("c", { kind: "Deployment", name: "web" }))).toBe("HPA c");
    expect(await on(deployment, ...others)).toBeUndefined();
    expect(await on(deployment, hpa("c", { ...deployment, apiVersion: "example.com/v1" }))).toBeUndefined();
    expect(await on({ ...deployment, apiVersion: "v1" }, hpa("c"))).toBeUndefined();
  });

  it("names who made the HPA, because that is what is to be deleted", async () => {
    const made = hpa("keda-hpa-web", deployment, { ownerReferences: [scaledObject] });
    expect(await on(deployment, made)).toBe("HPA keda-hpa-web of ScaledObject web");
    const merelyOwned = hpa("web", deployment, { ownerReferences: [{ ...scaledObject, controller: false }] });
    expect(await on(deployment, merelyOwned)).toBe("HPA web");
  });

  it("asks in its namespace, for as long as it is told, and throws what the API server answers", async () => {
    const api = new FakeApi(() => ({ items: [] }));
    await autoscalerOn(api, "shop", { ...deployment, apiVersion: "apps/v1" }, 1);
    expect(api.calls).toMatchObject([
      { path: "/apis/autoscaling/v2/namespaces/shop/horizontalpodautoscalers", timeoutSeconds: 1 },
    ]);
    const away = new FakeApi(() => {
      throw forbidden();
    });
    await expect(autoscalerOn(away, "shop", { ...deployment, apiVersion: "apps/v1" })).rejects.toThrow("forbidden");
  });
});

describe("autoscaled", () => {
  it("names the target, who scales it, and what to do", () => {
    expect(autoscaled({ apiVersion: "apps/v1", ...deployment }, "HPA web")).toBe(
      "Deployment web is already scaled by HPA web; delete that, or set spec.mode to Observe",
    );
  });
});

describe("Autoscalers", () => {
  useFakeTime();

  let items: object[];
  let answer: (call: Call) => unknown;
  let streams: PassThrough[];
  let changed: string[];
  let stop: AbortController;
  let autoscalers: Autoscalers;

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
    autoscalers = new Autoscalers(api, target => changed.push(target));
  });

  afterEach(() => stop.abort());

  async function begin(...first: object[]): Promise<void> {
    items = first;
    autoscalers.start(stop.signal);
    await settle();
  }

  async function send(type: string, object: object): Promise<void> {
    streams.at(-1)?.write(`${JSON.stringify({ type, object })}\n`);
    await settle();
  }

  it("knows what there is once it is listed, and tells of it", async () => {
    await begin(hpa("web"), hpa("db", statefulSet, { ownerReferences: [scaledObject] }));
    expect(autoscalers.on(web)).toBe("HPA web");
    expect(autoscalers.on(db)).toBe("HPA db of ScaledObject web");
    expect(autoscalers.on("other/Deployment.apps/web")).toBeUndefined();
    expect(changed).toEqual([web, db]);
  });

  it("follows one that comes, turns to another target, and goes", async () => {
    await begin();
    await send("ADDED", hpa("web"));
    expect([autoscalers.on(web), changed]).toEqual(["HPA web", [web]]);
    await send("MODIFIED", hpa("web", statefulSet));
    expect([autoscalers.on(web), autoscalers.on(db)]).toEqual([undefined, "HPA web"]);
    expect(changed).toEqual([web, web, db]);
    await send("DELETED", hpa("web", statefulSet));
    expect(autoscalers.on(db)).toBeUndefined();
    expect(changed).toEqual([web, web, db, db]);
  });

  it("tells nobody of a change of its status", async () => {
    await begin(hpa("web"));
    changed.length = 0;
    await send("MODIFIED", { ...hpa("web"), status: { currentReplicas: 4 } });
    expect([autoscalers.on(web), changed]).toEqual(["HPA web", []]);
  });

  it("knows of a second on the same target when the first goes", async () => {
    await begin(hpa("first"), hpa("second"));
    await send("DELETED", hpa("first"));
    expect(autoscalers.on(web)).toBe("HPA second");
    await send("DELETED", hpa("second"));
    expect(autoscalers.on(web)).toBeUndefined();
  });

  it("notices, when it lists anew, what went and came meanwhile under the same name", async () => {
    await begin(hpa("web"), hpa("db", statefulSet));
    changed.length = 0;
    items = [hpa("web", deployment, { uid: "anew" })];
    await send("ERROR", { code: 410 });
    await pass(2);
    await settle();
    expect([autoscalers.on(web), autoscalers.on(db)]).toEqual(["HPA web", undefined]);
    expect(changed).toContain(db);
  });

  it.each([
    ["may not be listed", forbidden()],
    ["cannot be listed", broken()],
  ])("keeps nobody waiting when HPAs %s, and goes on by itself", async (_, error) => {
    answer = () => {
      throw error;
    };
    await begin();
    const listed = autoscalers.listed();
    if (error.status === 403) await listed;
    else await expect(listed).rejects.toBe(error);
    expect(autoscalers.on(web)).toBeUndefined();
    answer = () => ({ metadata: { resourceVersion: "10" }, items: [hpa("web")] });
    await pass(2);
    await settle();
    expect([autoscalers.on(web), changed]).toEqual(["HPA web", [web]]);
    await autoscalers.listed();
  });

  it("lets those go on who know HPAs, when its watch breaks later", async () => {
    await begin(hpa("web"));
    answer = () => {
      throw broken();
    };
    streams.at(-1)?.end();
    await settle();
    await autoscalers.listed();
    expect(autoscalers.on(web)).toBe("HPA web");
  });

  it("lets nobody act before the first look has ended", async () => {
    let list: (answer: object) => void = () => undefined;
    answer = () => new Promise(resolve => (list = resolve));
    autoscalers.start(stop.signal);
    let ended = false;
    void autoscalers.listed().then(() => (ended = true));
    await settle();
    expect(ended).toBe(false);
    list({ metadata: { resourceVersion: "10" }, items: [hpa("web")] });
    await settle();
    expect([ended, autoscalers.on(web)]).toEqual([true, "HPA web"]);
  });
});

describe("the sync of an MLScaler", () => {
  useFakeTime();

  let cluster: FakeCluster;
  let controller: TestedController;
  let woken: string[];
  let stop: AbortController;

  /** A cluster of these HPAs, with a Deployment web at 2 replicas that is owned by `owners`, and a load for 5. */
  function begin(autoscalers: ReturnType<typeof hpa>[], owners: object[] = []): void {
    cluster = new FakeCluster();
    cluster.deploy("web", 2);
    autoscalers.forEach(one => cluster.putAutoscaler(one));
    woken = [];
    stop = new AbortController();
    const { api } = cluster;
    const path = "/apis/apps/v1/deployments";
    const [get, stream] = [api.get.bind(api), api.stream.bind(api)];
    const items = [{ metadata: { name: "web", namespace: "shop", uid: "d", generation: 1, ownerReferences: owners } }];
    vi.spyOn(api, "get").mockImplementation((asked, request) =>
      asked === path ? Promise.resolve({ metadata: { resourceVersion: "1" }, items }) : get(asked, request),
    );
    vi.spyOn(api, "stream").mockImplementation((asked, ...rest) =>
      asked === path ? new Promise(() => undefined) : stream(asked, ...rest),
    );
    controller = controllerOf(cluster, { woken });
    controller.start(stop.signal);
  }

  afterEach(() => stop.abort());

  const replicas = (): number | undefined => cluster.deployments.get("web")?.replicas;

  it("leaves a target to an HPA from the first sync on, says so, and takes it when the HPA is gone", async () => {
    begin([hpa("web")]);
    const key = cluster.create("web");
    expect(await controller.sync(key)).toMatchObject({ next: "retry" });
    expect(replicas()).toBe(2);
    const finding = {
      status: "False",
      reason: "AmbiguousTarget",
      message:
        "spec.target_deployment: Deployment web is already scaled by HPA web; delete that, or set spec.mode to Observe",
    };
    for (const type of ["AbleToScale", "Ready"]) expect(cluster.condition(key, type)).toMatchObject(finding);
    expect(cluster.events).toMatchObject([{ type: "Warning", reason: "AmbiguousTarget", message: finding.message }]);

    cluster.removeAutoscaler("web");
    await settle();
    expect(woken).toContain(`MLScaler ${key}`);
    await controller.sync(key);
    expect(replicas()).toBe(4);
    expect(cluster.condition(key, "Ready")?.status).toBe("True");
  });

  it("is called when an HPA comes to its target, and ends what it did there", async () => {
    begin([]);
    const key = cluster.create("web");
    await controller.sync(key);
    expect(replicas()).toBe(4);
    cluster.putAutoscaler(hpa("web"));
    await settle();
    expect(woken).toContain(`MLScaler ${key}`);
    cluster.load = 0.9;
    await pass(60);
    await controller.sync(key);
    expect(replicas()).toBe(4);
    expect(cluster.condition(key, "AbleToScale")?.reason).toBe("AmbiguousTarget");
  });

  it("grows no faster after it stood back for long than after one period", async () => {
    begin([]);
    const key = cluster.create("web", { max_replicas: 100 });
    await controller.sync(key);
    cluster.putAutoscaler(hpa("web"));
    await settle();
    await pass(600);
    await controller.sync(key);
    expect(replicas()).toBe(4);
    cluster.removeAutoscaler("web");
    await settle();
    cluster.load = 9;
    await controller.sync(key);
    expect(replicas()).toBe(16);
  });

  it("observes beside an HPA, and is not called for one on another target", async () => {
    begin([hpa("web"), hpa("api", { ...deployment, name: "api" })]);
    const key = cluster.create("web", { mode: "Observe" });
    await controller.sync(key);
    expect(cluster.stored(key).status).toMatchObject({ predicted_replicas: 4 });
    expect(cluster.condition(key, "Ready")?.status).toBe("True");
    expect(replicas()).toBe(2);
    await settle();
    woken.length = 0;
    cluster.removeAutoscaler("api");
    await settle();
    expect(woken).toEqual([]);
  });

  it.each([
    [[], 1],
    [[{ apiVersion: "app.kubebuilder.io/v1", kind: "EasyService", name: "web", uid: "e", controller: true }], 4],
  ])("on deletion leaves to its owner what that holds: %j", async (owners, expected) => {
    begin([], owners);
    const key = cluster.create("web");
    await controller.sync(key);
    await settle();
    expect(replicas()).toBe(4);
    cluster.stored(key).metadata.deletionTimestamp = "2026-01-01T00:10:00Z";
    expect(await controller.sync(key)).toEqual({ next: "forget" });
    expect(replicas()).toBe(expected);
  });
});
