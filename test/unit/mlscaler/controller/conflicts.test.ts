import { describe, expect, it, vi } from "vitest";
import { conflict } from "../../fake-api";
import { writesOf } from "../../fake-cluster";
import { pass } from "../../time";
import { cluster, finalizer, setting, useSetting } from "./setting";

useSetting();

describe("a conflict on the scale", () => {
  const soon = { next: "soon", afterSeconds: 0, periodSeconds: 30 };
  const writesOfScale = (): number => cluster.api.of("PUT").filter(({ path }) => path.endsWith("/scale")).length;

  it("ends the sync without a status or an Event, and the next one, at once, decides anew", async () => {
    const web = cluster.deploy("web", 3);
    const key = cluster.create("web", {}, { finalizers: [finalizer] });
    cluster.fail("PUT", "/scale", conflict(), 1);
    expect(await setting.sync(key)).toEqual(soon);
    expect(writesOf(cluster.api).filter(write => !write.endsWith("/scale"))).toEqual([]);
    expect(cluster.stored(key).status).toBeUndefined();
    const reads = cluster.api.of("GET").length;
    await setting.sync(key);
    expect(web.replicas).toBe(5);
    const scaleReads = cluster.api
      .of("GET")
      .slice(reads)
      .filter(({ path }) => path.endsWith("/scale"));
    expect(scaleReads).toHaveLength(1);
    expect(cluster.condition(key, "AbleToScale")).toMatchObject({ status: "True", reason: "SucceededRescale" });
  });

  it("does not write when another scaled the target to what it wants meanwhile", async () => {
    const web = cluster.deploy("web", 3);
    const key = cluster.create("web");
    const replace = cluster.api.replace.bind(cluster.api);
    vi.spyOn(cluster.api, "replace").mockImplementationOnce((...call) => {
      Object.assign(web, { replicas: 5, version: 7 });
      return replace(...call);
    });
    expect(await setting.sync(key)).toEqual(soon);
    await setting.sync(key);
    expect(cluster.scaled).toEqual([]);
    expect(cluster.stored(key).status).toMatchObject({ current_replicas: 5, predicted_replicas: 5 });
  });

  it("is tried again at once five times in a row, not six times", async () => {
    const key = cluster.createOn(3);
    cluster.fail("PUT", "/scale", conflict());
    for (let time = 1; time <= 5; time++) expect(await setting.sync(key), `conflict ${time}`).toEqual(soon);
    expect(cluster.condition(key, "AbleToScale")).toBeUndefined();
    expect(await setting.sync(key)).toMatchObject({ next: "retry" });
    expect(writesOfScale()).toBe(6);
    expect(cluster.condition(key, "AbleToScale")).toMatchObject({ status: "False", reason: "FailedUpdateScale" });
    expect(setting.reasons()).toContain("FailedRescale");
  });

  it.each<[string, () => void]>([
    ["the scale was written", () => undefined],
    ["another scaled the target as wanted", () => Object.assign(cluster.deployments.get("web") ?? {}, { replicas: 5 })],
  ])("counts from the start once %s", async (_, meanwhile) => {
    const key = cluster.createOn(3);
    cluster.fail("PUT", "/scale", conflict(), 5);
    for (let time = 1; time <= 5; time++) expect(await setting.sync(key)).toEqual(soon);
    meanwhile();
    await setting.sync(key);
    expect(setting.replicas()).toBe(5);
    await pass(30);
    cluster.load = 0.8;
    cluster.fail("PUT", "/scale", conflict(), 5);
    for (let time = 1; time <= 5; time++) expect(await setting.sync(key), `conflict ${time}`).toEqual(soon);
    await setting.sync(key);
    expect(setting.replicas()).toBe(8);
  });

  it("of one MLScaler does not count for another", async () => {
    cluster.deploy("web", 3);
    cluster.deploy("api", 3);
    const [web, other] = [cluster.create("web"), cluster.create("api", { target_deployment: "api" })];
    cluster.fail("PUT", "/deployments/web/scale", conflict());
    for (let time = 1; time <= 6; time++) await setting.sync(web);
    expect(setting.condition(web, "AbleToScale")).toBe("False/FailedUpdateScale");
    cluster.fail("PUT", "/deployments/api/scale", conflict(), 1);
    expect(await setting.sync(other)).toEqual(soon);
  });
});
