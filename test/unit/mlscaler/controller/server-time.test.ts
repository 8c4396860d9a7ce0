import { expect, it } from "vitest";
import { FakeCluster } from "../../fake-cluster";
import { useFakeTime } from "../../time";
import { Setting } from "./setting";

useFakeTime();

/** A cluster whose API server is 10 minutes ahead of MLScaler. */
function ahead(): Setting & { at: Date } {
  const setting = new Setting(new FakeCluster());
  const at = new Date(Date.now() + 600_000);
  setting.cluster.api.clock.observe({ date: at.toUTCString() }, performance.now());
  return Object.assign(setting, { at });
}

it("a sample that is old by the clock of the API server scales nothing", async () => {
  const setting = ahead();
  setting.cluster.deploy("web", 2);
  setting.cluster.load = 5;
  await setting.sync(setting.cluster.create("web"));
  expect(setting.replicas()).toBe(2);
});

it("a pod that is Ready for 5 minutes by the clock of the API server has to have a sample", async () => {
  const setting = ahead();
  const { cluster, at } = setting;
  const pod = { revision: "1", ready: true, since: new Date() };
  cluster.deploy("web", 3).pods = [
    { ...pod, name: "web-1", cores: 0.1, sampledAt: at },
    { ...pod, name: "web-2", cores: 0.1, sampledAt: at },
    { ...pod, name: "web-3" },
  ];
  await setting.sync(cluster.create("web"));
  const messages = cluster.events.map(({ message }) => message).join("; ");
  expect(messages).toContain("1 of 3 Ready pods (web-3) have no fresh sample");
});
