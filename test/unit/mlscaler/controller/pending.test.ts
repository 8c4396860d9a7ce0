import { beforeEach, describe, expect, it } from "vitest";
import { broken } from "../../fake-api";
import { StoredPod, StoredTarget, writesOf } from "../../fake-cluster";
import { start } from "../../time";
import { cluster, setting, useSetting } from "./setting";

const full = "0/5 nodes are available: 5 Insufficient cpu";
const longAgo = new Date(start.getTime() - 86_400_000);

useSetting();

let web: StoredTarget;
let key: string;

const runs = (name: string): StoredPod => ({ name, cores: 0.125, revision: "1", ready: true, since: longAgo });
const waits = (name: string): StoredPod => ({
  ...{ name, revision: "1", ready: false, since: start, unschedulable: full },
});

beforeEach(() => {
  web = cluster.deploy("web", 6);
  key = cluster.create("web", { max_replicas: 6 });
});

describe("the condition ReplicasPending", () => {
  it("is there while replicas find no node, is written a few times only, and goes with its cause", async () => {
    web.pods = [...["a", "b", "c", "d"].map(runs), ...["e", "f"].map(waits)];
    await setting.syncs(key, 2);
    expect(cluster.condition(key, "ReplicasPending")).toBeUndefined();
    await setting.syncs(key, 5);
    expect(cluster.condition(key, "ReplicasPending")).toMatchObject({
      ...{ status: "True", reason: "Unschedulable" },
      message: `2 of 6 replicas are Pending for more than 2 min: ${full}; add nodes, or lower max_replicas`,
    });
    const before = writesOf(cluster.api).length;
    await setting.syncs(key, 100);
    expect(writesOf(cluster.api).length - before).toBeLessThan(10);
    web.pods = ["a", "b", "c", "d", "e", "f"].map(runs);
    await setting.syncs(key, 1);
    expect(cluster.condition(key, "ReplicasPending")).toBeUndefined();
  });

  it("is there while replicas are not created, and stays while pods cannot be read", async () => {
    web.pods = ["a", "b", "c", "d"].map(runs);
    web.observed = 4;
    await setting.syncs(key, 7);
    expect(setting.condition(key, "ReplicasPending")).toBe("True/ReplicasMissing");
    cluster.fail("GET", "/api/v1/namespaces/shop/pods", broken(), 1);
    await setting.sync(key).catch(() => undefined);
    expect(setting.condition(key, "ReplicasPending")).toBe("True/ReplicasMissing");
    web.replicas = 0;
    await setting.syncs(key, 1);
    expect(cluster.condition(key, "ReplicasPending")).toBeUndefined();
  });
});
