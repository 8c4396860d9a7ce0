import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { parseQuantity } from "../../capabilities/kubernetes/quantity";
import { listPods } from "../../capabilities/mlscaler/metrics/pod-watch";
import { isLive } from "../../capabilities/mlscaler/metrics/reading";
import { Status } from "../../capabilities/mlscaler/schema";
import { startComponent, stopComponent } from "../../sandbox/api";
import * as cluster from "./cluster";
import { applyWithHistory, hpaManifest, loadAt, nextRise, Rise, untilRaised } from "./foreseen";
import { metrics as metricsOf, system, theWatcher, untilAnotherActs } from "./module";
import { Page } from "./page";
import { loadSeries, PrometheusLoad } from "./prometheus";
import { sandbox } from "./sandbox";

const { api, kube, until } = cluster;

/** Seconds from the creation of a pod until it is Ready. */
const startUpSeconds = 40;
const wanted = 9;
const sides = ["web", "late"];

/** All of them have the same Deployment: one scales it, two only observe. */
const extra = { max_extra_percent: 300 };
const scalers = {
  web: {
    forecast: { ...extra, quantile_percent: 95, seasonality: ["Daily"] },
    on_metric_failure: { failure_threshold: 2, behavior: "Forecast" },
  },
  lower: { mode: "Observe", forecast: { ...extra, quantile_percent: 60, seasonality: ["Daily"] } },
  seasonless: { mode: "Observe", forecast: { ...extra, seasonality: [] } },
};

const twoWeeksMilliseconds = 14 * 86_400_000;

let namespace: string;
let loads: cluster.Load[];
let prometheus: PrometheusLoad;
let rise: Rise;
/** The result for the load in Prometheus, which waits for the same rise as the other tests. */
let foreseen: Promise<Foreseen>;

const readyPods = async (name: string): Promise<number> =>
  (await listPods(api, namespace, `app=${name}`)).filter(pod => isLive(pod) && pod.ready?.status).length;

/** The result of an MLScaler with weeks of history in Prometheus. */
interface Foreseen {
  /** Seconds from its creation until its forecast was trusted. */
  seconds: number;
  status: Status;
}

/** MLScalers of the load in Prometheus. One has the default window for scaling down, the other none. */
const known = {
  known: {},
  windowless: { behavior: { scaleDown: { stabilizationWindowSeconds: 0 } } },
};

/** Waits until an MLScaler trusts its forecast. Returns the first such status. */
const untilTrusted = (name: string): Promise<Status> =>
  until(
    `the forecast of ${name} is trusted`,
    async () => {
      const { status } = await cluster.scaler(namespace, name);
      const found = status.conditions?.find(({ type }) => type === "ForecastReady");
      return found?.reason === "Trusted" && found.status === "True" && status;
    },
    { seconds: 120, seen: async () => JSON.stringify((await cluster.scaler(namespace, name)).status) },
  );

/**
 * Tests an MLScaler with two weeks of history in Prometheus and the same rise: its backtest, its trust, its scale-up.
 */
async function foreseeKnown(): Promise<Foreseen> {
  const query = `sum(${loadSeries(namespace, "known")})`;
  const target = { type: "AverageValue", averageValue: "100" };
  const spec = {
    target_deployment: "known",
    max_replicas: 20,
    sync_period_seconds: 15,
    metrics: [{ type: "Prometheus", prometheus: { query, target } }],
  };
  const dryRun = ["apply", "-n", namespace, "-f", "-", "--dry-run=server"];
  const manifest = JSON.stringify(cluster.scalerManifest("known", { ...spec, forecast: {} }));
  // A backtest that exceeds the timeout of a response is in a later response.
  await until("a backtest by what Prometheus knows is told of a new MLScaler", async () =>
    /^Warning: backtest 24h: under-provisioned /m.test((await cluster.kubectl(dryRun, manifest)).stderr),
  );
  // The module has just restarted.
  await untilTrusted("web");
  const applied = Date.now();
  // The forecast looks one slot ahead, so the test need not wait for the slot before the rise.
  const forecast = { ...extra, horizon_seconds: 300, quantile_percent: 95 };
  for (const [name, fields] of Object.entries(known))
    await cluster.applyScaler(namespace, name, { ...spec, target_deployment: name, forecast, ...fields });
  const status = await untilTrusted("known");
  const trusted = status.conditions?.find(({ type }) => type === "ForecastReady")?.lastTransitionTime ?? "";
  // The forecast of a step is slightly too low: 9 of the 11 replicas for the load are there before the step.
  for (const name of Object.keys(known)) await untilRaised(namespace, name, (rise.at - Date.now()) / 1000, 9);
  return { seconds: Math.round((Date.parse(trusted) - applied) / 1000), status };
}

/** Writes two weeks of history with the rise to Prometheus and continues the load. */
async function tellPrometheus(): Promise<void> {
  const series = loadSeries(namespace, "known");
  const load = (at: number): number => loadAt(at, { ...rise, low: 300, high: 1100 });
  const now = Date.now();
  await prometheus.preload(series, now - twoWeeksMilliseconds, now, load);
  prometheus.set(series, load);
}

beforeAll(async () => {
  namespace = await cluster.createNamespace("forecast");
  prometheus = await PrometheusLoad.start();
  for (const name of Object.keys(known)) await cluster.createDeployment(namespace, name, 3);
  const annotations = { "pod-ready.stage.kwok.x-k8s.io/delay": `${startUpSeconds}s` };
  for (const name of sides) {
    const manifest = cluster.deploymentManifest(name, 3) as { spec: { template: { metadata: object } } };
    Object.assign(manifest.spec.template.metadata, { annotations });
    await kube(["apply", "-n", namespace, "-f", "-"], JSON.stringify(manifest));
  }
  for (const name of sides) await kube(["rollout", "status", "deployment", name, "-n", namespace, "--timeout=300s"]);
  loads = sides.map(name => new cluster.Load(namespace, name, 0.3));
  for (const load of loads) await load.settled();
  await kube(["apply", "-n", namespace, "-f", "-"], JSON.stringify(hpaManifest("late", 20)));
  // The time for a restart of the module and the start of pods.
  rise = nextRise(0.3, 0.9, 180);
  const specs = Object.entries(scalers).map(([name, fields]) => ({ name, fields: { max_replicas: 20, ...fields } }));
  await tellPrometheus();
  await applyWithHistory(namespace, "web", specs, rise);
  foreseen = foreseeKnown();
  // The test that awaits this promise reports its failure.
  foreseen.catch(() => undefined);
});

afterAll(async () => {
  prometheus.stop();
  await Promise.all(loads.map(load => load.stop()));
  await kube(["delete", "namespace", namespace, "--timeout=180s"]);
});

describe(`MLScalers with two weeks of a daily rise from 3 to ${wanted} replicas, of pods that take ${startUpSeconds} s to start`, () => {
  it("trust the forecast at once, and raise the count before the load comes", async () => {
    await untilTrusted("web");
    const status = await untilRaised(namespace, "web", (rise.at - Date.now()) / 1000, wanted);
    expect(status.forecast).toMatchObject({ model: expect.any(String) as string, trusted: true });
    expect(status.forecast?.skill_percent).toBeGreaterThan(2);
    await cluster.untilEvent(
      namespace,
      "web",
      /^Normal SuccessfulRescale 3 → \d+: forecast [\d.]+ cores in \d+ s \(.+, 95 % below\), target 100m$/,
    );
    // The rise is up to eight minutes away.
  }, 700_000);

  it("go by quantile_percent, and by no season that seasonality leaves out", async () => {
    const forecasts = async (): Promise<{ load: number; upper: number }[] | false> => {
      const all = await Promise.all(Object.keys(scalers).map(name => cluster.scaler(namespace, name)));
      const known = all.flatMap(({ status: { forecast } }) => forecast ?? []);
      const sameSlot = new Set(known.map(({ at }) => Math.floor(Date.parse(at ?? "") / 300_000))).size === 1;
      if (known.length < all.length || !sameSlot) return false;
      return known.map(({ load, upper }) => ({
        load: parseQuantity(load ?? "") ?? NaN,
        upper: parseQuantity(upper ?? "") ?? NaN,
      }));
    };
    const seen = (): Promise<string> => kube(["get", "mls", "-n", namespace, "-o", "jsonpath={.items[*].status}"]);
    const [web, lower, seasonless] = await until("all forecasts are of one time", forecasts, { seconds: 60, seen });
    console.log(`forecasts of the rise: ${JSON.stringify({ web, lower, seasonless })}`);
    expect(lower?.load).toBeCloseTo(web?.load ?? NaN, 1);
    expect(lower?.upper).toBeLessThan(web?.upper ?? NaN);
    expect(seasonless?.load).toBeLessThan((rise.low + rise.high) / 2);
    expect(web?.load).toBeGreaterThan((rise.low + rise.high) / 2);
  });

  it("show it by the commands of the migration page, before the switch and after it", async () => {
    const page = new Page("docs/how-to/migrate-from-hpa.md");
    onTestFinished(() => page.close());
    await page.open(namespace);
    // The page waits a day for the forecast.
    const before = await page.follow("2.", 1, "lower");
    expect(before).toMatch(/^mlscaler.example.com\/lower condition met$/m);
    expect(before).toMatch(/^lower +Deployment\/web .* Trusted +True /m);
    expect(before).toMatch(/^{"hpa/m);
    // Until the new pods have samples, the metric keeps the count by its tolerance.
    await until(
      "the forecast decides",
      async () => (await cluster.scaler(namespace, "web")).status.decision?.reason?.includes("forecast"),
      { seconds: 120, seen: async () => JSON.stringify((await cluster.scaler(namespace, "web")).status) },
    );
    const after = await page.follow("3.", 1);
    expect(after).toMatch(/^web .* \d+: .*forecast [\d.]+ cores in \d+ s/m);
    expect(after).toMatch(/ SuccessfulRescale .* 3 → \d+: forecast [\d.]+ cores in \d+ s/m);
  });

  it("keep the replicas of trusted forecasts when another watcher takes over, which replays them", async () => {
    await foreseen;
    const names = ["web", ...Object.keys(known)];
    const counts = (): Promise<number[]> => Promise.all(names.map(name => cluster.replicas(namespace, name)));
    const raised = await counts();
    const before = await theWatcher();
    await kube(["delete", "pod", before.name, "-n", system, "--wait=false"]);
    await untilAnotherActs(before.name);
    const trusted = names.map(name => `mlscaler_forecast_trusted{namespace="${namespace}",name="${name}"} 1`);
    await until("the other watcher trusts its forecasts", async () => {
      const lines = (await metricsOf((await theWatcher()).port)).split("\n");
      return trusted.every(line => lines.includes(line));
    });
    console.log(`forecasts were replayed ${((rise.at - Date.now()) / 1000).toFixed(0)} s before the rise`);
    for (const [place, count] of (await counts()).entries()) expect(count).toBeGreaterThanOrEqual(raised[place] ?? NaN);
    const falls = async (name: string): Promise<string[]> =>
      (await cluster.events(namespace, name)).filter(event => {
        const [, from, to] = /^Normal SuccessfulRescale (\d+) → (\d+):/.exec(event) ?? [];
        return Number(to) < Number(from);
      });
    for (const name of names) expect(await falls(name)).toEqual([]);
  }, 400_000);

  it("have the replicas Ready when the load comes, those of an HPA are late", async () => {
    await delay(Math.max(0, rise.at - Date.now()));
    const atRise = { web: await readyPods("web"), late: await readyPods("late") };
    for (const load of loads) load.cores = rise.high;
    expect(atRise.web).toBeGreaterThanOrEqual(wanted);
    expect(atRise.late).toBe(3);
    await until(`the HPA has ${wanted} Ready`, async () => (await readyPods("late")) >= wanted, { seconds: 300 });
    const lateSeconds = (Date.now() - rise.at) / 1000;
    console.log(`MLScaler: ${atRise.web} Ready at the rise; HPA: ${wanted} Ready ${lateSeconds.toFixed(0)} s after it`);
    expect(lateSeconds).toBeGreaterThan(startUpSeconds);
    expect(await readyPods("web")).toBeGreaterThanOrEqual(wanted);
  }, 700_000);

  it("go by the forecast alone while no metric is known, where on_metric_failure says so", async () => {
    await stopComponent("metrics-server", sandbox);
    try {
      await until(
        "the metrics fail",
        async () => (await cluster.condition(namespace, "web", "ScalingActive"))?.startsWith("False/FailedGet"),
        { seconds: 120 },
      );
      // Fewer than the forecast load needs.
      await kube(["scale", "deploy/web", "-n", namespace, "--replicas=4"]);
      await until("the count is raised", async () => (await cluster.replicas(namespace, "web")) >= wanted, {
        seconds: 90,
        seen: async () => JSON.stringify((await cluster.scaler(namespace, "web")).status),
      });
      const raised =
        /SuccessfulRescale 4 → \d+: no metrics, on_metric_failure goes by the forecast alone, [\d.]+ cores/;
      await cluster.untilEvent(namespace, "web", raised);
    } finally {
      await startComponent("metrics-server", sandbox);
    }
  });
});

describe("an MLScaler of a load that Prometheus has known for two weeks", () => {
  it("trusts its forecast as soon as it has read them, and raises the count before the load comes", async () => {
    const { seconds, status } = await foreseen;
    console.log(`the forecast was trusted ${seconds} s after the MLScaler was applied`);
    expect(seconds).toBeLessThan(60);
    expect(status.forecast).toMatchObject({ trusted: true, samples: 288 });
  });
});
