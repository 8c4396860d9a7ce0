import { z } from "zod";
import { Condition } from "../../capabilities/kubernetes/conditions";
import type { ConditionType, Reason } from "../../capabilities/mlscaler/report/conditions";
import { fieldsSchema, statusSchema } from "../../capabilities/mlscaler/schema";
import { type Mode, targetOf } from "../../capabilities/mlscaler/target/target";
import type { Overdue } from "./overdue";
import type { Problem } from "./problem";
import { State, states } from "./state";

/** One MLScaler of the fleet, as --json prints it. What its status does not have is absent. */
export interface Row {
  /** "shop/web". */
  mlscaler: string;
  /** "Deployment/web". */
  target: string;
  mode: Mode;
  /** The autoscaler that scales the target, and its minimum: "2→9" is 2 that is raised to 9. */
  assist?: { autoscaler: string; min_replicas: string };
  pause: "None" | "All" | "Down" | "Up";
  state: State;
  replicas: { current?: number; desired?: number };
  /** The model with the most weight. */
  model?: string;
  /** Over the last day, against the last value. */
  skill_percent?: number;
  /** The condition ForecastReady. */
  trust?: { reason: string; message: string; since: string };
  /** With the forecast, and without it. Absent in Observe, where another autoscaler makes the replicas. */
  last_24_hours?: {
    saved_replica_hours: number;
    underprovisioned_seconds: number;
    underprovisioned_seconds_without_forecast: number;
  };
  problems: Problem[];
}

const objectSchema = z.object({
  metadata: z.object({
    name: z.string(),
    namespace: z.string(),
    generation: z.int().optional(),
    creationTimestamp: z.string().optional(),
  }),
  spec: z.object(fieldsSchema.pick({ target_deployment: true, target_ref: true, mode: true, pause: true }).shape),
  status: statusSchema.optional(),
});

type Scaler = z.output<typeof objectSchema>;

/**
 * The row of an MLScaler as the cluster has it. Undefined when it is none that this version knows.
 * @param overdue raised minimums whose time has passed, of any MLScaler
 */
export function rowOf(manifest: unknown, overdue: Overdue[] = []): Row | undefined {
  const { data: scaler } = objectSchema.safeParse(manifest);
  if (!scaler) return undefined;
  const { metadata, spec, status = {} } = scaler;
  const { kind, name } = targetOf(spec);
  const trust = status.conditions?.find(({ type }) => type === forecastReady);
  const key = `${metadata.namespace}/${metadata.name}`;
  const problems = [...overdue.flatMap(({ by, problem }) => (by === key ? problem : [])), ...problemsOf(scaler)];
  const { shadow, forecast, assist, min_replicas = "" } = status;
  return {
    mlscaler: key,
    target: `${kind}/${name}`,
    mode: spec.mode,
    ...(assist && { assist: { autoscaler: assist.autoscaler, min_replicas } }),
    pause: spec.pause,
    state: problems[0]?.level ?? stateOf(spec.pause, trust),
    replicas: { current: status.current_replicas, desired: status.predicted_replicas },
    model: forecast?.model,
    skill_percent: forecast?.skill_percent,
    trust: trust && { reason: trust.reason, message: trust.message, since: trust.lastTransitionTime },
    last_24_hours:
      spec.mode === "Observe" || !shadow
        ? undefined
        : {
            saved_replica_hours: shadow.replica_hours_saved_24h,
            underprovisioned_seconds: shadow.underprovisioned_seconds_24h,
            underprovisioned_seconds_without_forecast: shadow.underprovisioned_seconds_hpa_24h,
          },
    problems,
  };
}

/** The rows that need attention first. Of one state, those that were underprovisioned longest. */
export const sorted = (rows: Row[]): Row[] =>
  rows.toSorted(
    (one, other) =>
      states.indexOf(one.state) - states.indexOf(other.state) ||
      underprovisioned(other) - underprovisioned(one) ||
      one.mlscaler.localeCompare(other.mlscaler),
  );

const underprovisioned = ({ last_24_hours: day }: Row): number => day?.underprovisioned_seconds ?? 0;

const forecastReady: ConditionType = "ForecastReady";

/** Conditions that are True in an MLScaler without a fault, the one that says most first. */
const wanted: ConditionType[] = ["Ready", "AbleToScale", "ScalingActive"];

/** Conditions that are there only while something is wrong. */
const unwanted: ConditionType[] = ["ClockSkewed", "ReplicasPending"];

/** A pause is what the user wants. */
const paused: Reason<"ScalingActive"> = "Paused";

/** What keeps an MLScaler that has no fault from what it wants. */
const warnings: string[] = [
  "ScalingDisabled" satisfies Reason<"ScalingActive">,
  ...(["Unschedulable", "SchedulingGated", "ReplicasMissing"] satisfies Reason<"ReplicasPending">[]),
  ...(["TooManyReplicas", "ForecastLimited"] satisfies Reason<"ScalingLimited">[]),
  ...(["ModelFailed", "QuotaExceeded"] satisfies Reason<"ForecastReady">[]),
];

/** The problems of an MLScaler, one a reason, the worst first. */
function problemsOf({ metadata, status }: Scaler): Problem[] {
  const { generation = 0, creationTimestamp } = metadata;
  const conditions = status?.conditions ?? [];
  const found: Problem[] = [];
  if (conditions.length === 0) {
    const message = "not synced yet; if this lasts, the watcher does not run, or does not watch this namespace";
    found.push({ level: "not synced", reason: "NeverSynced", message, since: creationTimestamp });
  } else if ((status?.observedGeneration ?? 0) < generation) {
    const message = "not synced since its spec changed; if this lasts, the watcher does not run, or is late";
    found.push({ level: "not synced", reason: "SpecNotSynced", message });
  }
  const ofTypes = (types: ConditionType[]): Condition[] =>
    types.flatMap(type => conditions.find(condition => condition.type === type) ?? []);
  const wrong = [
    ...ofTypes(wanted).filter(({ status, reason }) => status !== "True" && reason !== paused),
    ...ofTypes(unwanted).filter(({ status }) => status === "True"),
    ...ofTypes(["ScalingLimited", forecastReady]).filter(({ reason }) => warnings.includes(reason)),
  ];
  for (const { reason, message, lastTransitionTime: since } of wrong) {
    if (found.some(problem => problem.reason === reason)) continue;
    found.push({ level: warnings.includes(reason) ? "warning" : "fault", reason, message, since });
  }
  return found.toSorted((one, other) => states.indexOf(one.level) - states.indexOf(other.level));
}

/** The state of an MLScaler without a problem. */
function stateOf(pause: Row["pause"], trust: Condition | undefined): State {
  const reason = trust?.reason as Reason<"ForecastReady"> | undefined;
  if (reason === "Demoted") return "demoted";
  if (pause !== "None") return "paused";
  return reason === "Learning" || reason === "Replaying" ? "learning" : "ok";
}
