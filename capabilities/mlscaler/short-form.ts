import { Finding } from "../common/conditions";
import { formatQuantity, parseQuantity } from "../common/quantity";
import { Forecast, forecast } from "./forecast";
import { Scores } from "./forecast/scores";
import { scoredForecasts, trust } from "./forecast/trust";
import { Memory } from "./history/memory";
import { continuous, record } from "./history/series";
import { unitOf } from "./metrics";
import { Load } from "./metrics/load";
import { aheadText, Foresee, Observation } from "./observation";
import { Demand, Proposed } from "./scaling/decide";
import { proposeFor } from "./scaling/load";
import { countOf, withForecasts } from "./scaling/predict";
import { MetricsError } from "./scaling/reading";
import { Reactive } from "./scaling/shadow";
import { ShortForm } from "./schema";

/** What a forecast lets a target of `replicas` be asked for, and how it is told. */
interface Asking {
  forecast?: Forecast;
  asks: (replicas: number) => { proposed: Proposed & { demand: Demand }; ahead?: string };
}

/** The load of now. Where pods have no sample, `lowest` counts them as 0; `settled` is without that of a rollout's start. */
interface Now {
  load: Load;
  lowest: number;
  settled: number;
  perUnit: number;
}

/**
 * What a load asks for, and the forecast of it; the load goes into the history.
 * @param rollout while there is one: the load without that of its start, absent when it cannot be told
 * @param now epoch milliseconds
 */
export function observeLoad(
  spec: ShortForm,
  memory: Memory,
  load: Load,
  rollout: { settled?: Load } | undefined,
  now: number,
  foresee: Foresee,
): Observation {
  // Start-up load of which nothing can be told is a gap: it says nothing of what comes.
  const recorded = rollout ? rollout.settled?.recorded : load.recorded;
  const lowest = rollout ? Math.min(load.lowest, rollout.settled?.lowest ?? 0) : load.lowest;
  const { last } = memory.series;
  if (recorded !== undefined) record(memory.series, now, recorded);
  const foreseen = foresee(spec.metric, recorded);
  const perUnit = parseQuantity(spec.replicas_per_unit) ?? NaN;
  const is: Now = { load, lowest, settled: recorded ?? load.recorded, perUnit };
  const { forecast, asks } = spec.forecast ? byForecaster(spec, is, foreseen) : byLine(spec, is, memory, last, now);
  const unit = unitOf(spec.metric);
  return {
    reactive: recorded === undefined ? undefined : reactiveOf(recorded, perUnit),
    asks: ({ replicas }) => {
      const { proposed, ahead } = asks(replicas);
      const { held, demand } = proposed;
      return {
        proposed: { ...proposed, held: held && (rollout ? "Rollout" : held) },
        failures: [],
        metrics: [
          {
            name: spec.metric,
            current: formatQuantity(load.recorded),
            forecast: forecast?.load === undefined ? undefined : formatQuantity(forecast.load),
          },
        ],
        what: `load ${formatQuantity(demand.load)} ${unit}`,
        measure: measureOf(spec),
        load: load.recorded,
        forecast,
        ahead,
      };
    },
  };
}

/** What a load asks for by itself. */
const reactiveOf = (load: number, perUnit: number): Reactive => ({
  loads: [{ load, capacity: 1 / perUnit }],
  tolerance: 0,
  asks: replicas => proposeFor({ likely: { load }, lowest: { load } }, perUnit, replicas),
});

/** What is asked for when the load is not known: it is a gap, over which the forecast of a `forecast` block goes on. */
export function observeNoLoad(spec: ShortForm, { reason, message }: MetricsError, foresee: Foresee): Observation {
  const forecast = foresee(spec.metric, undefined);
  const perUnit = parseQuantity(spec.replicas_per_unit) ?? NaN;
  const unit = unitOf(spec.metric);
  const failures: Finding[] = [{ type: "ScalingActive", status: "False", reason, message }];
  return {
    asks: () => ({
      failures,
      failed: { predictive: forecast?.trusted ? countOf(forecast.upper, 1 / perUnit) : undefined },
      what: "no metrics",
      measure: measureOf(spec),
      forecast,
      ahead: forecast && aheadText(forecast, unit, spec.forecast?.quantile_percent),
    }),
  };
}

/** What loads are measured by: "10 replicas per core". */
function measureOf({ metric, replicas_per_unit }: ShortForm): string {
  const unit = unitOf(metric);
  return `${replicas_per_unit} replicas per ${unit === "cores" ? "core" : unit}`;
}

/** With a `forecast` block: the load of now, raised by a forecast that is trusted. */
function byForecaster(spec: ShortForm, now: Now, forecast: Forecast | undefined): Asking {
  const { load, lowest, settled, perUnit } = now;
  const { upper, trusted } = forecast ?? {};
  const { quantile_percent: percent = 0, max_extra_percent: extra = 0 } = spec.forecast ?? {};
  const demands = { likely: { load: load.likely }, lowest: { load: lowest } };
  return {
    forecast,
    asks: replicas => {
      const proposed = proposeFor(demands, perUnit, replicas);
      const ahead = { load: settled, upper: trusted ? upper : undefined, capacity: 1 / perUnit };
      const raised = withForecasts(proposed, [ahead], spec.min_replicas, extra);
      return {
        proposed: { ...raised, demand: proposed.demand },
        ahead: forecast && aheadText(forecast, unitOf(spec.metric), percent),
      };
    },
  };
}

/**
 * Without a `forecast` block: the higher of the load of now and a line through the last ones, one step ahead.
 * @param last the newest slot before the load of now was recorded
 */
function byLine(spec: ShortForm, { load, lowest, perUnit }: Now, memory: Memory, last: number, now: number): Asking {
  const { history_size: size, sync_period_seconds: horizonSeconds } = spec;
  const loads = continuous(memory.series, now);
  const found = forecast(loads, size);
  const { trusted, skill } = scoreLine(memory, last, found.load, now);
  const cautious = [...loads.slice(0, -1), Math.min(lowest, loads.at(-1) ?? lowest)];
  const least = lowest < load.recorded ? forecast(cautious, size) : found;
  const demands = {
    likely: { load: load.likely, forecast: trusted ? found.load : undefined },
    lowest: { load: lowest, forecast: trusted ? least.load : undefined },
  };
  const foreseen: Forecast = { ...found, horizonSeconds, trusted, skill };
  return {
    forecast: foreseen,
    asks: replicas => {
      const proposed = proposeFor(demands, perUnit, replicas);
      return { proposed, ahead: aheadText({ ...foreseen, load: proposed.demand.forecast }, unitOf(spec.metric)) };
    },
  };
}

/** How the line did until now; it counts from the start, and no more once it is worse than the last load. */
function scoreLine(
  memory: Memory,
  last: number,
  ahead: number | undefined,
  now: number,
): { trusted: boolean; skill?: number } {
  const line = (memory.line ??= { scores: new Scores(1, scoredForecasts), trust: { trusted: true, since: -Infinity } });
  const { series } = memory;
  if (series.last !== last) {
    // What was forecast before a gap is for no load.
    if (series.last !== last + 1) line.scores.add(NaN, NaN, NaN);
    line.scores.add(series.values.at(-1) ?? NaN, ahead ?? NaN, NaN);
  }
  const { score } = line.scores;
  if (score.origins < scoredForecasts) return { trusted: true };
  line.trust = trust(line.trust, score, now);
  return { trusted: line.trust.trusted, skill: score.skill };
}
