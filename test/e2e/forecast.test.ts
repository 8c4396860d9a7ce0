import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startComponent, stopComponent } from "../../sandbox/api";
import * as cluster from "./cluster";
import { applyWithHistory, hpaManifest, nextRise, Rise, untilRaised } from "./foreseen";
import { sandbox } from "./sandbox";

const { kube, until } = cluster;

let namespace: string;
let loads: cluster.Load[];
let rise: Rise;

beforeAll(async () => {
  namespace = await cluster.createNamespace("forecast");
  for (const name of ["web", "late"]) await cluster.createDeployment(namespace, name, 3);
  rise = nextRise(0.3, 0.9, 60);
  loads = ["web", "late"].map(name => new cluster.Load(namespace, name, rise.low));
  for (const load of loads) await load.settled();
  await kube(["apply", "-n", namespace, "-f", "-"], JSON.stringify(hpaManifest("late", 20)));
  const forecast = { max_extra_percent: 300, quantile_percent: 95, seasonality: ["Daily"] };
  const on_metric_failure = { failure_threshold: 2, behavior: "Forecast" };
  await applyWithHistory(namespace, "web", { max_replicas: 20, forecast, on_metric_failure }, rise);
}, 180_000);

afterAll(async () => {
  await Promise.all(loads.map(load => load.stop()));
  await kube(["delete", "namespace", namespace, "--timeout=60s"]);
});

describe("an MLScaler with two weeks of history", () => {
  it("trusts its forecast at once, and raises the count before the load comes, which an HPA cannot", async () => {
    await until(
      "the forecast is trusted",
      async () => (await cluster.condition(namespace, "web", "ForecastReady")) === "True/Trusted",
      { seconds: 120, seen: async () => JSON.stringify((await cluster.scaler(namespace, "web")).status) },
    );
    const status = await untilRaised(namespace, "web", Math.max(60, (rise.at - Date.now()) / 1000), 9);
    expect(await cluster.replicas(namespace, "late")).toBe(3);
    expect(status.forecast).toMatchObject({ model: expect.any(String) as string, trusted: true });
    expect(status.forecast?.skill_percent).toBeGreaterThan(2);
    expect(await cluster.events(namespace, "web")).toContainEqual(
      expect.stringMatching(
        /^Normal SuccessfulRescale 3 → \d+: forecast [\d.]+ cores in \d+ s \(.+, 95 % below\), target 100m$/,
      ),
    );
  }, 400_000);

  it("goes by the forecast alone while no metric is known, where on_metric_failure says so", async () => {
    await stopComponent("metrics-server", sandbox);
    try {
      await until(
        "the metrics fail",
        async () => (await cluster.condition(namespace, "web", "ScalingActive"))?.startsWith("False/FailedGet"),
        { seconds: 120 },
      );
      // Fewer than the load that is foreseen needs.
      await kube(["scale", "deploy/web", "-n", namespace, "--replicas=4"]);
      await until("the count is raised", async () => (await cluster.replicas(namespace, "web")) >= 9, {
        seconds: 90,
        seen: async () => JSON.stringify((await cluster.scaler(namespace, "web")).status),
      });
      const raised =
        /SuccessfulRescale 4 → \d+: no metrics, on_metric_failure goes by the forecast alone, [\d.]+ cores/;
      await until("its event is there", async () =>
        (await cluster.events(namespace, "web")).some(event => raised.test(event)),
      );
    } finally {
      await startComponent("metrics-server", sandbox);
    }
  });
});
