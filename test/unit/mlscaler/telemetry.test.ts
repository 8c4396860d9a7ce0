import { expect, it } from "vitest";
import { registry } from "../../../capabilities/common/telemetry";
import { specSchema } from "../../../capabilities/mlscaler/schema";
import { Report } from "../../../capabilities/mlscaler/status";
import { forget, observe } from "../../../capabilities/mlscaler/telemetry";
import { start } from "../time";

const report: Report = {
  now: start,
  generation: 1,
  spec: specSchema.parse({ target_deployment: "web", max_replicas: 10, metric: "cpu", history_size: 5 }),
  current: 4,
  load: 0.5,
  forecast: { model: "linear", load: 0.6, samples: 5, wanted: 5 },
  decision: {
    reactive: 5,
    predictive: 6,
    final: 6,
    basis: "Forecast",
    ableToScale: "ReadyForNewScale",
    scalingLimited: "DesiredWithinRange",
    paused: false,
  },
  scaled: true,
  failures: [{ type: "AbleToScale", status: "False", reason: "FailedUpdateScale", message: "no" }],
};

const ofWeb = async (): Promise<string[]> =>
  (await registry.metrics()).split("\n").filter(line => line.includes('name="web"'));

it("shows what a sync found, takes away what the next did not, and all of it when the MLScaler is gone", async () => {
  observe("shop", "web", report);
  expect((await ofWeb()).sort()).toEqual([
    'mlscaler_failures_total{namespace="shop",name="web",reason="FailedUpdateScale"} 1',
    'mlscaler_forecast{namespace="shop",name="web"} 0.6',
    'mlscaler_load{namespace="shop",name="web"} 0.5',
    'mlscaler_replicas{namespace="shop",name="web",stage="current"} 4',
    'mlscaler_replicas{namespace="shop",name="web",stage="final"} 6',
    'mlscaler_replicas{namespace="shop",name="web",stage="predictive"} 6',
    'mlscaler_replicas{namespace="shop",name="web",stage="reactive"} 5',
  ]);
  observe("shop", "other", report);
  observe("shop", "web", { ...report, load: undefined, forecast: undefined, decision: undefined, failures: [] });
  expect(await ofWeb()).toHaveLength(2);
  forget("shop", "web");
  await Promise.resolve();
  await new Promise(resolve => setImmediate(resolve));
  expect(await ofWeb()).toEqual([]);
  expect(await registry.metrics()).toContain('name="other"');
});
