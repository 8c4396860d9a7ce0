import { afterEach, describe, expect, it, vi } from "vitest";
import { autoscaler as hpa, FakeCluster } from "../../fake-cluster";
import { pass, useFakeTime, settle } from "../../time";
import { controllerOf, TestedController } from "../controller/controller-of";

describe("Ownership, in the sync of an MLScaler,", () => {
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
    const condition = {
      status: "False",
      reason: "AmbiguousTarget",
      message:
        "spec.target_deployment: Deployment web is already scaled by HPA web; set spec.mode to Assist to keep that, delete it, or set spec.mode to Observe",
    };
    for (const type of ["AbleToScale", "Ready"]) expect(cluster.condition(key, type)).toMatchObject(condition);
    expect(cluster.events).toMatchObject([{ type: "Warning", reason: "AmbiguousTarget", message: condition.message }]);

    cluster.removeAutoscaler("web");
    await settle();
    expect(woken).toContain(`MLScaler ${key}`);
    await controller.sync(key);
    expect(replicas()).toBe(4);
    expect(cluster.condition(key, "Ready")?.status).toBe("True");
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

  it.each([
    [[], 1],
    [[{ apiVersion: "app.kubebuilder.io/v1", kind: "EasyService", name: "web", uid: "e", controller: true }], 4],
    [[{ apiVersion: "other.example.com/v1", kind: "Hello", name: "web", uid: "h", controller: true }], 1],
  ])("on deletion leaves the target to its owner of this module: %j", async (owners, expected) => {
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
