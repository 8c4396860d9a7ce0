import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import type { Status } from "../../../capabilities/mlscaler/schema";
import * as cluster from "../cluster";
import { dayMilliseconds, loadAt, nextRise, untilRaised, type Rise } from "../foreseen";
import { Page } from "../page";
import { loadSeries, PrometheusLoad } from "../prometheus";

const twoWeeks = 14 * dayMilliseconds;
const minute = 60_000;

/** How long the load without rhythm stays at one level, and how far its leader leads. */
const level = 40 * minute;
const lead = 20 * minute;

let namespace: string;
let prometheus: PrometheusLoad;
let rise: Rise;

/** A spec that scales `name` by the load of app `app`, 100 for each replica. */
const specOf = (name: string, app: string, forecast: object): object => ({
  ...{ target_deployment: name, max_replicas: 20, sync_period_seconds: 5 },
  metrics: [
    {
      type: "Prometheus",
      prometheus: {
        query: `sum(${loadSeries(namespace, app)})`,
        target: { type: "AverageValue", averageValue: "100" },
      },
    },
  ],
  forecast: { max_extra_percent: 300, quantile_percent: 95, ...forecast },
});

/** Gives Prometheus two weeks of a load, and from now on `live`. */
async function record(app: string, past: (at: number) => number, live: (at: number) => number): Promise<void> {
  const series = loadSeries(namespace, app);
  const now = Date.now();
  await prometheus.preload(series, now - twoWeeks, now, past);
  prometheus.set(series, live);
}

/** A load without rhythm: another level every 40 minutes, that of the rise among them. */
function erratic(at: number): number {
  const place = Math.floor((at - rise.at) / level);
  if (place === -1) return rise.low;
  if (place === 0) return rise.high;
  const large = Math.sin(place * 12.9898) * 43_758.5453;
  return rise.low + (rise.high - rise.low) * (large - Math.floor(large));
}

beforeAll(async () => {
  namespace = await cluster.createNamespace("forecast");
  prometheus = await PrometheusLoad.start();
  rise = nextRise(300, 1100);
  for (const name of ["daily", "led"]) await cluster.createDeployment(namespace, name, 3);
});

afterAll(async () => {
  prometheus.stop();
  await cluster.leaveNamespace(namespace);
});

// The load stays low: whenever the count rises, the load has not.

it("a daily rise in two weeks of Prometheus is trusted at once, and raises the count before the load comes", async () => {
  const page = new Page("docs/how-to/migrate-from-hpa.md");
  onTestFinished(() => page.close());
  await page.open(namespace);
  await record(
    "daily",
    at => loadAt(at, rise),
    at => loadAt(at, { ...rise, high: rise.low }),
  );
  // In 30 minutes it is 20 to 25 minutes after the rise.
  const spec = specOf("daily", "daily", { horizon_seconds: 1800 });
  const manifest = JSON.stringify(cluster.scalerManifest("daily", spec));
  await cluster.untilTold(namespace, manifest, /^Warning: backtest 24h: under-provisioned /m);
  await cluster.applyScaler(namespace, "daily", { ...spec, mode: "Observe" });
  await cluster.untilCondition(namespace, "daily", "ForecastReady", "True/Trusted");
  // The page waits a day for that.
  const before = await page.follow("Compare", 1, "daily");
  expect(before).toMatch(/^mlscaler.example.com\/daily condition met$/m);
  expect(before).toMatch(/^daily +Deployment\/daily .* Trusted +True /m);
  expect(before).toMatch(/^{"hpa/m);
  expect(await cluster.replicas(namespace, "daily")).toBe(3);

  await cluster.patchScaler(namespace, "daily", { mode: "Active" });
  const status: Status = await untilRaised(namespace, "daily", 9);
  expect(status.forecast).toMatchObject({ trusted: true });
  expect(status.forecast?.skill_percent).toBeGreaterThan(2);
  const raised = / 3 → \d+: forecast p95 [\d.]+ .* in \d+ s \(model .+\), target 100/;
  await cluster.untilEvent(namespace, "daily", raised);
  expect(await page.follow("Switch by hand", 1, "daily")).toMatch(
    / SuccessfulRescale .* 3 → \d+: forecast p95 [\d.]+ /m,
  );
});

// Unit tests hold that it is not foreseen without the leader (unit/mlscaler/forecast/leading.test.ts).
it("a load without rhythm is foreseen by its leader, by the model that the status names", async () => {
  await record("erratic", erratic, () => rise.low);
  // Two requests for each one that arrives 20 minutes later.
  const gateway = (at: number): number => 2 * erratic(at + lead);
  await record("gateway", gateway, gateway);
  const leading = [{ prometheus: { query: `sum(${loadSeries(namespace, "gateway")})` } }];
  await cluster.applyScaler(namespace, "led", specOf("led", "erratic", { horizon_seconds: 900, leading }));
  const status = await untilRaised(namespace, "led", 9);
  expect(status.forecast).toMatchObject({ model: "leading", trusted: true });
});
