import { Foresight, foreseen, Kept, lineForeseen, perfectlyForeseen } from "./foresight";
import { Rises, risesOf } from "../../capabilities/mlscaler/backtest/rises";
import { autoscalerOf, type Policy } from "../../capabilities/mlscaler/backtest/autoscalers";
import { assistedOf, observedOf } from "./beside-hpa";
import { Scenario } from "../../capabilities/mlscaler/backtest/scenario";
import { idleNodeSeconds, type NodePool } from "../../capabilities/mlscaler/backtest/nodes";
import { Figures, figuresOf, replay, replicasNeeded, type Workload } from "../../capabilities/mlscaler/backtest/replay";
import { Progress } from "./progress";
import { Trace } from "./trace";

/** The compared policies. */
const policies = [
  ...["hpa", "hpa_buffer", "hpa_forecast_buffer", "short_form", "assist", "mlscaler", "mlscaler_buffer", "perfect"],
] as const;
export type Contender = (typeof policies)[number];

/** Those that ask for nodes before pods: an HPA with a static buffer, and with one by the forecast, and an MLScaler. */
const buffered = ["hpa_buffer", "hpa_forecast_buffer", "mlscaler_buffer"] as const;
type Buffered = (typeof buffered)[number];

/** A value of each policy. Those with a buffer are absent without nodes. */
export type ByContender<Value> = Record<Exclude<Contender, Buffered>, Value> & Partial<Record<Buffered, Value>>;

/** The policies with a value, in the order of the tables. */
export const contendersIn = <Value>(of: ByContender<Value>): [contender: Contender, value: Value][] =>
  policies.flatMap(contender => {
    const value = of[contender];
    return value === undefined ? [] : [[contender, value] as [Contender, Value]];
  });

/** The static buffer beside an HPA, in percent of its replicas. */
export const staticBufferPercent = 20;

/** The result of one policy. */
export interface Standing extends Figures {
  /** Its forecasts; absent for the HPA. */
  foresight?: Foresight;
}

/** The results of all policies on one trace. */
export interface PolicyComparison {
  standings: ByContender<Standing>;
  /** An HPA that always keeps one replica; present for a spec that may go to 0. */
  alwaysOne?: Standing;
  /** The result of the MLScaler at the cost of the HPA: its node-hours, or replica-hours. Absent without a target of at most 100 % that costs as little. */
  atCostOfHpa?: { utilization: number; unservedPercent: number };
  /** Present when `max_extra_percent` held the forecast back, with what would be unserved without it. */
  heldBack?: Rises & { unservedPercent: number };
}

/** The most utilizations that the search for the replica-hours of the HPA tries. */
const tries = 6;
/** The ratio of replica-hours up to which they count as equal. */
const equalRatio = 1.002;

/** Syncs of a replay that take as long as the forecast of one slot, so that a progress is in proportion to time. */
const syncsOfForecast = 150;

/** The effort of one replay, in slots of a forecast. */
export const effortOfReplay = ({ loads }: Trace, { from, syncsPerStep }: Scenario): number =>
  Math.ceil(((loads.length - from) * syncsPerStep) / syncsOfForecast);

/**
 * Replays a trace with each policy. Yields its progress.
 * @param others further quantiles in percent at which the forecast of the MLScaler is kept
 */
export function* compare(
  trace: Trace,
  scenario: Scenario,
  others?: readonly number[],
): Generator<Progress, PolicyComparison> {
  const { loads } = trace;
  const forecasts = loads.length - scenario.from;
  const aReplay = effortOfReplay(trace, scenario);
  const total = forecasts + aReplay * (policies.length + tries + 1 + (scenario.zero ? 1 : 0));
  let done = 0;
  const counted = (figures: Figures): Figures => {
    done += aReplay;
    return figures;
  };

  const engine = foreseen(loads, scenario, others);
  let next = engine.next();
  // Its own progress leaves out the history, which takes as long.
  for (; !next.done; next = engine.next()) yield { done: Math.min(done++, forecasts), total };
  done = forecasts;
  const prompt = withoutCoolDown(scenario);
  const [forecast, line, known] = [next.value, lineForeseen(loads, scenario), perfectlyForeseen(loads, prompt)];

  const ours = policyAsShipped(forecast, scenario);
  const withBuffer = bufferedPolicyOf(forecast, scenario);
  const hpa = counted(scaled(loads, {}, scenario));
  yield { done, total };
  const shortForm = counted(scaled(loads, { foreseen: line.highest, rule: "per unit" }, scenario));
  yield { done, total };
  const assist = counted(scaled(loads, ours, scenario, assistedOf));
  yield { done, total };
  const mlscaler = counted(scaled(loads, ours, scenario));
  yield { done, total };
  const mlscalerBuffer = withBuffer && counted(scaled(loads, withBuffer, scenario));
  yield { done, total };
  const hpaBuffer = withBuffer && counted(scaled(loads, withBuffer, scenario, observedOf));
  yield { done, total };
  const perfect = counted(scaled(loads, policyOf(known), prompt));
  yield { done, total };
  const alwaysOne = scenario.zero && counted(scaled(loads, {}, withoutZero(scenario)));

  const rises = risesOf(loads, forecast.highest, scenario);
  const free = (): Figures => scaled(loads, ours, { ...scenario, maxExtraPercent: undefined });
  const heldBack = rises.heldBack > 0 && { ...rises, unservedPercent: counted(free()).unservedPercent };

  // The cost is nearly inverse to the utilization, so a few tries are enough.
  let tried: { utilization: number; outcome: Figures } = {
    ...{ utilization: scenario.utilization, outcome: mlscalerBuffer ?? mlscaler },
  };
  const over = (): number => costOf(tried.outcome) / costOf(hpa);
  // At 0 replicas the utilization changes nothing, and nobody can use a replica beyond what it serves.
  for (let count = 0; count < tries && over() > equalRatio && !scenario.zero && tried.utilization <= 1; count++) {
    const fuller = { ...scenario, utilization: tried.utilization * over() };
    tried = {
      utilization: fuller.utilization,
      outcome: counted(scaled(loads, withBuffer ?? ours, fuller)),
    };
    yield { done, total };
  }
  return {
    standings: {
      hpa,
      ...(mlscalerBuffer &&
        hpaBuffer && {
          hpa_buffer: withStaticBuffer(loads, hpa, scenario),
          hpa_forecast_buffer: { ...hpaBuffer, foresight: forecast },
          mlscaler_buffer: { ...mlscalerBuffer, foresight: forecast },
        }),
      short_form: { ...shortForm, foresight: line },
      assist: { ...assist, foresight: forecast },
      mlscaler: { ...mlscaler, foresight: forecast },
      perfect: { ...perfect, foresight: known },
    },
    ...(alwaysOne && { alwaysOne }),
    ...(heldBack && { heldBack }),
    atCostOfHpa:
      over() <= equalRatio && !scenario.zero && tried.utilization <= 1
        ? { utilization: tried.utilization, unservedPercent: tried.outcome.unservedPercent }
        : undefined,
  };
}

/** What a policy costs: its nodes where there are some, else its replicas. */
export const costOf = ({ nodeHoursRatio, replicaHoursRatio }: Figures): number => nodeHoursRatio ?? replicaHoursRatio;

/** Who knows the load to come needs no cool-down, and only the start-up time to wake. */
const withoutCoolDown = (scenario: Scenario): Scenario => {
  const { zero } = scenario;
  if (!zero?.block) return scenario;
  const block = { ...zero.block, cooldown_seconds: 0 };
  return { ...scenario, zero: { ...zero, block, idleSteps: scenario.forecast.horizon } };
};

/** The same target, which keeps a replica. Its need is counted as that of a target that may go to 0. */
const withoutZero = (scenario: Scenario): Scenario => ({
  ...scenario,
  bounds: { ...scenario.bounds, min: 1 },
  zero: scenario.zero && { ...scenario.zero, block: undefined },
});

/** The policy that scales by forecasts. */
export const policyOf = ({ highest, atZero }: Kept): Policy => ({ foreseen: highest, atZero });

/** The policy of the controller: the outcome chooses among the quantiles of the scenario, and the forecast steps back. */
export const policyAsShipped = (kept: Kept, { others }: Scenario): Policy => ({
  ...policyOf(kept),
  others: others && kept.atOthers?.map((other, index) => ({ percent: others[index] ?? NaN, ...policyOf(other) })),
  stepsBack: true,
});

/** The same with a capacity buffer; undefined without nodes. */
export const bufferedPolicyOf = (foresight: Foresight, scenario: Scenario): Policy | undefined =>
  foresight.ofReplicas && {
    ...policyAsShipped(foresight.ofReplicas, scenario),
    untilNodes: policyAsShipped(foresight, scenario),
  };

/**
 * Replays the loads sync by sync, as the controller does. A step of a coarse trace spans many syncs, and the limits of
 * growth apply to each of them.
 */
export function scaled(loads: number[], policy: Policy, scenario: Scenario, by = autoscalerOf): Figures {
  const { workload, first } = workloadOf(loads, scenario);
  return replay(workload, first, by(loads, policy, scenario));
}

/**
 * The result of an HPA beside which a buffer holds room for a share of its replicas, at least 1, whatever takes it.
 * @param hpa the result of the HPA in the same scenario
 */
export function withStaticBuffer(loads: number[], hpa: Figures, scenario: Scenario): Figures {
  const { workload, first } = workloadOf(loads, scenario);
  const bufferOf = (replicas: number): number => Math.max(1, Math.ceil((replicas * staticBufferPercent) / 100));
  const wanted = hpa.replicas.map(replicas => ({ replicas, buffer: bufferOf(replicas) }));
  return figuresOf(workload, first, wanted);
}

/** The load by sync and what serves it, and the replicas at its beginning. */
function workloadOf(loads: number[], scenario: Scenario): { workload: Workload; first: number } {
  const { capacity, utilization, syncsPerStep, startUpSeconds, forecast, from, bounds, zero, nodes } = scenario;
  const stepSeconds = forecast.step / 1000 / syncsPerStep;
  const stepsIn = (seconds: number): number => Math.ceil(seconds / stepSeconds);
  const bySync = new Float64Array(loads.length * syncsPerStep);
  for (const [slot, load] of loads.entries()) bySync.fill(load, slot * syncsPerStep, (slot + 1) * syncsPerStep);
  const known = loads.slice(0, from + 1).findLast(load => !Number.isNaN(load)) ?? 0;
  const first = Math.min(Math.max(replicasNeeded(known, capacity * utilization), bounds.min), bounds.max);
  const pool: NodePool | undefined = nodes && {
    ...{ replicas: nodes.replicas, startUpSteps: stepsIn(nodes.startUpSeconds), idleSteps: stepsIn(idleNodeSeconds) },
  };
  const workload = {
    loads: bySync,
    capacity,
    startUpSteps: stepsIn(startUpSeconds),
    stepSeconds,
    from: (from + 1) * syncsPerStep - 1,
    idleUpTo: zero?.threshold,
    nodes: pool,
  };
  return { workload, first };
}

/** The mean of the replicas that a policy asks for, ready or not, while the load is known. */
export function averageReplicas(
  { replicaHoursRatio }: Figures,
  { loads }: Trace,
  { from, capacity, zero }: Scenario,
): number {
  const known = loads.slice(from + 1).filter(load => !Number.isNaN(load));
  return (
    (replicaHoursRatio * known.reduce((sum, load) => sum + replicasNeeded(load, capacity, zero?.threshold), 0)) /
    known.length
  );
}
