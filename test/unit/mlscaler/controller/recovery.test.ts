import { expect, it } from "vitest";
import { Scheduler } from "../../../../capabilities/operator/scheduler";
import { broken } from "../../fake-api";
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

it("Ready is True again in the first sync after its cause", async () => {
  const setting = new Setting(new FakeCluster());
  const { cluster } = setting;
  cluster.deploy("web", 3);
  const key = cluster.create("web");
  cluster.fail("GET", "v1beta1/namespaces/shop/pods", broken(), 1);
  await setting.sync(key);
  expect(cluster.condition(key, "Ready")?.status).toBe("False");
  await pass(30);
  await setting.sync(key);
  expect(cluster.condition(key, "Ready")).toMatchObject({ status: "True", reason: "Synced" });
});

it("a sync that fails is tried again within 15 s, however long the API server is away", async () => {
  const setting = new Setting(new FakeCluster());
  const { cluster } = setting;
  cluster.deploy("web", 2);
  const key = cluster.create("web");
  cluster.fail("GET", "/mlscalers/web", broken());
  const failedAt: number[] = [];
  const scheduler = new Scheduler({ failed: () => void failedAt.push(Date.now()) });
  scheduler.open();
  scheduler.wake("MLScaler", key, setting.controller);
  await pass(120);
  await scheduler.closeAll();
  const waits = failedAt.slice(1).map((at, index) => at - (failedAt[index] ?? NaN));
  expect(Math.max(...waits)).toBe(15_000);
});
