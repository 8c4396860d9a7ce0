import type { Verdict } from "./gain";
import { Wake, ZeroFigures } from "./zero-figures";
import { Scenario } from "../../capabilities/mlscaler/backtest/scenario";
import { idleNodeSeconds } from "../../capabilities/mlscaler/backtest/nodes";
import { coldStartsOf, ZeroPolicy } from "./cold-starts";
import {
  averageReplicas,
  ByContender,
  contendersIn,
  PolicyComparison,
  Standing,
  staticBufferPercent,
} from "./comparison";
import { Trace } from "./trace";

/** The output of --json: the trace, the scenario, and the result of each policy over the judged part of the trace. */
export interface Summary {
  trace: {
    name: string;
    step_seconds: number;
    slots: number;
    gaps: number;
    /** Time of the first judged slot. */
    judged_from: string;
    /** Time of the last judged slot. */
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
    /** Those that may act in its place, by outcome. Absent where the spec names one. */
    other_quantiles_percent?: readonly number[];
    max_extra_percent?: number;
    history_size: number;
    /** Absent where there is always room. */
    nodes?: {
      replicas: number;
      start_up_seconds: number;
      /** A node goes after this time without a replica and without a place of a buffer. */
      idle_seconds: number;
      static_buffer_percent: number;
    };
  };
  policies: ByContender<PolicySummary>;
  /** Absent for a step of more than an hour, and for a spec that may go to 0. */
  judgement?: Judgement;
  /** Cold starts; present for a spec that may go to 0. */
  zero?: ZeroSummary;
  /**
   * The result of the MLScaler at the replica-hours of the HPA; with nodes, of that with a buffer at its node-hours.
   * Absent when no target of at most 100 % costs as little.
   */
  at_cost_of_hpa?: { utilization_percent: number; unserved_percent: number };
  /** Rises in which max_extra_percent held the forecast back, and what would be unserved without it. */
  held_back?: { rises: number; of: number; unserved_percent: number };
  notes: string[];
}

/** Whether a forecast is worth its cost, and why. */
export interface Judgement {
  verdict: Verdict;
  reason: string;
}

/** The results of the policies for a target that may go to 0. */
export interface ZeroSummary {
  /** There is work while the load is above this. */
  threshold: number;
  /** Absent where HPA's rule decides. */
  cooldown_seconds?: number;
  /** A trusted forecast of load within this time keeps the target awake. */
  idle_horizon_seconds: number;
  policies: Record<ZeroPolicy, ColdStartSummary>;
}

/** The cold starts of one policy. */
export interface ColdStartSummary {
  /** How often load met no Ready replica. */
  cold_starts: number;
  /** How long it did. */
  cold_seconds: number;
  /** Load that met none, in percent of all load. */
  cold_load_percent: number;
  replica_hours: number;
  /** Replica-hours while there was no work. */
  idle_replica_hours: number;
  /** Wakes whose first load met a Ready replica; those that came late; those that met no load. */
  wakes_ahead: number;
  wakes_late: number;
  wakes_in_vain: number;
}

/** The result of one policy. */
export interface PolicySummary {
  unserved_percent: number;
  under_provisioned_percent: number;
  under_provisioned_seconds: number;
  /** Replica-hours over those of an oracle, which always has just enough ready replicas. */
  replica_hours_ratio: number;
  /** Node-hours over those of an oracle, whose nodes just hold the needed replicas; only with nodes. */
  node_hours_ratio?: number;
  /** The mean of the replicas asked for, ready or not. */
  average_replicas: number;
  actions_per_day: number;
  skill_percent?: number;
  coverage_percent?: number;
  trusted_percent?: number;
  model?: string;
}

/**
 * The summary of a comparison.
 * @param name name of the trace
 * @param notes notes for the user
 */
export function summaryOf(
  name: string,
  trace: Trace,
  scenario: Scenario,
  comparison: PolicyComparison,
  notes: string[],
): Summary {
  const { standings, atCostOfHpa, heldBack } = comparison;
  const { loads, startedAt, step } = trace;
  const { capacity, utilization, bounds, forecast, from } = scenario;
  const timeOf = (slot: number): string => new Date(startedAt + slot * step).toISOString();
  const judged = loads.slice(from + 1).filter(load => !Number.isNaN(load)).length;
  const policy = ({ foresight, ...outcome }: Standing): PolicySummary => ({
    unserved_percent: rounded(outcome.unservedPercent),
    under_provisioned_percent: rounded(outcome.underProvisionedPercent),
    under_provisioned_seconds: Math.round(((outcome.underProvisionedPercent / 100) * judged * step) / 1000),
    replica_hours_ratio: rounded(outcome.replicaHoursRatio),
    node_hours_ratio: outcome.nodeHoursRatio && rounded(outcome.nodeHoursRatio),
    average_replicas: rounded(averageReplicas(outcome, trace, scenario)),
    actions_per_day: rounded(outcome.actionsPerDay),
    skill_percent: percent(foresight?.skill),
    coverage_percent: percent(foresight?.coverage),
    trusted_percent: percent(foresight?.trusted),
    model: foresight?.model,
  });
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
      other_quantiles_percent: scenario.others,
      max_extra_percent: scenario.maxExtraPercent,
      history_size: scenario.historySize,
      ...nodesOf(scenario),
    },
    policies: Object.fromEntries(
      contendersIn(standings).map(([contender, standing]) => [contender, policy(standing)]),
    ) as Summary["policies"],
    ...zeroSummaryOf(trace, scenario, comparison),
    at_cost_of_hpa: atCostOfHpa && {
      utilization_percent: rounded(100 * atCostOfHpa.utilization),
      unserved_percent: rounded(atCostOfHpa.unservedPercent),
    },
    held_back: heldBack && {
      rises: heldBack.heldBack,
      of: heldBack.all,
      unserved_percent: rounded(heldBack.unservedPercent),
    },
    notes,
  };
}

function nodesOf({ nodes }: Scenario): Pick<Summary["scenario"], "nodes"> {
  if (!nodes) return {};
  return {
    nodes: {
      replicas: nodes.replicas,
      start_up_seconds: nodes.startUpSeconds,
      idle_seconds: idleNodeSeconds,
      static_buffer_percent: staticBufferPercent,
    },
  };
}

function zeroSummaryOf(trace: Trace, scenario: Scenario, comparison: PolicyComparison): Pick<Summary, "zero"> {
  const found = coldStartsOf(trace, scenario, comparison);
  const { zero } = scenario;
  if (!found || !zero) return {};
  const of = ({ coldStarts, wakes, ...figures }: ZeroFigures): ColdStartSummary => {
    const count = (kind: Wake["kind"]): number => wakes.filter(wake => wake.kind === kind).length;
    return {
      cold_starts: coldStarts.length,
      cold_seconds: Math.round(figures.coldSeconds),
      cold_load_percent: rounded(figures.coldPercent),
      replica_hours: rounded(figures.replicaHours),
      idle_replica_hours: rounded(figures.idleReplicaHours),
      ...{ wakes_ahead: count("Ahead"), wakes_late: count("Late"), wakes_in_vain: count("InVain") },
    };
  };
  return {
    zero: {
      threshold: zero.threshold,
      cooldown_seconds: zero.block?.cooldown_seconds,
      idle_horizon_seconds: (zero.idleSteps * trace.step) / 1000,
      policies: {
        always_one: of(found.always_one),
        cool_down: of(found.cool_down),
        mlscaler: of(found.mlscaler),
        perfect: of(found.perfect),
      },
    },
  };
}

const rounded = (value: number): number => Number(value.toFixed(4));
const percent = (share: number | undefined): number | undefined =>
  share === undefined ? undefined : rounded(100 * share);
