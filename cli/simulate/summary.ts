import { Scenario } from "../../capabilities/mlscaler/backtest/scenario";
import { Comparison, Contender, contenders } from "./comparison";
import { Trace } from "./trace";

/** What --json prints: what was replayed, and how each policy did over the part of the trace that is judged. */
export interface Summary {
  trace: {
    name: string;
    step_seconds: number;
    slots: number;
    gaps: number;
    /** The first slot that is judged, and the last one. */
    judged_from: string;
    judged_to: string;
  };
  scenario: {
    capacity: number;
    target_per_replica: number;
    utilization_percent: number;
    start_up_seconds: number;
    sync_period_seconds: number;
    min_replicas: number;
    max_replicas: number;
    model: string;
    horizon_seconds: number;
    quantile_percent: number;
    max_extra_percent: number;
    history_size: number;
  };
  policies: Record<Contender, PolicySummary>;
  /** What the MLScaler would leave unserved for the replica-hours of the HPA, and at which utilization. */
  at_cost_of_hpa?: { utilization_percent: number; unserved_percent: number };
  notes: string[];
}

export interface PolicySummary {
  unserved_percent: number;
  under_provisioned_percent: number;
  under_provisioned_seconds: number;
  /** Over those of an oracle that has just enough replicas ready at any time. */
  replica_hours_ratio: number;
  actions_per_day: number;
  skill_percent?: number;
  coverage_percent?: number;
  trusted_percent?: number;
  model?: string;
}

/** What each policy made of a trace, as `--json` prints it. @param name of the trace @param notes what was made good in it */
export function summaryOf(
  name: string,
  { loads, startedAt, step }: Trace,
  scenario: Scenario,
  { standings, atCostOfHpa }: Comparison,
  notes: string[],
): Summary {
  const { capacity, utilization, bounds, forecast, from } = scenario;
  const timeOf = (slot: number): string => new Date(startedAt + slot * step).toISOString();
  const judged = loads.slice(from + 1).filter(load => !Number.isNaN(load)).length;
  const policy = (contender: Contender): PolicySummary => {
    const { foresight, ...outcome } = standings[contender];
    return {
      unserved_percent: rounded(outcome.unservedPercent),
      under_provisioned_percent: rounded(outcome.underProvisionedPercent),
      under_provisioned_seconds: Math.round(((outcome.underProvisionedPercent / 100) * judged * step) / 1000),
      replica_hours_ratio: rounded(outcome.replicaHoursRatio),
      actions_per_day: rounded(outcome.actionsPerDay),
      skill_percent: percent(foresight?.skill),
      coverage_percent: percent(foresight?.coverage),
      trusted_percent: percent(foresight?.trusted),
      model: foresight?.model,
    };
  };
  return {
    trace: {
      name,
      step_seconds: step / 1000,
      slots: loads.length,
      gaps: loads.filter(Number.isNaN).length,
      judged_from: timeOf(from + 1),
      judged_to: timeOf(loads.length - 1),
    },
    scenario: {
      capacity,
      target_per_replica: Number((capacity * utilization).toPrecision(6)),
      utilization_percent: rounded(100 * utilization),
      start_up_seconds: scenario.startUpSeconds,
      sync_period_seconds: rounded(step / 1000 / scenario.syncsPerStep),
      min_replicas: bounds.min,
      max_replicas: bounds.max,
      model: forecast.model,
      horizon_seconds: (forecast.horizon * step) / 1000,
      quantile_percent: rounded(100 * forecast.quantile),
      max_extra_percent: scenario.maxExtraPercent,
      history_size: scenario.historySize,
    },
    policies: Object.fromEntries(contenders.map(contender => [contender, policy(contender)])) as Summary["policies"],
    at_cost_of_hpa: atCostOfHpa && {
      utilization_percent: rounded(100 * atCostOfHpa.utilization),
      unserved_percent: rounded(atCostOfHpa.unservedPercent),
    },
    notes,
  };
}

const rounded = (value: number): number => Number(value.toFixed(4));
const percent = (share: number | undefined): number | undefined =>
  share === undefined ? undefined : rounded(100 * share);
