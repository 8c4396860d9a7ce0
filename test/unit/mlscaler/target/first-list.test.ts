import { afterEach, expect, it, vi } from "vitest";
import { autoscaler, FakeCluster } from "../../fake-cluster";
import { pass, useFakeTime } from "../../time";
import { controllerOf } from "../controller/controller-of";

useFakeTime();

const stop = new AbortController();
afterEach(() => stop.abort());

it("scales nothing before the first list of HPAs has come", async () => {
  const cluster = new FakeCluster();
  const { api } = cluster;
  cluster.deploy("web", 2);
  cluster.putAutoscaler(autoscaler("web"));
  const get = api.get.bind(api);
  let answer = (): void => undefined;
  const asked = new Promise<void>(resolve => (answer = resolve));
  vi.spyOn(api, "get").mockImplementation(async (path, request) => {
    if (path.endsWith("/horizontalpodautoscalers")) await asked;
    return get(path, request);
  });
  const controller = controllerOf(cluster);
  controller.start(stop.signal);
  const key = cluster.create("web");
  const sync = controller.sync(key);
  await pass(1);
  expect(cluster.scaled).toEqual([]);
  answer();
  await sync;
  expect(cluster.scaled).toEqual([]);
  expect(cluster.condition(key, "AbleToScale")?.reason).toBe("AmbiguousTarget");
});
