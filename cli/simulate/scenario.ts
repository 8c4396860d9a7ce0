import { checkSpec } from "../../capabilities/definition/check";
import { milliValue } from "../../capabilities/kubernetes/quantity";
import { Nodes, Scenario, Zero } from "../../capabilities/mlscaler/backtest/scenario";
import { firstQuantile, otherQuantiles } from "../../capabilities/mlscaler/forecast/forecast";
import { Model } from "../../capabilities/mlscaler/forecast/models/models";
import { forecastSchema } from "../../capabilities/mlscaler/forecast/schema";
import { activationsOf } from "../../capabilities/mlscaler/metrics/activation";
import { referenceTo, sourceOf } from "../../capabilities/mlscaler/metrics/registry";
import { capacityOf } from "../../capabilities/mlscaler/metrics/total";
import { idleSecondsOf } from "../../capabilities/mlscaler/scaling/zero/activity";
import { mlscaler, Spec } from "../../capabilities/mlscaler/schema";
import { defaultUtilization } from "../../capabilities/mlscaler/assist/hpa-metrics";
import type { Mode } from "../../capabilities/mlscaler/target/target";
import type { Conversion } from "../conversion";
import { convert } from "../hpa";
import { documentsOf, InputError } from "../manifests";
import { durationText } from "./time";
import { Trace } from "./trace";

/** The options of the command line. */
export interface Choices {
  /** Name and text of a file with an MLScaler or an HPA. */
  spec?: { source: string; text: string };
  capacity?: number;
  utilizationPercent?: number;
  startUpSeconds: number;
  /** The nodes that replicas wait for; absent where there is always room. */
  nodes?: Pick<Nodes, "replicas" | "startUpSeconds">;
  model?: Model;
  /** The part of the trace to learn from. */
  historyPercent: number;
  /** Whether `scale_to_zero` and cold starts are left out. */
  withoutZero?: boolean;
}

/** Replicas at the mean load, for the capacity that is assumed without --capacity and without a spec. */
const defaultReplicas = 10;
/** history_size of the line beside the forecast. */
const defaultHistorySize = 5;
/** Bounds without a spec; the highest count is that of the accuracy benchmark. */
const defaultBounds = { min: 1, max: 1000 };
/** HPA's --horizontal-pod-autoscaler-sync-period. */
const defaultSyncSeconds = 15;
/** The fewest slots of a trace. */
const fewestSlots = 10;

/** The target of a replica in a spec: a load, or a share of its capacity. */
type Target = ({ load: number } | { utilization: number }) & { metric: TargetMetric };

/** The metric of a target, and the units of its loads. */
interface TargetMetric {
  name: string;
  /** The unit in words; absent when the spec does not fix it. */
  unit?: string;
  /** The units in a file that agree with it. */
  written?: string[];
}

/** The units of cpu and memory. The short form counts memory in GiB. */
const cpu: TargetMetric = { name: "cpu", unit: "cores", written: ["core", "cores", "cpu", "cpus"] };
const memory: TargetMetric = { name: "memory", unit: "bytes", written: ["B", "bytes"] };
const shortMemory: TargetMetric = { name: "memory", unit: "GiB", written: ["GiB"] };

/** How many times the load is beyond what the spec can serve, or below what one replica serves, in a wrong unit. */
const suspicious = 10;

/** The scenario for a trace, a spec and the options, and notes for the user. Throws InputError for unusable input. */
export function scenarioOf(trace: Trace, choices: Choices): { scenario: Scenario; notes: string[] } {
  const { loads, step, startedAt } = trace;
  if (loads.length < fewestSlots)
    throw new InputError(
      `the trace has ${loads.length} slots, at least ${fewestSlots} are needed, and days to learn from`,
    );
  const notes: string[] = [];
  const spec = choices.spec && specOf(choices.spec);
  const from = Math.min(Math.floor((loads.length * choices.historyPercent) / 100), loads.length - 2);
  const target = spec && targetOf(spec, notes);
  if (spec?.schedules?.length)
    notes.push("the simulation ignores the schedules of the spec: min_replicas and max_replicas apply all the time");
  if (spec?.scale_to_zero && choices.withoutZero)
    notes.push(
      "the simulation ignores scale_to_zero: HPA's rule decides between 0 replicas and 1, without a cool-down",
    );
  const sizes = sizesOf(target, choices, loads.slice(0, from), notes);
  const block = spec?.forecast ?? forecastSchema.parse({});
  const bounds = spec ? { min: spec.min_replicas, max: spec.max_replicas } : defaultBounds;
  const judged = loads.slice(from + 1).filter(load => !Number.isNaN(load));
  if (judged.length === 0) throw new InputError("the judged part of the trace has no load in it");
  const beyond = judged.filter(load => load > sizes.capacity * bounds.max).length;
  if (beyond > 0)
    notes.push(
      `for ${((100 * beyond) / judged.length).toFixed(1)} % of the time ` +
        `${bounds.max} replicas cannot serve the load, whatever the forecast`,
    );
  if (target) notes.push(...notesOnUnit(target, trace, { ...sizes, bounds, given: choices.capacity !== undefined }));
  const { nodes } = choices;
  // A replica whose node is asked for with it is ready after both have started.
  const horizonSeconds = block.horizon_seconds ?? choices.startUpSeconds;
  const furthestSeconds = horizonSeconds + (nodes?.startUpSeconds ?? 0);
  // Replicas of the next decision are ready one step later than those of this one.
  const stepsIn = (seconds: number): number => Math.ceil((seconds * 1000) / step) + 1;
  if (nodes && stepsIn(furthestSeconds) === stepsIn(horizonSeconds))
    notes.push(
      `a forecast of ${durationText(step / 1000)} steps looks as far ahead without the time of a node, so the buffer ` +
        "stays empty: give loads by shorter steps",
    );
  return {
    scenario: {
      ...sizes,
      startUpSeconds: choices.startUpSeconds,
      syncsPerStep: Math.max(1, Math.round(step / 1000 / (spec?.sync_period_seconds ?? defaultSyncSeconds))),
      bounds,
      behavior: spec?.behavior,
      historySize: spec?.history_size ?? defaultHistorySize,
      forecast: {
        model: choices.model ?? modelOf(spec, notes),
        step,
        horizon: stepsIn(furthestSeconds),
        quantile: (block.quantile_percent ?? firstQuantile) / 100,
        seasonality: block.seasonality,
        ...(block.timezone !== undefined && { timezone: block.timezone }),
      },
      others: block.quantile_percent === undefined ? otherQuantiles : undefined,
      maxExtraPercent: block.max_extra_percent,
      begins: startedAt,
      from,
      ...(nodes && { nodes: { ...nodes, replicaHorizon: stepsIn(horizonSeconds) } }),
      ...(spec?.min_replicas === 0 &&
        !choices.withoutZero && { zero: zeroOf(spec, choices.startUpSeconds, stepsIn, judged, notes) }),
    },
    notes,
  };
}

/**
 * The rules between 0 replicas and 1.
 * @param stepsIn the steps that a number of seconds reaches into
 * @param judged the judged loads
 */
function zeroOf(
  spec: Spec,
  startUpSeconds: number,
  stepsIn: (seconds: number) => number,
  judged: number[],
  notes: string[],
): Zero {
  const block = spec.scale_to_zero;
  const [first, ...others] = activationsOf(spec);
  const threshold = first?.threshold ?? 0;
  if (first && block?.activation?.length)
    notes.push(
      `the trace is taken as the activation ${referenceTo(first.metric).metric}, too: ` +
        `there is work while it is above ${threshold}`,
    );
  if (others.length > 0 && block?.activation?.length)
    notes.push("the spec has more than one activation: the first one counts");
  if (!judged.some(load => load <= threshold))
    notes.push(
      `the judged load is never at or below ${threshold}, so the target never goes to 0; ` +
        "give a load with idle time, or an activation with a threshold above its noise",
    );
  return { block, threshold, idleSteps: stepsIn(idleSecondsOf(block, startUpSeconds)) };
}

type Manifest = NonNullable<Conversion["mlscaler"]>;

/** An MLScaler and its place in the input, for messages. */
interface Placed {
  where: string;
  manifest: Manifest;
}

/**
 * The one MLScaler in a file, or one in a mode for the HPA in it. Throws InputError when there is no such object, or
 * more than one.
 */
export function scalerIn({ source, text }: NonNullable<Choices["spec"]>, mode: Mode): Placed {
  const read = documentsOf(source, text);
  if (read.faults.length > 0) throw new InputError(read.faults.join("\n"));
  const scalers = read.inputs.flatMap(input => {
    const given = (input.manifest ?? {}) as Manifest;
    if (given.kind === mlscaler.kind) return [{ where: input.where, manifest: given }];
    const { mlscaler: converted, faults } = convert(input, { mode, forecast: "auto" });
    if (faults.length > 0) throw new InputError(faults.join("\n"));
    return converted ? [{ where: input.where, manifest: converted }] : [];
  });
  const [scaler, ...others] = scalers;
  if (!scaler || others.length > 0)
    throw new InputError(`--spec: ${source} has ${scalers.length} MLScalers and HPAs, give a file with one`);
  return scaler;
}

/** The spec of the one MLScaler, or HPA, in a file. */
function specOf(file: NonNullable<Choices["spec"]>): Spec {
  const { where, manifest } = scalerIn(file, "Observe");
  const { spec, faults } = checkSpec(mlscaler, manifest.spec);
  if (!spec) throw new InputError(faults.map(fault => `${where}: ${fault}`).join("\n"));
  return spec;
}

/** The simulated model: "auto" for a spec without a model or with "off". */
function modelOf(spec: Spec | undefined, notes: string[]): Model {
  const { model = "auto", leading = [] } = spec?.forecast ?? {};
  if (leading.length > 0) notes.push("forecast.leading in the spec is left out: the trace has no leading loads");
  if (model !== "off") return model;
  notes.push('forecast.model is "off" in the spec: the simulation uses auto');
  return "auto";
}

function targetOf(spec: Spec, notes: string[]): Target {
  const [first, ...others] = spec.metrics.flatMap((entry): Target[] => {
    const { source, block } = sourceOf(entry);
    const resource = source.resource?.(block)?.name;
    const { averageUtilization, averageValue, replicasPerUnit } = block.target;
    const inMemory = replicasPerUnit === undefined ? memory : shortMemory;
    const metric = resource === "cpu" ? cpu : resource === "memory" ? inMemory : { name: source.name(block) };
    if (replicasPerUnit !== undefined) return [{ load: capacityOf(entry, []), metric }];
    // In thousandths, as the rule reads it.
    const average = milliValue(averageValue ?? "");
    if (average !== undefined) return [{ load: average / 1000, metric }];
    return averageUtilization === undefined ? [] : [{ utilization: averageUtilization / 100, metric }];
  });
  if (!first)
    throw new InputError(
      "--spec: spec.metrics has only targets of type Value, which do not apply to a total load; " +
        "use AverageValue or Utilization",
    );
  if (others.length > 0)
    notes.push("the spec has more than one metric: the trace is taken as the load of the first one with an average");
  return first;
}

/** Notes on loads that do not seem to be in the unit of the target. */
function notesOnUnit(
  target: Target,
  { loads, unit: written }: Trace,
  scales: { capacity: number; utilization: number; bounds: Scenario["bounds"]; given: boolean },
): string[] {
  const { name, unit, written: units } = target.metric;
  const of = unit === undefined ? name : `${name}, in ${unit}`;
  if (written !== undefined && units && !units.includes(written))
    return [`the target of the spec is for ${of}, but the loads are in ${written}: give a trace of ${name}`];
  // Without a target in the unit of the trace, one is assumed that fits.
  if (!("load" in target) && !scales.given) return [];
  const each = scales.capacity * scales.utilization;
  const [least, most] = [scales.bounds.min * each, scales.bounds.max * each];
  const known = loads.filter(load => !Number.isNaN(load));
  const mean = known.reduce((sum, load) => sum + load, 0) / known.length;
  const peak = known.reduce((highest, load) => Math.max(highest, load), 0);
  const range =
    `with a target of ${short(each)} (${of}) ` +
    `${scales.bounds.min} to ${scales.bounds.max} replicas are for ${short(least)} to ${short(most)}`;
  if (mean > suspicious * most)
    return [`the load is ${short(mean)} on average, but ${range}: check that the trace has the unit of the spec`];
  if (peak > 0 && peak < each / suspicious)
    return [`the load is ${short(peak)} at most, but ${range}: check that the trace has the unit of the spec`];
  return [];
}

const short = (load: number): string => String(Number(load.toPrecision(3)));

/** The capacity of a replica and its target utilization, from the target of the spec and the options. */
function sizesOf(
  target: Target | undefined,
  { capacity, utilizationPercent }: Choices,
  history: number[],
  notes: string[],
): { capacity: number; utilization: number } {
  if (target && "load" in target && capacity !== undefined && utilizationPercent === undefined)
    return { capacity, utilization: target.load / capacity };
  if (target && (capacity !== undefined || "utilization" in target) && utilizationPercent !== undefined)
    throw new InputError("--utilization: the target of the spec already sets it; leave it out");
  const given = target && "utilization" in target ? target.utilization : undefined;
  const utilization = given ?? (utilizationPercent ?? defaultUtilization) / 100;
  if (capacity !== undefined) return { capacity, utilization };
  if (target && "load" in target) return { capacity: target.load / utilization, utilization };
  const known = history.filter(load => !Number.isNaN(load));
  const mean = known.reduce((sum, load) => sum + load, 0) / known.length;
  if (!(mean > 0))
    throw new InputError("--capacity: is required, because the history in the trace has no load to estimate it from");
  const guess = Number((mean / defaultReplicas).toPrecision(3));
  notes.push(`a replica is assumed to serve ${guess}, a tenth of the mean load; set its capacity with --capacity`);
  return { capacity: guess, utilization };
}
