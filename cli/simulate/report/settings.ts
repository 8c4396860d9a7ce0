import { Summary } from "../summary";
import { quantilesText } from "../text";
import { durationText, minuteText } from "../time";

/** One setting of the simulation. */
export interface Setting {
  name: string;
  value: string;
  /** The option, or the field of the spec, that sets it. */
  from: string;
}

/** The settings of the simulation, in the order of docs/how-to/simulate.md. */
export function settingsOf({ trace, scenario }: Summary, price?: number): Setting[] {
  const { min_replicas: min, max_replicas: max, max_extra_percent: extra } = scenario;
  return [
    row("trace", `${trace.slots} steps, ${trace.gaps} of them gaps`, "the file"),
    row("judged from", `${minuteText(trace.judged_from)} UTC`, "--history"),
    row("step of the trace", durationText(trace.step_seconds), "--step"),
    row("capacity of a replica", scenario.capacity, "--capacity"),
    row(
      "target utilization",
      `${Number(scenario.utilization_percent.toPrecision(4))} %: ${scenario.target_per_replica} per replica`,
      "--utilization, spec.metrics",
    ),
    row("start-up of a replica", durationText(scenario.start_up_seconds), "--start-up"),
    ...(scenario.nodes ? nodeRows(scenario.nodes) : []),
    row("replicas", `${min} to ${max}`, "spec.min_replicas, spec.max_replicas"),
    row("decision every", durationText(scenario.sync_period_seconds), "spec.sync_period_seconds"),
    row("model", scenario.model, "--model, spec.forecast.model"),
    row("horizon", durationText(scenario.horizon_seconds), "--start-up, spec.forecast.horizon_seconds"),
    row("upper quantile", quantilesText(scenario), "spec.forecast.quantile_percent"),
    row(
      "most above the current load",
      extra === undefined ? "max_replicas" : `${extra} %`,
      "spec.forecast.max_extra_percent",
    ),
    ...(price === undefined ? [] : [row("price of a replica-hour", price, "--price")]),
    row("loads of the short form's line", scenario.history_size, "spec.history_size"),
  ];
}

const row = (name: string, value: string | number, from: string): Setting => ({
  name,
  value: typeof value === "number" ? String(Number(value.toPrecision(4))) : value,
  from,
});

const nodeRows = ({ replicas, ...nodes }: NonNullable<Summary["scenario"]["nodes"]>): Setting[] => [
  row("start-up of a node", durationText(nodes.start_up_seconds), "--node-start-up"),
  row("replicas that fit a node", replicas, "--node-replicas"),
  row("a node goes when it is empty for", durationText(nodes.idle_seconds), "the default of Cluster Autoscaler"),
];
