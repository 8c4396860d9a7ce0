import type { TopLevelSpec } from "vega-lite";
import { compare, type Standing } from "../../cli/simulate/comparison";
import { scenarioOf } from "../../cli/simulate/scenario";
import { readTrace } from "../../cli/simulate/trace";
import { colours } from "./draw";

/** A day of the example trace, scaled by an HPA and by an MLScaler as in `mlscaler simulate`. */
interface Day {
  /** One entry per slot. */
  loads: { at: number; load: number; forecast?: number; upper?: number }[];
  /** The minimum of the Ready replicas in each slot, and the replicas that its load needs. */
  replicas: { at: number; needed: number; hpa: number; mlscaler: number }[];
}

const capacity = 50;
const dayMilliseconds = 86_400_000;
/** A Friday. */
const shown = Date.UTC(2026, 2, 13);

/** A Friday of the load in `csv`, scaled by the engine and by an HPA. Throws when `csv` does not contain that day. */
export function dayOf(csv: string): Day {
  const trace = readTrace("web.csv", csv, { zone: "UTC" });
  const { scenario } = scenarioOf(trace, { capacity, startUpSeconds: 180, historyPercent: 70 });
  const work = compare(trace, scenario);
  let next = work.next();
  while (!next.done) next = work.next();
  const { hpa, mlscaler } = next.value.standings;
  const { from, syncsPerStep } = scenario;
  const ready = ({ ready }: Standing, slot: number): number =>
    Math.min(...ready.slice((slot - from - 1) * syncsPerStep, (slot - from) * syncsPerStep));
  const day: Day = { loads: [], replicas: [] };
  trace.loads.forEach((load, slot) => {
    const at = trace.startedAt + slot * trace.step;
    if (at < shown || at >= shown + dayMilliseconds) return;
    const { loads, uppers } = mlscaler.foresight ?? { loads: [], uppers: [] };
    day.loads.push({ at, load, forecast: loads[slot], upper: uppers[slot] });
    const needed = Math.max(1, Math.ceil(load / capacity));
    day.replicas.push({ at, needed, hpa: ready(hpa, slot), mlscaler: ready(mlscaler, slot) });
  });
  return day;
}

const size = { width: 680, height: 240 };
const time = { field: "at", type: "temporal", title: null, axis: { format: "%H:%M" }, scale: { type: "utc" } } as const;

/** The load of the day and the forecast for each slot. */
export function forecastChart({ loads }: Day): TopLevelSpec {
  const named = naming({
    load: colours.load,
    "forecast, 20 min before": colours.mlscaler,
    "up to its 90 % quantile": `${colours.mlscaler}80`,
  });
  return {
    ...size,
    data: { values: loads },
    encoding: { x: time, y: { type: "quantitative", title: "requests per second" } },
    layer: [
      {
        mark: { type: "area", opacity: 0.3 },
        encoding: { y: { field: "forecast" }, y2: { field: "upper" }, color: named("up to its 90 % quantile") },
      },
      { mark: { type: "line", strokeWidth: 1.6 }, encoding: { y: { field: "load" }, color: named("load") } },
      {
        mark: { type: "line", strokeWidth: 1.6 },
        encoding: { y: { field: "forecast" }, color: named("forecast, 20 min before") },
      },
    ],
  };
}

/** The Ready replicas of both scalers, the replicas that the load needs, and those that each scaler lacks. */
export function replicasChart({ replicas }: Day): TopLevelSpec {
  const lacks = { hpa: `${colours.hpa}99`, mlscaler: `${colours.mlscaler}99` };
  const named = naming({
    ...{ "needed by the load": colours.load, HPA: colours.hpa, "too few: HPA": lacks.hpa },
    ...{ MLScaler: colours.mlscaler, "too few: MLScaler": lacks.mlscaler },
  });
  const values = replicas.map(({ at, needed, hpa, mlscaler }) => {
    return { at, needed, hpa, mlscaler, hpaServes: Math.min(hpa, needed), mlscalerServes: Math.min(mlscaler, needed) };
  });
  return {
    ...size,
    data: { values },
    encoding: { x: time, y: { type: "quantitative", title: "ready replicas", axis: { tickMinStep: 1 } } },
    layer: [
      {
        mark: { type: "area", opacity: 0.35, interpolate: "step-after" },
        encoding: { y: { field: "needed" }, color: named("needed by the load") },
      },
      lacking("hpaServes", named("too few: HPA")),
      lacking("mlscalerServes", named("too few: MLScaler")),
      stepped("hpa", named("HPA")),
      stepped("mlscaler", named("MLScaler")),
    ],
  };
}

type Layer = Extract<TopLevelSpec, { layer: unknown }>["layer"][number];

const stepped = (field: string, color: object): Layer => ({
  mark: { type: "line", strokeWidth: 1.8, interpolate: "step-after" },
  encoding: { y: { field }, color },
});

/** The area from the replicas that serve load to those that it needs. */
const lacking = (serving: string, color: object): Layer => ({
  mark: { type: "area", opacity: 0.8, interpolate: "step-after" },
  encoding: { y: { field: "needed" }, y2: { field: serving }, color },
});

/** A function from a name in the legend to its colour encoding. */
function naming(colours: Record<string, string>): (name: string) => object {
  const scale = { domain: Object.keys(colours), range: Object.values(colours) };
  return datum => ({ datum, type: "nominal", scale });
}
