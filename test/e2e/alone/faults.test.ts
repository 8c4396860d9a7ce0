import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startComponent, stopComponent } from "../../../sandbox/api";
import * as cluster from "../cluster";
import { holder, metrics, rollOut, runningPods, system, theWatcher, watcherDeployment as watcher } from "../module";
import { sandbox } from "../sandbox";

const { kube, kubectl, shortForm, until } = cluster;

const spec = { target_deployment: "web", ...shortForm };

let namespace: string;
let traffic: cluster.Load;

const sandboxLog = (path: string): string => readFileSync(path, "utf8");

/** Waits until a spec change leads to a write of the target, which proves that the whole loop works. */
async function untilItScales(): Promise<void> {
  const wanted = (await cluster.replicas(namespace, "web")) + 1;
  await cluster.patchScaler(namespace, "web", { min_replicas: wanted, max_replicas: wanted });
  await cluster.untilReplicas(namespace, "web", wanted);
  await cluster.patchScaler(namespace, "web", { min_replicas: 1, max_replicas: 20 });
}

/**
 * Waits until the status has a decision on the load with this number of replicas. A decision on bounds does not count.
 */
const untilLoadAsksFor = (replicas: number): Promise<true> =>
  until(`a decision on the load that asks for ${replicas}`, async () => {
    const { decision } = (await cluster.scaler(namespace, "web")).status;
    return decision?.reactive === replicas || undefined;
  });

/**
 * The lowest count of the target and the lowest count for its load, while `work` runs. The latter matters because
 * the stabilization of 300 s hides a load of 0 due to missing data.
 */
async function lowestDuring(work: () => Promise<void>): Promise<{ replicas: number; reactive: number }> {
  const lowest = { replicas: Infinity, reactive: Infinity };
  let going = true;
  const look = async (): Promise<void> => {
    // The API server is down.
    const scaler = await cluster.scaler(namespace, "web").catch(() => undefined);
    lowest.replicas = Math.min(lowest.replicas, await cluster.replicas(namespace, "web").catch(() => Infinity));
    lowest.reactive = Math.min(lowest.reactive, scaler?.status.decision?.reactive ?? Infinity);
  };
  const watching = (async () => {
    while (going) {
      await look();
      await new Promise(resolve => setTimeout(resolve, 200));
    }
    await look();
  })();
  try {
    await work();
  } finally {
    going = false;
    await watching;
  }
  return lowest;
}

beforeAll(async () => {
  namespace = await cluster.createNamespace("faults");
  await cluster.createDeployment(namespace, "web", 1);
  traffic = new cluster.Load(namespace, "web", 0.55);
  await traffic.settled();
  await cluster.applyScaler(namespace, "web", spec);
  await cluster.untilReplicas(namespace, "web", 6);
});

afterAll(async () => {
  await traffic.stop();
  await kube(["delete", "namespace", namespace, "--timeout=15m"]);
});

describe("killed and back", () => {
  it("the watcher process: nothing is scaled down, scaling goes on", async () => {
    const before = await theWatcher();
    const usual = traffic.cores;
    const loadGone = async (): Promise<void> => {
      process.kill(-before.pid, "SIGKILL");
      traffic.cores = 0.25;
      await until("another process", async () => {
        const [now] = await runningPods("watcher");
        return now !== undefined && now.pid !== before.pid;
      });
      const name = before.name;
      await until("it holds the Lease", async () => (await holder()).startsWith(name));
      const { log } = await theWatcher();
      const decided = "6: stabilized over the last 300 s, load 0.25 cores";
      await until("it decides, on the lower load", () => Promise.resolve(sandboxLog(log).includes(decided)));
      // The log precedes the status, which shows the decision from before the kill until then.
      await untilLoadAsksFor(3);
    };
    try {
      expect(await lowestDuring(loadGone)).toEqual({ replicas: 6, reactive: 3 });
    } finally {
      traffic.cores = usual;
      await traffic.settled();
    }
    await untilItScales();
  });

  it("the API server: nothing is scaled down, scaling goes on by itself", async () => {
    const before = await theWatcher();
    // The pod that was added last has its part of the load.
    await traffic.settled();
    await untilLoadAsksFor(6);
    const lowest = await lowestDuring(async () => {
      await stopComponent("apiserver", sandbox, true);
      // Two syncs fail.
      await new Promise(resolve => setTimeout(resolve, 10_000));
      await startComponent("apiserver", sandbox);
      await until("the API server answers", async () => (await kubectl(["get", "--raw", "/readyz"])).code === 0);
      // A decision from after the outage.
      await cluster.changeScaler(namespace, "web", { max_replicas: 19 });
      await untilLoadAsksFor(6);
    });
    expect(lowest.replicas).toBeGreaterThanOrEqual(6);
    expect(lowest.reactive).toBe(6);
    await untilItScales();
    expect((await theWatcher()).pid).toBe(before.pid);
  });
});

describe("SIGTERM", () => {
  it("ends the watcher cleanly: shutdown completed, Lease released, and the next one is quick", async () => {
    const before = await until("one watcher", async () => (await runningPods("watcher")).length === 1 && theWatcher());
    await until("it holds the Lease", async () => (await holder()).startsWith(before.name));
    const held = await holder();
    expect(before.processes).toHaveLength(1);
    process.kill(before.pid, "SIGTERM");
    await until("shutdown completed", () => Promise.resolve(sandboxLog(before.log).includes("shutdown completed")));
    expect(await holder()).not.toBe(held);
    await until("another process", async () => (await theWatcher()).pid !== before.pid);
    await untilItScales();
  });
});

describe("CRDs missing", () => {
  it("is said in log, Event and gauge while it stays Ready, and is over when they come", async () => {
    // Removing the CRD removes every MLScaler, which first scales each target to its minimum.
    await kube(["delete", "crd", "mlscalers.example.com", "--timeout=15m"]);
    await cluster.untilReplicas(namespace, "web", 1);
    const running = await theWatcher();
    await until("the running watcher says so", async () =>
      /^mlscaler_crds_missing 1$/m.test(await metrics(running.port)),
    );

    await kube(["rollout", "restart", watcher, "-n", system]);
    await rollOut(watcher);
    const fresh = await until("one watcher", async () => (await runningPods("watcher")).length === 1 && theWatcher());
    await until("the fresh watcher says so", async () => /^mlscaler_crds_missing 1$/m.test(await metrics(fresh.port)));
    expect(sandboxLog(fresh.log)).toContain(
      "CRD mlscalers.example.com is not installed; run: kubectl apply -R -f dist/install",
    );
    await cluster.untilEvent(
      system,
      "pepr-mlscaler-watcher",
      "Warning CRDMissing CRD mlscalers.example.com is not installed",
    );
    expect(await kube(["get", watcher, "-n", system, "-o", "jsonpath={.status.readyReplicas}"])).toBe("1");

    await kube(["apply", "-R", "-f", "dist/install"]);
    await kube(["wait", "--for=condition=Established", "crd/mlscalers.example.com"]);
    await until("the MLScaler is taken", async () => {
      await cluster.applyScaler(namespace, "web", spec);
      return true;
    });
    await cluster.untilReplicas(namespace, "web", 6);
    await until("the gauge is 0", async () => /^mlscaler_crds_missing 0$/m.test(await metrics(fresh.port)));
    expect((await theWatcher()).pid).toBe(fresh.pid);
  });
});
