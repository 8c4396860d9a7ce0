import { zeroFiguresOf } from "../../cli/simulate/zero-figures";
import { type Foresight, foreseen } from "../../cli/simulate/foresight";
import type { Figures } from "../../capabilities/mlscaler/backtest/replay";
import type { Scenario } from "../../capabilities/mlscaler/backtest/scenario";
import { firstQuantile } from "../../capabilities/mlscaler/forecast/forecast";
import { forecastSchema } from "../../capabilities/mlscaler/forecast/schema";
import { runSlices } from "../../capabilities/mlscaler/forecast/sliced";
import { idleSecondsOf } from "../../capabilities/mlscaler/scaling/zero/activity";
import { type ScaleToZero, scaleToZeroSchema } from "../../capabilities/mlscaler/scaling/zero/scale-to-zero";
import { policyOf, scaled } from "../../cli/simulate/comparison";
import type { Trace } from "./trace";
import { tracesIn } from "./forecast-traces";
import { eachInAProcess } from "./processes";
import { idleTraces, withIdleTime } from "./zero-traces";

/** What a policy costs, and what it misses. */
export interface Outcome {
  replicaHours: number;
  coldStarts: number;
  /** The load that met no Ready replica, in units of the load times seconds. */
  coldLoad: number;
}

/** The results on one trace. */
export interface MeasuredAtZero {
  name: string;
  /** The share of the judged slots without load, and the replica-hours of one replica all the time. */
  idle: number;
  always: number;
  /** The share of the judged time in which the forecast was trusted. */
  trusted: number;
  ours: Outcome;
  /** The policy with a cool-down alone: as ours has it, and at our replica-hours. */
  sameCoolDown: Outcome;
  atOurHours: Outcome;
  /** Its replica-hours at our number of cold starts. */
  hoursAtOurColdStarts: number;
}

/** The part of a trace that is history, the start-up time, and the syncs of a slot. */
const historyShare = 0.7;
const startUpSeconds = 180;
const syncSeconds = 60;

/** Measures every trace of a folder, or of the project. `say` receives messages about the progress. */
export function measureZero(folder: string | undefined, say: (text: string) => void): Promise<MeasuredAtZero[]> {
  const traces = folder === undefined ? idleTraces() : withIdleTime(tracesIn(folder));
  return eachInAProcess(__filename, "zeroOn", traces, say);
}

/** The figures of one trace. */
export function zeroOn({ name, values: loads, stepMilliseconds: step }: Trace): MeasuredAtZero {
  const scenario = scenarioOf(loads, step);
  const judged = loads.slice(scenario.from + 1);
  if (!judged.some(load => load > 0)) throw new Error(`${name}: the judged part has no load; give a longer trace`);
  if (!judged.includes(0)) throw new Error(`${name}: the judged part has no idle time; give a longer trace`);
  const forecast = runSlices(foreseen(loads, scenario));
  const outcome = (as: Scenario, ahead?: Foresight): Outcome => {
    return outcomeOf(scaled(loads, ahead ? policyOf(ahead) : {}, as), loads, as);
  };
  const ours = outcome(scenario, forecast);
  const sameCoolDown = outcome(scenario);
  // Without its own cool-down a spec without a forecast would be compared with a mean of two others.
  const coolDowns = [
    sameCoolDown,
    ...coolDownsFor(judged.length, step).map(seconds => outcome(withCoolDown(scenario, seconds))),
  ];
  return {
    name,
    idle: judged.filter(load => load === 0).length / judged.length,
    always: (judged.length * step) / 3_600_000,
    trusted: forecast.trusted ?? 0,
    ours,
    sameCoolDown,
    atOurHours: atHours(coolDowns, ours.replicaHours),
    hoursAtOurColdStarts: hoursAt(coolDowns, ours.coldStarts),
  };
}

/** The defaults of the spec. One replica is enough, so that only the decision between 0 and 1 counts. */
function scenarioOf(loads: number[], step: number): Scenario {
  const block = scaleToZeroSchema.parse({});
  const { max_extra_percent } = forecastSchema.parse({});
  const stepsIn = (seconds: number): number => Math.ceil((seconds * 1000) / step) + 1;
  const capacity = loads.reduce((most, load) => Math.max(most, load), 1);
  return {
    ...{ capacity, utilization: 1, startUpSeconds, bounds: { min: 0, max: 1 }, historySize: 5 },
    syncsPerStep: Math.max(1, Math.round(step / 1000 / syncSeconds)),
    forecast: { model: "auto", step, horizon: stepsIn(startUpSeconds), quantile: firstQuantile / 100 },
    maxExtraPercent: max_extra_percent,
    from: Math.floor(loads.length * historyShare),
    zero: { block, threshold: 0, idleSteps: stepsIn(idleSecondsOf(block, startUpSeconds)) },
  };
}

const withCoolDown = (scenario: Scenario, seconds: number): Scenario => {
  const block: ScaleToZero = { ...scaleToZeroSchema.parse({}), cooldown_seconds: seconds };
  return { ...scenario, zero: scenario.zero && { ...scenario.zero, block } };
};

/** Cool-downs from none to the whole judged time, each a whole number of slots and about a sixth longer. */
function coolDownsFor(slots: number, step: number): number[] {
  const found: number[] = [];
  for (let length = 0; length < slots; length = Math.max(length + 1, Math.round(length * 1.15)))
    found.push((length * step) / 1000);
  return [...found, (slots * step) / 1000];
}

function outcomeOf(
  { replicas, ready }: Figures,
  values: number[],
  { from, syncsPerStep, forecast }: Scenario,
): Outcome {
  const loads = ready.map((_, sync) => values[from + 1 + Math.floor(sync / syncsPerStep)] ?? NaN);
  const stepSeconds = forecast.step / 1000 / syncsPerStep;
  const { coldStarts, ...figures } = zeroFiguresOf({ loads, replicas, ready, stepSeconds, threshold: 0 });
  return { replicaHours: figures.replicaHours, coldStarts: coldStarts.length, coldLoad: figures.coldLoad };
}

/** The outcome at a number of replica-hours, interpolated between the two cool-downs that enclose it. */
function atHours(outcomes: Outcome[], replicaHours: number): Outcome {
  const sorted = [...outcomes].sort((one, other) => one.replicaHours - other.replicaHours);
  const next = sorted.findIndex(one => one.replicaHours >= replicaHours);
  const [before, after] = [sorted[Math.max(0, (next < 0 ? sorted.length : next) - 1)], sorted.at(next)];
  if (!before || !after) throw new Error("there is no outcome to interpolate between");
  const span = after.replicaHours - before.replicaHours;
  const share = span > 0 ? (replicaHours - before.replicaHours) / span : 0;
  const between = (one: number, other: number): number => one + share * (other - one);
  return {
    replicaHours: between(before.replicaHours, after.replicaHours),
    coldStarts: between(before.coldStarts, after.coldStarts),
    coldLoad: between(before.coldLoad, after.coldLoad),
  };
}

/** The fewest replica-hours with at most a number of cold starts, interpolated likewise. */
function hoursAt(outcomes: Outcome[], coldStarts: number): number {
  const sorted = [...outcomes].sort((one, other) => one.replicaHours - other.replicaHours);
  const next = sorted.findIndex(one => one.coldStarts <= coldStarts);
  const [before, after] = [sorted[next - 1], sorted[next]];
  if (!after) return NaN;
  if (!before) return after.replicaHours;
  const share = (before.coldStarts - coldStarts) / (before.coldStarts - after.coldStarts);
  return before.replicaHours + share * (after.replicaHours - before.replicaHours);
}
