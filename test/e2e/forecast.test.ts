import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as cluster from "./cluster";
import { applyWithHistory, hpaManifest, nextRise, Rise, untilRaised } from "./foreseen";

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
  await applyWithHistory(namespace, "web", { max_replicas: 20, forecast: { max_extra_percent: 300 } }, rise);
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
    const status = await untilRaised(namespace, "web", Math.max(60, (rise.at - Date.now()) / 1000));
    expect(await cluster.replicas(namespace, "late")).toBe(3);
    expect(status.decision?.predictive).toBeGreaterThanOrEqual(9);
    expect(status.decision?.reactive).toBe(3);
    expect(status.forecast).toMatchObject({ model: expect.any(String) as string, trusted: true });
    expect(status.forecast?.skill_percent).toBeGreaterThan(2);
    expect(await cluster.events(namespace, "web")).toContainEqual(
      expect.stringMatching(
        /^Normal SuccessfulRescale 3 → \d+: forecast [\d.]+ cores in \d+ s \(.+, 90 % below\), target 100m$/,
      ),
    );
  }, 400_000);
});
