import type { TopLevelSpec } from "vega-lite";
import { colours } from "./draw";

/** Figures of docs/explanation/benchmark.md, "What was tried": geometric means over eight recorded loads. */
const steps = [
  { what: "last value (an HPA)", error: 1.213, unserved: 1 },
  { what: "regressions and smoothers", error: 0.788, unserved: 0.458 },
  { what: "+ boosted trees", error: 0.769, unserved: 0.452 },
  { what: "+ sharper weights, smaller trees", error: 0.765, unserved: 0.441 },
  { what: "+ quantile by time of day", error: 0.765, unserved: 0.433 },
];

/** What each part of the method is worth: the error three steps ahead, and the load that is lost. */
export const ablationChart = (): TopLevelSpec => ({
  data: { values: steps },
  hconcat: [bars("error", "error three steps ahead (MASE)", true), bars("unserved", "unserved load, HPA = 1", false)],
});

type Part = Extract<TopLevelSpec, { hconcat: unknown }>["hconcat"][number];

const bars = (field: "error" | "unserved", title: string, named: boolean): Part => ({
  ...{ width: named ? 230 : 200, height: 130 },
  encoding: {
    y: {
      field: "what",
      type: "nominal",
      sort: null,
      axis: named ? { title: null, labelLimit: 260, ticks: false, domain: false } : null,
    },
    x: { field, type: "quantitative", title, axis: { grid: false, tickCount: 5 }, scale: { domain: [0, 1.35] } },
  },
  layer: [
    { mark: { type: "bar", color: colours.mlscaler, opacity: 0.75, height: 16 } },
    {
      mark: { type: "text", align: "left", dx: 4 },
      encoding: { text: { field, type: "quantitative", format: ".3~f" } },
    },
  ],
});
