import { Foresight, foreseen, lineForeseen, perfectlyForeseen } from "../../capabilities/mlscaler/backtest/foresight";
import { Ask, byForecast, byLine, byLoad, policyOf } from "../../capabilities/mlscaler/backtest/policies";
import { Scenario } from "../../capabilities/mlscaler/backtest/scenario";
import { Outcome, replay, replicasNeeded } from "../../capabilities/mlscaler/backtest/simulation";
import { Trace } from "./trace";

/** The policies that are compared. */
export const contenders = ["hpa", "short_form", "mlscaler", "perfect"] as const;
export type Contender = (typeof contenders)[number];

/** How one of them did. */
export interface Standing extends Outcome {
  /** What it foresaw; the HPA foresees nothing. */
  foresight?: Foresight;
}

export interface Comparison {
  standings: Record<Contender, Standing>;
  /** What the MLScaler would leave unserved for the replica-hours of the HPA; absent when it cannot be that cheap. */
  atCostOfHpa?: { utilization: number; unservedPercent: number };
}

/** How far the work is, of `total`. */
export interface Progress {
  done: number;
  total: number;
}

/** How often a utilization is tried at which the MLScaler costs what the HPA does, and how much more still passes for as much. */
const tries = 6;
const asMuch = 1.002;

/** Replays a trace with each of the contenders. Yields now and then, so that progress can be shown. */
export function* compare(trace: Trace, scenario: Scenario): Generator<Progress, Comparison> {
  const { loads } = trace;
  const ahead = loads.length - scenario.from;
  // A replay is quick beside a forecast of every slot.
  const aReplay = Math.ceil(ahead / 50);
  const total = ahead + aReplay * (contenders.length + tries);
  let done = 0;
  const run = (ask: Ask, as: Scenario): Outcome => {
    done += aReplay;
    return scaled(loads, ask, as);
  };

  const engine = foreseen(loads, scenario);
  let next = engine.next();
  for (; !next.done; next = engine.next()) yield { done: next.value, total };
  done = ahead;
  const [forecast, line, known] = [next.value, lineForeseen(loads, scenario), perfectlyForeseen(loads, scenario)];

  const hpa = run(byLoad(loads, scenario), scenario);
  yield { done, total };
  const shortForm = run(byLine(loads, line.highest, scenario), scenario);
  yield { done, total };
  const mlscaler = run(byForecast(loads, forecast.highest, scenario), scenario);
  yield { done, total };
  const perfect = run(byForecast(loads, known.highest, scenario), scenario);
  yield { done, total };

  // Replica-hours are about inverse to the utilization, but for whole replicas, so that a few tries are enough.
  let tried: { utilization: number; outcome: Outcome } = { utilization: scenario.utilization, outcome: mlscaler };
  const over = (): number => tried.outcome.replicaHoursRatio / hpa.replicaHoursRatio;
  for (let count = 0; count < tries && over() > asMuch; count++) {
    const fuller = { ...scenario, utilization: tried.utilization * over() };
    tried = {
      utilization: fuller.utilization,
      outcome: run(byForecast(loads, forecast.highest, fuller), fuller),
    };
    yield { done, total };
  }
  return {
    standings: {
      hpa,
      short_form: { ...shortForm, foresight: line },
      mlscaler: { ...mlscaler, foresight: forecast },
      perfect: { ...perfect, foresight: known },
    },
    atCostOfHpa:
      over() <= asMuch ? { utilization: tried.utilization, unservedPercent: tried.outcome.unservedPercent } : undefined,
  };
}

/**
 * Replays the loads sync by sync. They are those of the controller: it reads, decides and writes many times within a
 * step of a coarse trace, and how fast it may grow is counted in syncs.
 */
function scaled(loads: number[], ask: Ask, scenario: Scenario): Outcome {
  const { capacity, utilization, syncsPerStep, startUpSeconds, forecast, from, bounds } = scenario;
  const stepSeconds = forecast.step / 1000 / syncsPerStep;
  const bySync = new Float64Array(loads.length * syncsPerStep);
  for (const [slot, load] of loads.entries()) bySync.fill(load, slot * syncsPerStep, (slot + 1) * syncsPerStep);
  const known = loads.slice(0, from + 1).findLast(load => !Number.isNaN(load)) ?? 0;
  const first = Math.min(Math.max(replicasNeeded(known, capacity * utilization), bounds.min), bounds.max);
  const workload = {
    loads: bySync,
    capacity,
    startUpSteps: Math.ceil(startUpSeconds / stepSeconds),
    stepSeconds,
    from: (from + 1) * syncsPerStep - 1,
  };
  return replay(workload, first, policyOf(ask, scenario));
}
