import { expect, it } from "vitest";
import { FakeCluster } from "../../fake-cluster";
import { pass, useFakeTime } from "../../time";
import { Setting } from "./setting";

useFakeTime();

it("reads an MLScaler again after 60 s, so that a change which no watch delivered acts", async () => {
  const setting = new Setting(new FakeCluster());
  const { cluster } = setting;
  cluster.deploy("web", 2);
  const key = cluster.create("web");
  cluster.load = 5;
  // The last syncs write no status, whose answer would have the new spec.
  await setting.syncs(key, 12);
  const stored = cluster.stored(key);
  setting.controller.onListed(stored);
  const highest = setting.replicas() ?? 0;
  stored.spec = { ...stored.spec, max_replicas: highest - 1 };
  stored.metadata.generation++;
  await pass(61);
  await setting.sync(key);
  expect(setting.replicas()).toBe(highest - 1);
});
