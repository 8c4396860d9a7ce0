import { formatQuantity, parseQuantity } from "../common/quantity";
import { Forecast, forecast } from "./forecast";
import { Memory } from "./history/memory";
import { continuous, record } from "./history/series";
import { unitOf } from "./metrics";
import { Load } from "./metrics/load";
import { Observation } from "./observation";
import { Demands, proposeFor } from "./scaling/load";
import { ShortForm } from "./schema";

/**
 * What a load asks for, and the forecast of it; the load goes into the history in `memory`.
 * @param rollout while there is one: the load without that of its start, absent when it cannot be told
 * @param now epoch milliseconds
 */
export function observeLoad(
  spec: ShortForm,
  memory: Memory,
  load: Load,
  rollout: { settled?: Load } | undefined,
  now: number,
): Observation {
  const recorded = rollout ? rollout.settled?.recorded : load.recorded;
  const lowest = rollout ? Math.min(load.lowest, rollout.settled?.lowest ?? 0) : load.lowest;
  // Start-up load of which nothing can be told is a gap: it says nothing of what comes.
  if (recorded !== undefined) record(memory.series, now, recorded);
  const loads = continuous(memory.series, now);
  const likely = forecastOf(spec, loads);
  const cautious = [...loads.slice(0, -1), Math.min(lowest, loads.at(-1) ?? lowest)];
  const least = lowest < load.recorded ? forecastOf(spec, cautious) : likely;
  const demands: Demands = {
    likely: { load: load.likely, forecast: likely?.load },
    lowest: { load: lowest, forecast: least?.load },
  };
  const unit = unitOf(spec.metric);
  return {
    asks: ({ replicas }) => {
      const { demand, held, ...counts } = proposeFor(demands, parseQuantity(spec.replicas_per_unit) ?? NaN, replicas);
      return {
        proposed: { ...counts, demand, held: held && (rollout ? "Rollout" : held) },
        failures: [],
        metrics: [
          {
            name: spec.metric,
            current: formatQuantity(load.recorded),
            forecast: likely?.load === undefined ? undefined : formatQuantity(likely.load),
          },
        ],
        what: `load ${formatQuantity(demand.load)} ${unit}`,
        measure: `${spec.replicas_per_unit} replicas per ${unit === "cores" ? "core" : unit}`,
        load: load.recorded,
        forecast: likely,
      };
    },
  };
}

const forecastOf = ({ forecast: { model }, history_size: size }: ShortForm, loads: number[]): Forecast | undefined =>
  model === "off" ? undefined : forecast(loads, size);
