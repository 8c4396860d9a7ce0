import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startComponent, stopComponent } from "../../sandbox/api";
import * as cluster from "../e2e/cluster";
import { sandbox } from "../e2e/sandbox";
import * as running from "../e2e/module";
import * as measure from "./measure";

const { kube, shortForm, until } = cluster;

const awaySeconds = 120;
/** Seconds between a fault and the checks. */
const afterwardsSeconds = 60;
/** A load of 0.55 cores at 10 replicas per core. */
const steadyCores = 0.55;
const steadyReplicas = 6;
const mostSocketGrowth = 2;
/**
 * The API server ends each watch after this time to twice this time; the default is 30 minutes to an hour. Watches
 * that
 * Pepr restarts while etcd is down may exist twice until then (docs/dev/design/watchers.md).
 */
const watchSeconds = 60;
const apiserverFlags = { "min-request-timeout": String(watchSeconds) };

let namespace: string;
let traffic: cluster.Load;

const restartApiserver = async (flags: Record<string, string>): Promise<void> => {
  await stopComponent("apiserver", sandbox);
  await startComponent("apiserver", sandbox, flags);
};

beforeAll(() => restartApiserver(apiserverFlags));
afterAll(() => restartApiserver({}));

beforeEach(async () => {
  // Losses and restarts of other tests must not count here.
  await measure.freshPods();
  namespace = await cluster.createNamespace("away");
  await cluster.createDeployment(namespace, "web", 1);
  traffic = new cluster.Load(namespace, "web", steadyCores);
  await cluster.applyScaler(namespace, "web", { target_deployment: "web", ...shortForm });
  await cluster.untilReplicas(namespace, "web", steadyReplicas);
  // The forecast from the scale-up must be over, and the sockets of the start closed.
  await until("a decision on a steady load", async () => (await decided()) === steadyReplicas || undefined);
  await measure.untilAtRest();
});

afterEach(async () => {
  await traffic.stop();
  await kube(["delete", "mls", "--all", "-n", namespace, "--timeout=60s"]);
  await kube(["delete", "namespace", namespace, "--timeout=60s"]);
});

describe(`away for ${awaySeconds} s`, () => {
  it.each(["apiserver", "etcd"] as const)(
    "%s: nothing is scaled down, nothing leaks, scaling goes on",
    async component => {
      const before = await running.theWatcher();
      const usedBefore = await measure.usage("watcher");
      let most = usedBefore;
      const lowest = { replicas: Infinity, reactive: Infinity };
      const look = async (): Promise<void> => {
        lowest.replicas = Math.min(lowest.replicas, await cluster.replicas(namespace, "web").catch(() => Infinity));
        // Stabilization hides the count for the current metrics for 300 s.
        lowest.reactive = Math.min(lowest.reactive, (await decided().catch(() => undefined)) ?? Infinity);
      };

      await stopComponent(component, sandbox, true);
      try {
        await measure.sampled(awaySeconds, 2, async () => {
          const now = await measure.usage("watcher");
          if (now.sockets > most.sockets) most = now;
        });
      } finally {
        await startComponent(component, sandbox, component === "apiserver" ? apiserverFlags : {});
      }
      const startedAt = Date.now();
      // After a long downtime of etcd the API server takes up to two minutes to reconnect, separately for each kind of
      // object and independent of /readyz.
      await until("the API server answers", theApiServerAnswers, { seconds: 240 });
      measure.figure(`${component}: the API server answers`, seconds(startedAt), "s after the start");
      const backAt = Date.now();
      await until("it syncs", () => Promise.resolve(syncedSince(before.log, backAt)), { seconds: 45 });
      measure.figure(`${component} away for ${awaySeconds} s: synced`, seconds(backAt), "s after it is back");
      await measure.sampled(afterwardsSeconds, 0.5, look);

      const askedAt = Date.now();
      const wanted = 8;
      await bounds(wanted, wanted);
      await cluster.untilReplicas(namespace, "web", wanted, 30);
      measure.figure(`${component}: a changed spec is answered`, seconds(askedAt), "s after it is applied");
      await bounds(1, 20);

      const restingAt = Date.now();
      const resting = await measure.usage("watcher");
      const usedAfter = await until(
        "its sockets are what they were",
        async () => {
          const now = await measure.usage("watcher");
          return now.sockets <= usedBefore.sockets + mostSocketGrowth && now;
        },
        { seconds: 4 * watchSeconds },
      );
      measure.figure(
        `${component}: sockets`,
        `${resting.sockets} at first, what they were ${seconds(restingAt)} s later`,
      );
      measure.figure(
        `${component}: sockets`,
        `${usedBefore.sockets} before, at most ${most.sockets}, ${usedAfter.sockets} after`,
      );
      measure.figure(
        `${component}: resident`,
        `${measure.megabytes(usedBefore.residentBytes)} MB before, ${measure.megabytes(usedAfter.residentBytes)} MB after`,
      );
      expect(lowest.replicas).toBeGreaterThanOrEqual(steadyReplicas);
      expect(lowest.reactive).toBeGreaterThanOrEqual(steadyReplicas);
      const after = await running.theWatcher();
      expect({ pid: after.pid, restarts: after.restarts }).toEqual({ pid: before.pid, restarts: before.restarts });
      expect(after.processes.map(({ pid }) => pid)).toEqual(before.processes.map(({ pid }) => pid));
    },
  );
});

/** True when the API server reads and writes the module's objects. Throws when it does not. */
async function theApiServerAnswers(): Promise<true> {
  await kube(["get", "lease", "mlscaler", "-n", running.system, "--request-timeout=5s"]);
  await kube(["annotate", "mls", "web", "-n", namespace, "--overwrite", "--request-timeout=5s", `asked=${Date.now()}`]);
  await cluster.replicas(namespace, "web");
  return true;
}

/** The count for the current load, by the last decision. */
const decided = async (): Promise<number | undefined> =>
  (await cluster.scaler(namespace, "web")).status.decision?.reactive;

const bounds = (min: number, max: number): Promise<string> =>
  kube([
    ...["patch", "mls", "web", "-n", namespace, "--type", "merge"],
    ...["-p", JSON.stringify({ spec: { min_replicas: min, max_replicas: max } })],
  ]);

const seconds = (since: number): string => ((Date.now() - since) / 1000).toFixed(1);

/** True when the MLScaler has been synced without an error since then, by the module's log. */
const syncedSince = (log: string, since: number): boolean =>
  measure
    .logLines({ log }, since)
    .some(line => line.namespace === namespace && line.name === "web" && line.level < measure.warnLevel);
