import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as cluster from "./cluster";
import { nextRise, untilRaised, type Rise } from "./foreseen";
import { loadSeries, PrometheusLoad } from "./prometheus";

const { kube } = cluster;

const minute = 60_000;
/** How long the load stays at one level, and how far its leader leads. */
const level = 40 * minute;
const lead = 20 * minute;
const twoWeeks = 14 * 24 * 60 * minute;

let namespace: string;
let prometheus: PrometheusLoad;
let rise: Rise;

/** A load without rhythm: another level every 40 minutes, that of the rise among them. */
function service(at: number): number {
  const place = Math.floor((at - rise.at) / level);
  if (place === -1) return rise.low;
  if (place === 0) return rise.high;
  const large = Math.sin(place * 12.9898) * 43_758.5453;
  return rise.low + (rise.high - rise.low) * (large - Math.floor(large));
}

/** Two requests for each one that reaches the service 20 minutes later. */
const gateway = (at: number): number => 2 * service(at + lead);

const specOf = (fields: object): Record<string, unknown> => ({
  max_replicas: 20,
  sync_period_seconds: 15,
  metrics: [
    {
      type: "Prometheus",
      prometheus: {
        query: `sum(${loadSeries(namespace, "service")})`,
        target: { type: "AverageValue", averageValue: "100" },
      },
    },
  ],
  forecast: { horizon_seconds: 300, max_extra_percent: 300, ...fields },
});

beforeAll(async () => {
  namespace = await cluster.createNamespace("leading");
  prometheus = await PrometheusLoad.start();
  for (const name of ["led", "alone"]) await cluster.createDeployment(namespace, name, 3);
  rise = nextRise(300, 1100, 90);
  const now = Date.now();
  for (const [app, load] of Object.entries({ service, gateway })) {
    const series = loadSeries(namespace, app);
    await prometheus.preload(series, now - twoWeeks, now, load);
    prometheus.set(series, load);
  }
});

afterAll(async () => {
  prometheus.stop();
  await kube(["delete", "namespace", namespace, "--timeout=180s"]);
});

describe("a load without rhythm, whose leader leads by 20 minutes", () => {
  it("is met before it rises, by the model that the status names, and not without its leader", async () => {
    const leading = [{ prometheus: { query: `sum(${loadSeries(namespace, "gateway")})` } }];
    await cluster.applyScaler(namespace, "led", { target_deployment: "led", ...specOf({ leading }) });
    await cluster.applyScaler(namespace, "alone", { target_deployment: "alone", ...specOf({}) });
    const status = await untilRaised(namespace, "led", (rise.at - Date.now()) / 1000, 9);
    expect(status.forecast).toMatchObject({ model: "leading", trusted: true });
    expect(Date.now()).toBeLessThan(rise.at);
    console.log(`the count was raised ${((rise.at - Date.now()) / 1000).toFixed(0)} s before the rise`);
    expect(await cluster.replicas(namespace, "alone")).toBeLessThan(9);
  }, 700_000);
});
