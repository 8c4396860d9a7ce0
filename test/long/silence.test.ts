import { afterAll, beforeAll, expect, it } from "vitest";
import { status } from "../../sandbox/api";
import { kube } from "../e2e/cluster";
import { sandbox } from "../e2e/sandbox";
import { total } from "../prometheus";
import * as fleet from "./fleet";
import * as measure from "./measure";

const scalerCount = 30;
const silentSeconds = 600;

/** Writes of Events for each MLScaler: a burst of 25, and one in 5 minutes. */
const mostEvents = 25 + silentSeconds / 300;

/** Writes of the status of each MLScaler: the failure and the return, and one each where the load has changed. */
const mostStatuses = 4;

let namespaces: string[] = [];

/** Sends a signal to the metrics-server of the sandbox. */
async function signal(name: "SIGSTOP" | "SIGCONT"): Promise<void> {
  const { components = [] } = await status(sandbox);
  const pid = components.find(component => component.name === "metrics-server")?.pid;
  if (pid === undefined) throw new Error("metrics-server does not run");
  process.kill(pid, name);
}

/** The writes that the API server answered. Verb APPLY is server-side apply. */
async function writes(labels: Record<string, string>): Promise<number> {
  const text = await kube(["get", "--raw", "/metrics"]);
  const counts = ["POST", "PATCH", "PUT", "APPLY"].map(verb =>
    total(text, "apiserver_request_total", { ...labels, verb }),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

const eventWrites = (): Promise<number> => writes({ resource: "events" });

const statusWrites = (): Promise<number> => writes({ resource: "mlscalers", subresource: "status" });

beforeAll(async () => {
  await measure.freshPods();
  namespaces = await fleet.createNamespaces("silence", 3);
  const targets = fleet.spread(namespaces, "web", scalerCount);
  await fleet.createDeployments(targets, 2);
  await fleet.untilAvailable(namespaces, scalerCount, 120);
  await fleet.createScalers(targets, {
    ...{ min_replicas: 1, max_replicas: 10, metric: "cpu", history_size: 5, sync_period_seconds: 15 },
  });
  await fleet.untilCondition(namespaces, scalerCount, "Ready", "True/Synced", 180);
});

afterAll(async () => {
  await signal("SIGCONT");
  await fleet.deleteNamespaces(namespaces);
}, 600_000);

it(
  `a metrics-server that is silent for ${silentSeconds / 60} minutes causes few Events`,
  async () => {
    const before = await eventWrites();
    const statusBefore = await statusWrites();
    await signal("SIGSTOP");
    try {
      await fleet.untilCondition(namespaces, scalerCount, "Ready", "False/FailedGetResourceMetric", 180);
      await measure.pause(silentSeconds);
      expect(fleet.conditions(await fleet.scalers(namespaces), "Ready")).toEqual({
        "False/FailedGetResourceMetric": scalerCount,
      });
    } finally {
      await signal("SIGCONT");
    }
    const events = (await eventWrites()) - before;
    const written = (await statusWrites()) - statusBefore;
    measure.figure(
      `metrics-server silent for ${silentSeconds} s, ${scalerCount} MLScalers`,
      `${events} writes of Events`,
    );
    measure.figure(
      `metrics-server silent for ${silentSeconds} s, ${scalerCount} MLScalers`,
      `${written} writes of status`,
    );
    expect(events).toBeLessThanOrEqual(scalerCount * mostEvents);
    expect(written).toBeGreaterThanOrEqual(scalerCount);
    expect(written).toBeLessThanOrEqual(scalerCount * mostStatuses);
    await fleet.untilCondition(namespaces, scalerCount, "Ready", "True/Synced", 180);
  },
  25 * 60_000,
);
