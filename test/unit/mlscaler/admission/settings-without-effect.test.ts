import { describe, expect, it } from "vitest";
import { specSchema } from "../../../../capabilities/mlscaler/schema";
import { withoutEffect } from "../../../../capabilities/mlscaler/admission/settings-without-effect";

const shortForm = { target_deployment: "web", max_replicas: 10, metric: "cpu", history_size: 5 };
const metric = (target: object): object => ({ type: "External", external: { metric: { name: "qps" }, target } });
const longForm = {
  ...{ target_deployment: "web", max_replicas: 10 },
  metrics: [metric({ type: "AverageValue", averageValue: "10" })],
};
const targetless = { max_replicas: 10, metrics: longForm.metrics };
const value = { ...longForm, metrics: [metric({ type: "Value", value: "10" })] };

const told = (spec: object): string[] => withoutEffect(specSchema.parse(spec));

describe("withoutEffect", () => {
  it("ignores settings with an effect", () => {
    const behavior = { scaleUp: { tolerance: "0.05", stabilizationWindowSeconds: 0 }, scaleDown: {} };
    for (const fine of [
      shortForm,
      longForm,
      value,
      { ...shortForm, guard_replicas: true },
      { ...targetless, target_ref: { apiVersion: "apps/v1", kind: "StatefulSet", name: "db" }, guard_replicas: true },
      {
        ...{ mode: "Assist", guard_replicas: true },
        target_ref: { apiVersion: "argoproj.io/v1alpha1", kind: "Rollout", name: "web" },
      },
      { ...shortForm, forecast: {} },
      { ...shortForm, history_size: 20160 },
      { ...longForm, behavior, forecast: { horizon_seconds: 300, quantile_percent: 95, seasonality: ["Weekly"] } },
      { ...longForm, forecast: { model: "holt_winters", seasonality: ["Daily"] } },
      { ...longForm, on_metric_failure: { behavior: "Forecast" } },
      { ...shortForm, forecast: {}, on_metric_failure: { behavior: "Forecast" } },
      { ...shortForm, on_metric_failure: { behavior: "Hold" } },
      { ...longForm, forecast: { model: "off" } },
    ])
      expect(told(fine)).toEqual([]);
  });

  const ofForecast = (forecast: object): object => ({ ...longForm, forecast });
  const window = (direction: string, seconds: number, sync_period_seconds: number): object => ({
    ...{ ...longForm, sync_period_seconds },
    behavior: { [direction]: { stabilizationWindowSeconds: seconds } },
  });
  const hello = { apiVersion: "fraim.co.jp/v1", kind: "Hello", name: "hi" };

  it.each<[object, string, string]>([
    [
      ofForecast({ model: "off", horizon_seconds: 300 }),
      "forecast.horizon_seconds: 300",
      'beside spec.forecast.model "off"',
    ],
    [
      ofForecast({ model: "last", timezone: "Asia/Tokyo" }),
      'forecast.timezone: "Asia/Tokyo"',
      "model last, which knows no",
    ],
    [
      ofForecast({ model: "holt", seasonality: ["Daily"] }),
      'forecast.seasonality: ["Daily"]',
      "model holt, which knows no",
    ],
    [
      ofForecast({ model: "linear", timezone: "Asia/Tokyo" }),
      'forecast.timezone: "Asia/Tokyo"',
      "model linear, which knows no seasons",
    ],
    [
      ofForecast({ model: "holt_winters", seasonality: ["Weekly"] }),
      'forecast.seasonality: ["Weekly"]',
      "leaves holt_winters no season",
    ],
    [{ ...ofForecast({ model: "off" }), capacity_buffer: {} }, "capacity_buffer", 'beside spec.forecast.model "off"'],
    [{ ...value, capacity_buffer: {} }, "capacity_buffer", "where nothing is forecast"],
    [ofForecast({ max_extra_percent: 0 }), "forecast.max_extra_percent: 0", "lets the forecast raise nothing"],
    [{ ...value, forecast: { horizon_seconds: 300 } }, "forecast.horizon_seconds: 300", "has no total to forecast"],
    [{ ...shortForm, history_size: 2000, forecast: {} }, "history_size: 2000", "beside spec.forecast; 2 is enough"],
    [
      { ...shortForm, behavior: { scaleUp: { tolerance: "0.05" } } },
      "behavior.scaleUp.tolerance: 0.05",
      "beside spec.metric",
    ],
    [window("scaleDown", 300, 600), "behavior.scaleDown.stabilizationWindowSeconds: 300", "use more than 600"],
    [window("scaleUp", 15, 15), "behavior.scaleUp.stabilizationWindowSeconds: 15", "use more than 15"],
    [
      { ...longForm, sync_period_seconds: 300 },
      "behavior.scaleDown.stabilizationWindowSeconds: 300 (the default)",
      "300",
    ],
    [{ ...targetless, target_ref: hello, guard_replicas: true }, "guard_replicas: true", "of kind Hello.fraim.co.jp"],
  ])("names field, value and cause: %j", (spec, field, cause) => {
    const [text = "", ...others] = told(spec);
    expect([text.startsWith(`spec.${field} `), others], text).toEqual([true, []]);
    for (const part of cause.split("; ")) expect(text).toContain(part);
  });

  it("reports policies that keep a target at 0 replicas", () => {
    const percent = { type: "Percent", value: 50, periodSeconds: 60 };
    const pods = { type: "Pods", value: 2, periodSeconds: 60 };
    const queue = { external: { metric: { name: "queue" }, target: { type: "AverageValue", averageValue: "30" } } };
    const toZero = { ...longForm, min_replicas: 0, metrics: [{ type: "External", ...queue }] };
    const toldOf = (scaleUp: object, fields: object = {}): string[] =>
      told({ ...toZero, ...fields, behavior: { scaleUp } });
    for (const fine of [
      {},
      { selectPolicy: "Max" },
      { selectPolicy: "Disabled" },
      { selectPolicy: "Min", policies: [pods] },
      { policies: [pods, percent] },
    ])
      expect(toldOf(fine)).toEqual([]);
    const remedy =
      "keeps a target of 0 replicas there, because a percentage of 0 is 0; " +
      "use Max and a policy of type Pods, or spec.scale_to_zero, or spec.min_replicas 1";
    const ofDefaults = `spec.behavior.scaleUp.selectPolicy: Min of the default policies ${remedy}`;
    expect(toldOf({ selectPolicy: "Min" })).toEqual([ofDefaults]);
    expect(toldOf({ policies: [percent] })).toEqual([
      `spec.behavior.scaleUp.selectPolicy: Max of its policies ${remedy}`,
    ]);
    expect(toldOf({ selectPolicy: "Min" }, { min_replicas: 1 })).toEqual([]);
    const prometheus = { query: "sum(queue)", target: { type: "AverageValue", averageValue: "30" } };
    const woken = { metrics: [{ type: "Prometheus", prometheus }], scale_to_zero: { replicas: 2 } };
    expect(toldOf({ selectPolicy: "Min" }, woken)).toEqual([]);
  });

  it("reports leading loads that no regression takes", () => {
    const leading = [{ prometheus: { query: "sum(gateway)" } }];
    expect(told({ ...longForm, forecast: { leading } })).toEqual([]);
    expect(told({ ...longForm, forecast: { model: "lags", leading } })).toEqual([]);
    for (const model of ["off", "holt"])
      expect(told({ ...longForm, forecast: { model, leading } })).toEqual([
        `spec.forecast.leading: its loads have no effect beside spec.forecast.model ${model}, which has no regression ` +
          "on lags; leave them out, or use auto or lags",
      ]);
    expect(told({ ...value, forecast: { leading } })).toEqual([
      "spec.forecast.leading: its loads have no effect where nothing is forecast; leave them out",
    ]);
  });

  it("reports each field, all at once", () => {
    const forecast = {
      model: "off",
      horizon_seconds: 60,
      quantile_percent: 99,
      max_extra_percent: 5,
      act_after_seconds: 0,
      seasonality: [],
      timezone: "Europe/Berlin",
    };
    const fields = told({ ...longForm, forecast }).map(text => text.split(" ")[0]);
    expect(fields).toEqual(
      ["horizon_seconds", "quantile_percent", "max_extra_percent", "act_after_seconds", "seasonality", "timezone"].map(
        name => `spec.forecast.${name}:`,
      ),
    );
  });

  it.each([
    ["the short form without a forecast block", shortForm],
    ["a forecast that is off", { ...longForm, forecast: { model: "off" } }],
    ["targets without a total", value],
  ])("says that on_metric_failure has no forecast to go by with %s", (_, spec) => {
    expect(told({ ...spec, on_metric_failure: { behavior: "Forecast" } })).toEqual([
      "spec.on_metric_failure.behavior: Forecast does no more than Hold where no load is forecast; use Hold or Floor, or have spec.forecast forecast one",
    ]);
  });
});
