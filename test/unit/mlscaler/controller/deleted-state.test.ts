import { expect, it } from "vitest";
import { FakeCluster } from "../../fake-cluster";
import { useFakeTime } from "../../time";
import { Setting } from "./setting";

useFakeTime();

it("a deletion keeps the stored state for a successor, and says since when nobody owns it", async () => {
  const setting = new Setting(new FakeCluster());
  const { cluster } = setting;
  cluster.deploy("web", 3);
  const key = cluster.create("web");
  await setting.syncs(key, 3);
  cluster.stored(key).metadata.deletionTimestamp = "2026-01-01T00:01:00Z";
  expect(await setting.sync(key)).toEqual({ next: "forget" });
  const since = "mlscaler.example.com/unowned-since";
  const marks = [...cluster.configMaps.values()];
  expect(marks).toMatchObject(marks.map(() => ({ metadata: { annotations: { [since]: new Date().toISOString() } } })));
  expect(marks).not.toEqual([]);
});
