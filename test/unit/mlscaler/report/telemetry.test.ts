import { afterEach, expect, it } from "vitest";
import { objectRegistry } from "../../../../capabilities/operator/telemetry";
import { specSchema } from "../../../../capabilities/mlscaler/schema";
import { Decision } from "../../../../capabilities/mlscaler/scaling/decide";
import { Report } from "../../../../capabilities/mlscaler/report/report";
import { ObjectSeries, stableSeries } from "../../../../capabilities/mlscaler/report/telemetry";
import { start } from "../../time";

const series = new ObjectSeries();

const forecast = {
  ...{
    model: "lags",
    load: 0.6,
    upper: 0.7,
    percent: 80,
    samples: 288,
    wanted: 288,
    horizonSeconds: 90,
    trusted: true,
  },
  ...{ skill: 0.25, coverage: 0.9 },
};
const cpu = { metric: "cpu", unit: "cores" };

const proposal = {
  counted: { results: [], combined: { errors: [] } },
  failures: [{ type: "ScalingActive", status: "False" as const, reason: "FailedGetPodsMetric", message: "none" }],
  what: "load 0.50 cores",
  measure: "10 replicas per core",
  load: 0.5,
  ...{ forecast, aheadOf: cpu },
};

const decision: Decision = {
  reactive: 5,
  predictive: 6,
  final: 6,
  basis: "Forecast",
  ableToScale: "ReadyForNewScale",
  scalingLimited: "DesiredWithinRange",
  paused: false,
};

const report: Report = {
  now: start,
  generation: 1,
  spec: specSchema.parse({
    target_deployment: "web",
    max_replicas: 10,
    metric: "cpu",
    history_size: 5,
    forecast: { quantile_percent: 80 },
  }),
  bounds: { min: 2, max: 20, minOf: "day", maxOf: "day", active: ["day"] },
  current: 4,
  proposal,
  decision,
  planned: { asked: 6, replicas: 7 },
  comparison: { hpaReplicas: 5, replicaHoursSaved: 0, underprovisionedSeconds: 0, underprovisionedSecondsOfHpa: 0 },
  scaled: true,
  failures: [{ type: "AbleToScale", status: "False", reason: "words of its own", message: "no" }],
};

/** The series of `measured`, without the labels that all have. */
const ofMeasured = async (): Promise<string[]> =>
  (await objectRegistry.metrics())
    .split("\n")
    .filter(line => line.includes('name="measured"'))
    .map(line => line.replace(/namespace="shop",name="measured",?/, "").replace("{}", ""))
    .sort();

afterEach(() => ["measured", "other"].forEach(name => series.forget("shop", name)));

it("shows what a sync found, takes away what the next did not, and all of it when the MLScaler is gone", async () => {
  series.observe("shop", "measured", report);
  expect(await ofMeasured()).toEqual([
    "mlscaler_coverage_ratio 0.9",
    'mlscaler_decision{basis="Forecast"} 1',
    "mlscaler_demotions_total 0",
    'mlscaler_failures_total{reason="FailedGetPodsMetric"} 1',
    'mlscaler_failures_total{reason="Other"} 1',
    'mlscaler_forecast_load{metric="cpu",unit="cores",quantile="0.5"} 0.6',
    'mlscaler_forecast_load{metric="cpu",unit="cores",quantile="0.8"} 0.7',
    "mlscaler_forecast_trusted 1",
    "mlscaler_load 0.5",
    "mlscaler_planned_replicas 7",
    "mlscaler_quantile_ratio 0.8",
    "mlscaler_ready 0",
    'mlscaler_replicas{stage="current"} 4',
    'mlscaler_replicas{stage="final"} 6',
    'mlscaler_replicas{stage="hpa"} 5',
    'mlscaler_replicas{stage="max"} 20',
    'mlscaler_replicas{stage="min"} 2',
    'mlscaler_replicas{stage="predictive"} 6',
    'mlscaler_replicas{stage="reactive"} 5',
    'mlscaler_rescales_total{direction="down"} 0',
    'mlscaler_rescales_total{direction="up"} 1',
    "mlscaler_skill_ratio 0.25",
  ]);
  const learning = { model: "auto", samples: 5, wanted: 288, horizonSeconds: 90, trusted: false };
  series.observe("shop", "measured", {
    ...report,
    proposal: { ...proposal, failures: [], forecast: learning },
    failures: [],
  });
  const ofForecast = (await ofMeasured()).filter(line => /ready|forecast|skill|coverage|quantile/.test(line));
  expect(ofForecast).toEqual(["mlscaler_forecast_trusted 0", "mlscaler_quantile_ratio 0.8", "mlscaler_ready 1"]);
  series.observe("shop", "measured", { ...report, decision: { ...decision, basis: "Stabilized" } });
  expect((await ofMeasured()).filter(line => line.includes("basis"))).toEqual([
    'mlscaler_decision{basis="Stabilized"} 1',
  ]);
  series.observe("shop", "other", report);
  series.observe("shop", "measured", {
    ...report,
    proposal: undefined,
    decision: undefined,
    planned: undefined,
    comparison: undefined,
  });
  expect((await ofMeasured()).filter(line => /replicas|load|forecast|decision/.test(line))).toEqual([
    'mlscaler_replicas{stage="current"} 4',
    'mlscaler_replicas{stage="max"} 20',
    'mlscaler_replicas{stage="min"} 2',
  ]);
  series.forget("shop", "measured");
  expect(await ofMeasured()).toEqual([]);
  expect(await objectRegistry.metrics()).toContain('name="other"');
});

it("has the end of a raised minimum, 0 without one, and keeps it while the autoscaler cannot be read", async () => {
  const until = async (): Promise<string | undefined> =>
    (await ofMeasured()).find(line => line.startsWith("mlscaler_assist_until_seconds"));
  const reference = { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", namespace: "shop" };
  const autoscaler: NonNullable<Report["assisted"]>["autoscaler"] = {
    ...{ text: "HPA web", reference: { ...reference, name: "web", uid: "1" } },
    ...{ field: "minReplicas", maximum: 20 },
  };
  const assisted = { autoscaler, before: 2, written: true };
  const see = (change: Partial<Report>): void =>
    series.observe("shop", "measured", {
      ...report,
      spec: { ...report.spec, mode: "Assist" },
      failures: [],
      ...change,
    });
  const failed = (reason: string): Partial<Report> => ({
    failures: [{ type: "AbleToScale", status: "False", reason, message: "no" }],
  });
  see({ assisted: { ...assisted, minimum: { own: 2, replicas: 2 } } });
  expect(await until()).toBe("mlscaler_assist_until_seconds 0");
  see({ assisted: { ...assisted, minimum: { own: 2, replicas: 9, until: 1_800_000_000_000 } } });
  see(failed("FailedGetAutoscaler"));
  see({ spec: report.spec, leftRaised: true });
  expect(await until()).toBe("mlscaler_assist_until_seconds 1800000000");
  see(failed("NoAutoscaler"));
  expect(await until()).toBeUndefined();
});

// Others scale by these series: their names and labels are a contract.
it("has as stable series the planned replicas, and the forecast load with its metric and its unit", async () => {
  const line = { ...forecast, percent: undefined };
  series.observe("shop", "measured", { ...report, proposal: { ...proposal, forecast: line } });
  const of = 'namespace="shop",name="measured"';
  // Other files that share the process have series of their own.
  const stable = async (): Promise<string[]> =>
    (await objectRegistry.metrics())
      .split("\n")
      .filter(line => stableSeries.some(name => line.startsWith(`${name}{${of}`)));
  expect(await stable()).toEqual([
    `mlscaler_planned_replicas{${of}} 7`,
    `mlscaler_forecast_load{${of},metric="cpu",unit="cores",quantile="0.5"} 0.6`,
  ]);
  const aheadOf = { metric: "rps", unit: "rps" };
  series.observe("shop", "measured", { ...report, planned: undefined, proposal: { ...proposal, aheadOf } });
  expect(await stable()).toEqual([
    `mlscaler_forecast_load{${of},metric="rps",unit="rps",quantile="0.5"} 0.6`,
    `mlscaler_forecast_load{${of},metric="rps",unit="rps",quantile="0.8"} 0.7`,
  ]);
});

it("counts each demotion once, and none while a forecast is scored anew", async () => {
  const demotions = async (): Promise<string | undefined> =>
    (await ofMeasured()).find(line => line.startsWith("mlscaler_demotions_total"));
  const see = (change: object): void =>
    series.observe("shop", "measured", { ...report, proposal: { ...proposal, forecast: { ...forecast, ...change } } });
  see({ trusted: false });
  see({ trusted: true });
  // As after a change of the horizon.
  see({ trusted: false, samples: 12 });
  expect(await demotions()).toBe("mlscaler_demotions_total 0");
  see({ trusted: false });
  see({ trusted: false });
  expect(await demotions()).toBe("mlscaler_demotions_total 1");
  see({ trusted: true });
  see({ trusted: false });
  expect(await demotions()).toBe("mlscaler_demotions_total 2");
});
