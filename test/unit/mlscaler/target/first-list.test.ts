import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { noteAnnotation } from "../../../../capabilities/mlscaler/target/note";
import { autoscaler, deployment, FakeCluster } from "../../fake-cluster";
import { pass, useFakeTime } from "../../time";
import { controllerOf, type TestedController } from "../controller/controller-of";
import { finalizer } from "../controller/setting";

useFakeTime();

let stop: AbortController;
afterEach(() => stop.abort());

let cluster: FakeCluster;
let controller: TestedController;
/** Answers the first list of HPAs. */
let answer: () => void;

/** A process that has not listed HPAs yet, and an HPA on web. */
beforeEach(() => {
  stop = new AbortController();
  cluster = new FakeCluster();
  const { api } = cluster;
  cluster.deploy("web", 2);
  const get = api.get.bind(api);
  const asked = new Promise<void>(resolve => (answer = resolve));
  vi.spyOn(api, "get").mockImplementation(async (path, request) => {
    if (path.endsWith("/horizontalpodautoscalers")) await asked;
    return get(path, request);
  });
  controller = controllerOf(cluster);
  controller.start(stop.signal);
});

/** Syncs an MLScaler, while the list comes late. */
async function sync(key: string): Promise<void> {
  const done = controller.sync(key);
  await pass(1);
  expect(cluster.scaled).toEqual([]);
  answer();
  await done;
}

it("scales nothing before the first list of HPAs has come", async () => {
  cluster.putAutoscaler(autoscaler("web"));
  const key = cluster.create("web");
  await sync(key);
  expect(cluster.scaled).toEqual([]);
  expect(cluster.condition(key, "AbleToScale")?.reason).toBe("AmbiguousTarget");
});

it("puts the minimum back of an HPA that the first list brings, at a deletion", async () => {
  const note = JSON.stringify({ by: "web", own: 2, raised: 8, until: new Date().toISOString() });
  const raised = autoscaler("web", deployment, { annotations: { [noteAnnotation]: note } });
  cluster.putAutoscaler({ ...raised, spec: { ...raised.spec, minReplicas: 8 } });
  const deleted = { deletionTimestamp: new Date().toISOString(), finalizers: [finalizer] };
  const key = cluster.createOn(2, { mode: "Assist", max_replicas: undefined }, deleted);
  await sync(key);
  expect(cluster.autoscaler("web").spec.minReplicas).toBe(2);
  expect(cluster.mlscalers.has(key)).toBe(false);
});
