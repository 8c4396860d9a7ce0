import { afterAll, beforeAll, expect, it } from "vitest";
import * as fleet from "./fleet";
import * as measure from "./measure";

const { figure, megabytes } = measure;

const deploymentCount = 5000;
const scalerCount = 1000;
const namespaceCount = 20;

/** DESIGN section 6; the container's limit is 512 Mi. */
const mostResidentBytes = 400e6;
const mostSockets = 60;
/** No bucket of the histogram lies between 0.1 s and 0.5 s; a sync every 30 s that is half a second late is on time. */
const mostLagSeconds = 0.5;

let namespaces: string[] = [];

beforeAll(async () => {
  await measure.freshWatcher();
  await measure.footprint("idle");
  namespaces = await fleet.createNamespaces("scale", namespaceCount);
});

afterAll(async () => {
  await fleet.deleteNamespaces(namespaces);
}, 900_000);

it(
  `${scalerCount} MLScalers and ${deploymentCount} Deployments: small, few sockets, on time`,
  async () => {
    const before = await measure.theWatcher();
    const targets = fleet.spread(namespaces, "web", scalerCount);
    await fleet.createDeployments(targets, 1);
    await fleet.createDeployments(fleet.spread(namespaces, "idle", deploymentCount - scalerCount), 0);
    await fleet.untilPods(namespaces, scalerCount, 300);
    await measure.footprint(`${deploymentCount} Deployments, no MLScaler`);
    const createdAt = Date.now();
    await fleet.createScalers(targets, { min_replicas: 1, max_replicas: 10, metric: "cpu", history_size: 5 });
    await fleet.untilReady(namespaces, scalerCount, 300);
    figure(`${scalerCount} MLScalers created and Ready after`, Math.round((Date.now() - createdAt) / 1000), "s");
    await measure.footprint(`${scalerCount} MLScalers, all Ready`);

    // While each learns it is synced every 10 s; then the period's own pace is what is measured.
    const samples = await measure.sampled(120, 10, () => measure.usage("watcher"));
    const [metricsBefore, requestsBefore, usedBefore, since] = [
      await measure.metrics(before.port),
      await measure.moduleRequests(),
      await measure.usage("watcher"),
      Date.now(),
    ];
    samples.push(...(await measure.sampled(60, 10, () => measure.usage("watcher"))));
    const seconds = (Date.now() - since) / 1000;
    const metricsAfter = await measure.metrics(before.port);
    const requests = (await measure.moduleRequests()) - requestsBefore;
    const used = await measure.usage("watcher");

    const resident = Math.max(...samples.map(({ residentBytes }) => residentBytes));
    const sockets = Math.max(...samples.map(({ sockets }) => sockets));
    const [p50, p95, p99] = [0.5, 0.95, 0.99].map(share =>
      measure.quantile(metricsBefore, metricsAfter, "mlscaler_sync_lag_seconds", share),
    );
    const syncs = count(metricsAfter) - count(metricsBefore);
    await measure.footprint(`${scalerCount} MLScalers, 3 minutes later`);
    figure("most in these minutes", `${megabytes(resident)} MB resident, ${sockets} sockets`);
    figure("CPU", `${((100 * (used.cpuSeconds - usedBefore.cpuSeconds)) / seconds).toFixed(1)} % of one core`);
    figure("API requests", `${(requests / seconds).toFixed(1)} per second, ${(syncs / seconds).toFixed(1)} syncs`);
    figure("sync lag at most", `p50 ${p50} s, p95 ${p95} s, p99 ${p99} s`);

    expect(fleet.readiness(await fleet.scalers(namespaces))).toEqual({ "True/Synced": scalerCount });
    expect(measure.value(metricsAfter, "mlscaler_objects")).toBe(scalerCount);
    // Each of them once in its period.
    expect(syncs / seconds).toBeGreaterThan((0.9 * scalerCount) / 30);
    expect(resident).toBeLessThanOrEqual(mostResidentBytes);
    expect(sockets).toBeLessThanOrEqual(mostSockets);
    expect(p95).toBeLessThanOrEqual(mostLagSeconds);
    expect((await measure.theWatcher()).pid).toBe(before.pid);
  },
  20 * 60_000,
);

const count = (text: string): number =>
  measure.series(text, "mlscaler_sync_lag_seconds_count").reduce((total, { value }) => total + value, 0);
