import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { pass } from "../../time";
import { cluster, longForm, setting, useSetting } from "./setting";

useSetting();

beforeEach(() => {
  vi.stubEnv("MLSCALER_MAX_LOADS_PER_NAMESPACE", "1");
  setting.restart();
});

afterEach(() => {
  vi.unstubAllEnvs();
});

const create = async (name: string, replicas: number): Promise<string> => {
  cluster.deploy(name, replicas);
  const metrics = [
    { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } },
  ];
  const key = cluster.create(name, longForm(metrics, { target_deployment: name }), {
    creationTimestamp: new Date().toISOString(),
  });
  setting.controller.onListed(cluster.stored(key));
  await pass(1);
  return key;
};

it("a namespace over its quota of loads has forecasts for its oldest MLScalers, and scales with the others, too", async () => {
  cluster.load = 1.125;
  const [first, second] = [await create("web", 3), await create("api", 3)];
  for (const key of [second, first]) await setting.sync(key);
  expect(cluster.condition(first, "ForecastReady")).toMatchObject({ reason: "Learning" });
  expect(cluster.condition(second, "ForecastReady")).toMatchObject({
    status: "False",
    reason: "QuotaExceeded",
    message: expect.stringContaining("MLSCALER_MAX_LOADS_PER_NAMESPACE of the watcher is 1") as string,
  });
  expect(cluster.condition(second, "Ready")).toMatchObject({ status: "True" });
  expect(cluster.condition(second, "ScalingActive")).toMatchObject({ reason: "ValidMetricFound" });
  expect(cluster.deployments.get("api")?.replicas).toBe(5);
});

it("an MLScaler has its forecast after a sync finds that an older one is gone", async () => {
  const [first, second] = [await create("web", 3), await create("api", 3)];
  cluster.mlscalers.delete(first);
  setting.controller.doubt(first);
  await setting.sync(second);
  expect(cluster.condition(second, "ForecastReady")).toMatchObject({ reason: "QuotaExceeded" });
  await setting.sync(first);
  await setting.sync(second);
  expect(cluster.condition(second, "ForecastReady")).toMatchObject({ reason: "Learning" });
});
