import { afterAll, beforeAll, expect, it } from "vitest";
import * as fleet from "./fleet";
import { mergePatch } from "../../capabilities/kubernetes/api";
import { loadId } from "../../capabilities/mlscaler/memory/memory";
import { metricNamed } from "../../capabilities/mlscaler/metrics/registry";
import { gridOf, storeHistory, whileNobodyActs } from "./stored-history";
import { api } from "../e2e/cluster";
import * as running from "../e2e/module";
import * as measure from "./measure";

const { figure, megabytes } = measure;

const deploymentCount = 5000;
const scalerCount = 1000;
const namespaceCount = 20;

/** DESIGN section 6. The limit of the container is 512 Mi. */
const mostResidentBytes = 400e6;
/** 64 requests at once, and those of watches and probes. */
const mostSockets = 110;
/**
 * Each adds a forecaster of 34 kB and 16 kB of history, and a large heap is collected late (docs/dev/design/stored-state.md).
 */
const mostResidentBytesWithForecasts = 500e6;
/** A delay that is noticeable at a period of 30 s. */
const mostLagSeconds = 0.5;

let namespaces: string[] = [];

beforeAll(async () => {
  await measure.freshPods();
  await measure.footprint("idle");
  namespaces = await fleet.createNamespaces("scale", namespaceCount);
});

afterAll(async () => {
  await fleet.deleteNamespaces(namespaces);
}, 900_000);

it(
  `${scalerCount} MLScalers and ${deploymentCount} Deployments: small, few sockets, on time`,
  async () => {
    const before = await running.theWatcher();
    const targets = fleet.spread(namespaces, "web", scalerCount);
    await fleet.createDeployments(targets, 1);
    await fleet.createDeployments(fleet.spread(namespaces, "idle", deploymentCount - scalerCount), 0);
    await fleet.untilAvailable(namespaces, deploymentCount, 300);
    await measure.footprint(`${deploymentCount} Deployments, no MLScaler`);
    const createdAt = Date.now();
    await fleet.createScalers(targets, { min_replicas: 1, max_replicas: 10, metric: "cpu", history_size: 5 });
    await fleet.untilCondition(namespaces, scalerCount, "Ready", "True/Synced", 300);
    figure(`${scalerCount} MLScalers created and Ready after`, Math.round((Date.now() - createdAt) / 1000), "s");
    await measure.footprint(`${scalerCount} MLScalers, all Ready`);

    // An MLScaler is synced every 10 s while it learns, then once per period of 30 s.
    const learning = await measure.observed(before.port, 60);
    await fleet.untilCondition(namespaces, scalerCount, "ForecastReady", "True/Fitted", 180);
    const steady = await measure.observed(before.port, 120);
    const samples = [...learning.samples, ...steady.samples];

    const resident = Math.max(...samples.map(({ residentBytes }) => residentBytes));
    const sockets = Math.max(...samples.map(({ sockets }) => sockets));
    await measure.footprint(`${scalerCount} MLScalers, 3 minutes later`);
    figure("most in these minutes", `${megabytes(resident)} MB resident, ${sockets} sockets`);
    measure.observation("learning", learning);
    measure.observation("steady", steady);

    expect(fleet.conditions(await fleet.scalers(namespaces), "Ready")).toEqual({ "True/Synced": scalerCount });
    expect(steady.objects).toBe(scalerCount);
    // Each is synced once per period.
    expect(steady.syncsPerSecond).toBeGreaterThan((0.9 * scalerCount) / 30);
    expect(resident).toBeLessThanOrEqual(mostResidentBytes);
    expect(sockets).toBeLessThanOrEqual(mostSockets);
    expect(steady.p95).toBeLessThanOrEqual(mostLagSeconds);
    expect((await running.theWatcher()).pid).toBe(before.pid);
  },
  20 * 60_000,
);

it(
  `the same ${scalerCount} with a forecast of four weeks each: not much larger, and on time`,
  async () => {
    const grid = gridOf(28, { low: 0.04, high: 0.08, at: Date.now() });
    await whileNobodyActs(async () => {
      await fleet.inParallel(await fleet.scalers(namespaces), async ({ metadata }) => {
        const { namespace, name } = metadata;
        await storeHistory(
          { ...metadata, target: `Deployment.apps/${name}` },
          loadId({ target_deployment: name }, metricNamed("cpu", 10)),
          grid,
        );
        const path = `/apis/example.com/v1/namespaces/${namespace}/mlscalers/${name}`;
        await api.patch(path, mergePatch, { spec: { forecast: {} } });
      });
    });
    await measure.untilItActs();
    const begunAt = Date.now();
    // The histories are read and replayed one after another.
    await fleet.untilScored(namespaces, scalerCount, 900);
    figure(`${scalerCount} histories of four weeks replayed after`, Math.round((Date.now() - begunAt) / 1000), "s");
    const { pid, port } = await running.theWatcher();
    const steady = await measure.observed(port, 300);
    const resident = Math.max(...steady.samples.map(({ residentBytes }) => residentBytes));
    await measure.footprint(`${scalerCount} MLScalers with a forecast of four weeks each`);
    figure("most in these minutes", `${megabytes(resident)} MB resident`);
    measure.observation("steady, with forecasts", steady);

    expect(steady.syncsPerSecond).toBeGreaterThan((0.9 * scalerCount) / 30);
    expect(resident).toBeLessThanOrEqual(mostResidentBytesWithForecasts);
    expect(steady.p95).toBeLessThanOrEqual(mostLagSeconds);
    expect((await running.theWatcher()).pid).toBe(pid);
  },
  40 * 60_000,
);
