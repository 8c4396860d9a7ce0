import { runSlices } from "../../capabilities/mlscaler/forecast/sliced";
import { Figures, replicasNeeded } from "../../capabilities/mlscaler/backtest/replay";
import { Scenario } from "../../capabilities/mlscaler/backtest/scenario";
import { compare, PolicyComparison, scaled } from "../simulate/comparison";
import { Trace } from "../simulate/trace";
import { outcomeOf, TradeOff } from "../simulate/trade-off";
import { Curve, Day, Gain, gainOf } from "./verdict";

/** The targets at which the HPA is replayed, over its own. The lower, the dearer. */
const factors = [1, 0.92, 0.85, 0.7, 0.5];

/** The counts at which a steady count is tried. */
const steadyCounts = 24;

/** The result of replaying one workload. */
interface Replayed {
  gain: Gain;
  comparison: PolicyComparison;
  tradeOff: TradeOff;
  /** The means of the replicas of the HPA and of the MLScaler. */
  replicas: { hpa: number; mlscaler: number };
}

/** Replays a workload with the engine of `simulate`, and compares what needs no forecast at other settings. */
export function replayed(trace: Trace, scenario: Scenario): Replayed {
  const { loads } = trace;
  const comparison = runSlices(compare(trace, scenario));
  const { hpa, mlscaler } = comparison.standings;
  const highest = mlscaler.foresight?.highest ?? [];
  const settings = factors.map(factor => ({ ...scenario, utilization: scenario.utilization * factor }));
  const reactive = settings.map((as, index) => (index === 0 ? hpa : scaled(loads, {}, as)));
  const predictive = settings.map((as, index) => (index === 0 ? mlscaler : scaled(loads, { foreseen: highest }, as)));
  const daysOf = (figures: Pick<Figures, "replicas" | "ready">): Day[] => daysIn(figures, trace, scenario);
  const outcome = (figures: Figures): TradeOff["hpa"][number] => outcomeOf(figures, trace, scenario);
  const percent = (share: number): number => Number((100 * share).toPrecision(4));
  return {
    gain: gainOf({
      hpa: daysOf(hpa),
      mlscaler: daysOf(mlscaler),
      rivals: [reactive.map(daysOf), steady(trace, scenario)],
    }),
    comparison,
    // By rising utilization.
    tradeOff: {
      utilizations: settings.map(({ utilization }) => percent(utilization)).reverse(),
      quantiles: [percent(scenario.forecast.quantile)],
      chosen: { utilization: settings.length - 1, quantile: 0 },
      hpa: reactive.map(outcome).reverse(),
      mlscaler: [predictive.map(outcome).reverse()],
    },
    replicas: { hpa: outcome(hpa).replicas, mlscaler: outcome(mlscaler).replicas },
  };
}

/** Steady counts, from the mean of the need to its highest. They are ready all the time. */
function steady(trace: Trace, scenario: Scenario): Curve {
  const { capacity, bounds, from, syncsPerStep } = scenario;
  const needs = trace.loads
    .slice(from + 1)
    .filter(load => !Number.isNaN(load))
    .map(load => replicasNeeded(load, capacity));
  const clamped = (count: number): number => Math.min(Math.max(Math.round(count), bounds.min), bounds.max);
  const least = Math.max(1, needs.reduce((sum, need) => sum + need, 0) / needs.length);
  const most = needs.reduce((highest, need) => Math.max(highest, need), 1);
  const counts = Array.from({ length: steadyCounts }, (_, index) =>
    clamped(least * (most / least) ** (index / (steadyCounts - 1))),
  );
  const syncs = (trace.loads.length - from - 1) * syncsPerStep;
  return [...new Set(counts)].map(count => {
    const replicas = new Array<number>(syncs).fill(count);
    return daysIn({ replicas, ready: replicas }, trace, scenario);
  });
}

/** What a replay did by day; the last day has what is left of a week. */
export function daysIn(
  { replicas, ready }: Pick<Figures, "replicas" | "ready">,
  { loads, step }: Pick<Trace, "loads" | "step">,
  { from, capacity, syncsPerStep }: Scenario,
): Day[] {
  const syncsPerDay = Math.round(86_400_000 / step) * syncsPerStep;
  const days = Array.from({ length: Math.max(1, Math.round(ready.length / syncsPerDay)) }, () => ({
    ...{ replicas: 0, load: 0, lost: 0 },
  }));
  for (const [sync, count] of ready.entries()) {
    const load = loads[from + 1 + Math.floor(sync / syncsPerStep)] ?? NaN;
    const day = days[Math.min(Math.floor(sync / syncsPerDay), days.length - 1)];
    if (Number.isNaN(load) || !day) continue;
    day.replicas += replicas[sync] ?? 0;
    day.load += load;
    day.lost += Math.max(0, load - count * capacity);
  }
  return days;
}
