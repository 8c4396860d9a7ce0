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
  bounds: { min: 1, max: 10, active: [] },
  current: 4,
  asked: {
    failures: [{ type: "ScalingActive", status: "False", reason: "FailedGetPodsMetric", message: "none" }],
    what: "load 0.50 cores",
    measure: "10 replicas per core",
    load: 0.5,
    forecast: {
      ...{ model: "lags", load: 0.6, upper: 0.7, samples: 288, wanted: 288, horizonSeconds: 90, trusted: true },
      ...{ skill: 0.25, coverage: 0.9 },
    },
  },
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

const ofMeasured = async (): Promise<string[]> =>
  (await registry.metrics()).split("\n").filter(line => line.includes('name="measured"'));

it("shows what a sync found, takes away what the next did not, and all of it when the MLScaler is gone", async () => {
  observe("shop", "measured", report);
  expect((await ofMeasured()).sort()).toEqual([
    'mlscaler_coverage_ratio{namespace="shop",name="measured"} 0.9',
    'mlscaler_failures_total{namespace="shop",name="measured",reason="FailedGetPodsMetric"} 1',
    'mlscaler_failures_total{namespace="shop",name="measured",reason="FailedUpdateScale"} 1',
    'mlscaler_forecast_trusted{namespace="shop",name="measured"} 1',
    'mlscaler_forecast_upper{namespace="shop",name="measured"} 0.7',
    'mlscaler_forecast{namespace="shop",name="measured"} 0.6',
    'mlscaler_load{namespace="shop",name="measured"} 0.5',
    'mlscaler_replicas{namespace="shop",name="measured",stage="current"} 4',
    'mlscaler_replicas{namespace="shop",name="measured",stage="final"} 6',
    'mlscaler_replicas{namespace="shop",name="measured",stage="predictive"} 6',
    'mlscaler_replicas{namespace="shop",name="measured",stage="reactive"} 5',
    'mlscaler_skill_ratio{namespace="shop",name="measured"} 0.25',
  ]);
  const { asked } = report;
  const learning = { model: "auto", samples: 5, wanted: 288, horizonSeconds: 90, trusted: false };
  observe("shop", "measured", { ...report, asked: asked && { ...asked, forecast: learning }, failures: [] });
  const ofForecast = (await ofMeasured()).filter(line => /forecast|skill|coverage/.test(line));
  expect(ofForecast).toEqual(['mlscaler_forecast_trusted{namespace="shop",name="measured"} 0']);
  observe("shop", "other", report);
  observe("shop", "measured", { ...report, asked: undefined, decision: undefined, failures: [] });
  expect(await ofMeasured()).toHaveLength(3);
  forget("shop", "measured");
  await Promise.resolve();
  await new Promise(resolve => setImmediate(resolve));
  expect(await ofMeasured()).toEqual([]);
  expect(await registry.metrics()).toContain('name="other"');
});
