import { deflateRawSync } from "node:zlib";
import { sourceOf } from "../../capabilities/mlscaler/metrics/registry";
import { nameOf } from "../../capabilities/mlscaler/metrics/total";
import { Scenario } from "../../capabilities/mlscaler/backtest/scenario";
import { InputError } from "../manifests";
import { Gain, Verdict } from "../simulate/gain";
import { reasonOf } from "../simulate/reason";
import { nextStepOf } from "../simulate/next-step";
import { reportDataOf } from "../simulate/report/data";
import { scenarioOf } from "../simulate/scenario";
import { summaryOf } from "../simulate/summary";
import { durationText } from "../simulate/time";
import { Trace } from "../simulate/trace";
import { Recorded } from "./load";
import { replayed } from "./replay";
import { Workload } from "./workloads";

/** A workload with its load, to be replayed. */
export interface Job {
  workload: Workload;
  recorded: Recorded;
  /** What the report tells; without it there is none. */
  origin?: { command: string; version: string; at: Date; price?: number };
}

/** One line of the survey, as --json prints it. Loads are in cores, bytes or the unit of the query. */
export interface Row {
  /** "shop/web". */
  workload: string;
  scaler: Workload["scaler"];
  /** "Deployment/web". */
  target: string;
  metric: string;
  verdict: Verdict;
  /** Why, in one clause. */
  reason: string;
  skill_percent?: number;
  trusted_percent?: number;
  unserved_percent: {
    hpa: number;
    mlscaler: number;
    /** Of the best that needs no forecast, for the replica-hours of the MLScaler. */
    without_forecast_at_equal_cost: number;
  };
  /** The replica-hours of the MLScaler over those of the HPA. */
  extra_replica_hours_percent: number;
  /** Against the cheapest that needs no forecast and leaves as little unserved. */
  saved_replica_hours_percent: number;
  /** The same in 30 days. */
  saved_replica_hours: number;
  average_replicas: { hpa: number; mlscaler: number; recorded?: number };
  /** `node_seconds` is there where pods waited for nodes that were made after them. */
  load: { mean: number; days: number; capacity: number; start_up_seconds: number; node_seconds?: number };
  /** Why the load is in doubt; it is one of the notes, too. */
  doubt?: string;
  notes: string[];
}

/** A row, its load drawn small, and its report. */
export interface Judged {
  row: Row;
  /** Means of the judged load, oldest first; null in a gap. */
  sparkline: (number | null)[];
  /** The data of the report as JSON, deflated, in base64. */
  report?: string;
}

/** Slots of a day. */
const daySlots = 288;

/** Days that are judged, the least to judge, and the least to learn from before. */
const judgedDays = 7;
const leastDays = 3;

/** Start-up where Prometheus does not know it, as that of `simulate`. */
const defaultStartUp = 180;

/** Points of a sparkline. */
const points = 84;

/** Hours in 30 days. */
const monthHours = 720;

/**
 * Judges a workload by its last seven days, or by the last half of a shorter load. Throws InputError when its load is
 * missing or too short, or when the request that its target is a share of is unknown.
 */
export function judged({ workload, recorded, origin }: Job): Judged {
  const notes = [...workload.notes];
  const trace = traceOf(recorded);
  const scenario = survey(trace, workload, recorded, notes);
  const { gain, comparison, tradeOff, replicas } = replayed(trace, scenario);
  const judgedLoads = trace.loads.slice(scenario.from + 1);
  const known = judgedLoads.filter(load => !Number.isNaN(load));
  const { skill, trusted } = comparison.standings.mlscaler.foresight ?? {};
  const doubt = doubtOf(workload, recorded.replicas, replicas.hpa);
  if (doubt !== undefined) notes.push(doubt);
  const nodeSeconds = recorded.nodeSeconds && Math.round(recorded.nodeSeconds);
  if (nodeSeconds !== undefined)
    notes.push(
      `its pods waited ${nodeSeconds} s for new nodes, which is not replayed: mlscaler simulate --node-start-up`,
    );
  const saved = (replicas.mlscaler / (1 - gain.savedPercent / 100) - replicas.mlscaler) * monthHours;
  const judgement =
    doubt === undefined ? judgementOf(gain, trace, scenario) : { verdict: "unsure" as const, reason: doubt };
  const row: Row = {
    workload: workload.key,
    scaler: workload.scaler,
    target: `${workload.target.kind}/${workload.target.name}`,
    metric: nameOf(workload.metric),
    ...judgement,
    skill_percent: percent(skill),
    trusted_percent: percent(trusted),
    unserved_percent: {
      hpa: rounded(gain.unservedPercent.hpa),
      mlscaler: rounded(gain.unservedPercent.mlscaler),
      without_forecast_at_equal_cost: rounded(gain.equalCost.unserved),
    },
    extra_replica_hours_percent: rounded(gain.extraPercent),
    saved_replica_hours_percent: rounded(gain.savedPercent),
    saved_replica_hours: Math.round(saved),
    average_replicas: {
      hpa: rounded(replicas.hpa),
      mlscaler: rounded(replicas.mlscaler),
      ...(recorded.replicas !== undefined && { recorded: rounded(recorded.replicas) }),
    },
    load: {
      mean: short(known.reduce((sum, load) => sum + load, 0) / known.length),
      days: Math.round((10 * trace.loads.length) / daySlots) / 10,
      capacity: short(scenario.capacity),
      start_up_seconds: Math.round(scenario.startUpSeconds),
      ...(nodeSeconds !== undefined && { node_seconds: nodeSeconds }),
    },
    ...(doubt !== undefined && { doubt }),
    notes,
  };
  const sparkline = drawnSmall(judgedLoads);
  if (!origin) return { row, sparkline };
  const summary = { ...summaryOf(workload.key, trace, scenario, comparison, notes), judgement };
  const report = reportDataOf(summary, trace, scenario, comparison, tradeOff, {
    ...origin,
    ...{ zone: "UTC", nextStep: nextStepOf(workload.written, judgement.verdict) },
  });
  return { row, sparkline, report: deflateRawSync(JSON.stringify(report)).toString("base64") };
}

/** The ratio of simulated and recorded replicas from which on the load or its unit is in doubt. */
const doubtful = 1.8;

/** Why a load is in doubt: its replicas are not those that the HPA had. */
export function doubtOf({ spec }: Workload, recorded: number | undefined, simulated: number): string | undefined {
  if (recorded === undefined) return undefined;
  const ratio = simulated / recorded;
  // Another metric of the same HPA may ask for more.
  const isLow = ratio < 1 / doubtful && spec.metrics?.length === 1;
  if (ratio < doubtful && !isLow) return undefined;
  const [most, least] = [simulated, recorded].map(count => Number(count.toPrecision(3)));
  return (
    `its HPA had ${least} replicas on average, and ${most} are simulated for the load in Prometheus: ` +
    (isLow
      ? "a part of its series may be missing"
      : "its series may be duplicated, for example by two scrapes of a kubelet")
  );
}

/** The load, if it is long enough. */
function traceOf({ trace }: Recorded): Trace {
  if (!trace) throw new InputError("Prometheus has no load of its pods; see --queries, and its names of pods");
  const days = trace.loads.length / daySlots;
  if (days < leastDays)
    throw new InputError(`Prometheus has its load for ${days.toFixed(1)} days, ${leastDays} are needed`);
  return trace;
}

/** The scenario of `simulate`, with the load that a pod serves and its start-up as recorded. */
function survey(trace: Trace, workload: Workload, recorded: Recorded, notes: string[]): Scenario {
  const slots = trace.loads.length;
  const judgedSlots = Math.min(judgedDays * daySlots, Math.floor(slots / 2));
  const { startUpSeconds = defaultStartUp } = recorded;
  if (recorded.startUpSeconds === undefined)
    notes.push(`Prometheus does not know how long its pods start: ${durationText(defaultStartUp)} is assumed`);
  const sizes = sizesOf(workload, recorded);
  // The spec with the metric whose load is replayed alone.
  const manifest = { ...workload.manifest, spec: { ...workload.manifest.spec, metrics: [workload.metric] } };
  const { scenario, notes: ofScenario } = scenarioOf(trace, {
    spec: { source: workload.key, text: JSON.stringify(manifest) },
    capacity: sizes?.capacity,
    startUpSeconds,
    historyPercent: 100 * (1 - (judgedSlots + 1) / slots),
    withoutZero: true,
  });
  notes.push(...ofScenario);
  // Finer syncs would take longer and decide the same, unless pods start within less.
  const syncSeconds = Math.min(Math.max(startUpSeconds, 15), 60);
  return { ...scenario, ...sizes, syncsPerStep: Math.round(trace.step / 1000 / syncSeconds) };
}

/** The target as a share of the load that a pod can serve; undefined for a target that is a load. */
function sizesOf({ metric }: Workload, { request }: Recorded): Pick<Scenario, "capacity" | "utilization"> | undefined {
  const { averageUtilization } = sourceOf(metric).block.target;
  if (averageUtilization === undefined) return undefined;
  if (request === undefined)
    throw new InputError("Prometheus does not know the requests of its pods (kube_pod_container_resource_requests)");
  const share = averageUtilization / 100;
  // Pods that may use more than their request serve more than it.
  return share < 1 ? { capacity: request, utilization: share } : { capacity: request * share * 1.25, utilization: 0.8 };
}

/** The verdict and its reason, with what makes the load thin: less than two weeks, or gaps. */
function judgementOf(gain: Gain, { loads }: Trace, { from }: Scenario): Pick<Row, "verdict" | "reason"> {
  const known = loads.filter(load => !Number.isNaN(load)).length / loads.length;
  const isShort = loads.length < 2 * judgedDays * daySlots - daySlots;
  const thin = [
    ...(isShort ? [`only ${((loads.length - from - 1) / daySlots).toFixed(1)} days are judged`] : []),
    ...(known < 0.9 ? [`${Math.round(100 * known)} % of the load is known`] : []),
  ];
  return { verdict: gain.verdict, reason: [reasonOf(gain), ...thin].join("; ") };
}

/** The means of equal parts of a load. */
function drawnSmall(loads: number[]): (number | null)[] {
  const width = loads.length / points;
  return Array.from({ length: points }, (_, index) => {
    const part = loads.slice(Math.floor(index * width), Math.floor((index + 1) * width));
    const known = part.filter(load => !Number.isNaN(load));
    return known.length === 0 ? null : short(known.reduce((sum, load) => sum + load, 0) / known.length);
  });
}

const rounded = (value: number): number => Number(value.toFixed(4));
const short = (value: number): number => Number(value.toPrecision(4));
const percent = (share: number | undefined): number | undefined =>
  share === undefined ? undefined : rounded(100 * share);
