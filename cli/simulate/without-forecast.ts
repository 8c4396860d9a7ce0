import { nodesFor } from "../../capabilities/mlscaler/backtest/nodes";
import { Figures, replicasNeeded } from "../../capabilities/mlscaler/backtest/replay";
import { Scenario } from "../../capabilities/mlscaler/backtest/scenario";
import { PolicyComparison, scaled } from "./comparison";
import { Day, Gain, gainOf, Rival } from "./gain";
import { Trace } from "./trace";

/** The targets at which the HPA is replayed, over its own. The lower, the dearer. */
export const hpaFactors = [1, 0.92, 0.85, 0.7, 0.5];

/** The counts at which a steady count is tried. */
const steadyCounts = 24;

/**
 * What the MLScaler of a comparison gains against what needs no forecast, and the replays of the HPA at `hpaFactors`.
 * With nodes it is the MLScaler with a buffer.
 */
export function comparedWithoutForecast(
  trace: Trace,
  scenario: Scenario,
  { standings: { hpa, mlscaler, mlscaler_buffer: withBuffer } }: PolicyComparison,
): { gain: Gain; reactive: Figures[] } {
  const daysOf = (figures: Counts): Day[] => daysIn(figures, trace, scenario);
  const utilizations = hpaFactors.map(factor => scenario.utilization * factor);
  const reactive = utilizations.map((utilization, index) =>
    index === 0 ? hpa : scaled(trace.loads, {}, { ...scenario, utilization }),
  );
  const targets = reactive.map((figures, index) => ({
    value: 100 * (utilizations[index] ?? NaN),
    days: daysOf(figures),
  }));
  const gain = gainOf({
    hpa: daysOf(hpa),
    mlscaler: daysOf(withBuffer ?? mlscaler),
    rivals: [{ kind: "target", settings: targets }, steady(trace, scenario)],
  });
  return { gain, reactive };
}

/** What a replay asked for and got, by sync. */
type Counts = Pick<Figures, "replicas" | "ready" | "nodes">;

/** Steady counts, from the mean of the need to its highest. They are ready all the time. */
function steady(trace: Trace, scenario: Scenario): Rival {
  const { capacity, bounds, from, syncsPerStep, nodes } = scenario;
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
  const always = (count: number): number[] => new Array<number>(syncs).fill(count);
  return {
    kind: "count",
    settings: [...new Set(counts)].map(value => {
      const replicas = always(value);
      const held = nodes && { nodes: always(nodesFor(value, nodes)) };
      return { value, days: daysIn({ replicas, ready: replicas, ...held }, trace, scenario) };
    }),
  };
}

/** What a replay did by day; the last day has what is left of a week. */
export function daysIn(
  { replicas, ready, nodes }: Counts,
  { loads, step }: Pick<Trace, "loads" | "step">,
  { from, capacity, syncsPerStep }: Scenario,
): Day[] {
  const syncsPerDay = Math.round(86_400_000 / step) * syncsPerStep;
  const days = Array.from({ length: Math.max(1, Math.round(ready.length / syncsPerDay)) }, () => ({
    ...{ cost: 0, load: 0, lost: 0 },
  }));
  for (const [sync, count] of ready.entries()) {
    const load = loads[from + 1 + Math.floor(sync / syncsPerStep)] ?? NaN;
    const day = days[Math.min(Math.floor(sync / syncsPerDay), days.length - 1)];
    if (Number.isNaN(load) || !day) continue;
    day.cost += (nodes ?? replicas)[sync] ?? 0;
    day.load += load;
    day.lost += Math.max(0, load - count * capacity);
  }
  return days;
}
