import { z } from "zod";
import { checkObject, checkSpec, faultText } from "../../capabilities/definition/check";
import { hasTotal } from "../../capabilities/mlscaler/metrics/total";
import { faultsOfSchedules } from "../../capabilities/mlscaler/scaling/schedule/schedule";
import { mlscaler } from "../../capabilities/mlscaler/schema";
import {
  assisting,
  Conversion,
  failed,
  Metadata,
  modeOf,
  notesOnAssisted,
  quoted,
  Settings,
  Source,
  sourceOf,
  succeeded,
  targetFieldOf,
} from "../conversion";
import { Input } from "../manifests";
import { ConvertedTrigger, convertTrigger, triggerSchema } from "./triggers";

/** The settings of a conversion from KEDA. */
export interface KedaSettings extends Settings {
  /** The name of the Prometheus server; by default a name made of its address. */
  server?: string;
  /** Whether the caller deletes the ScaledObject. */
  takesOver?: boolean;
}

const count = z.int().nullish();

const specSchema = z.looseObject({
  scaleTargetRef: z.looseObject({
    apiVersion: z.string().nullish(),
    kind: z.string().nullish(),
    name: z.string(),
  }),
  pollingInterval: count,
  minReplicaCount: count,
  maxReplicaCount: count,
  idleReplicaCount: count,
  cooldownPeriod: count,
  initialCooldownPeriod: count,
  fallback: z.looseObject({ failureThreshold: z.int(), replicas: z.int(), behavior: z.string().nullish() }).nullish(),
  advanced: z
    .looseObject({
      restoreToOriginalReplicaCount: z.boolean().nullish(),
      horizontalPodAutoscalerConfig: z
        .looseObject({ name: z.string().nullish(), behavior: z.looseObject({}).nullish() })
        .nullish(),
      scalingModifiers: z.looseObject({ formula: z.string().nullish() }).nullish(),
    })
    .nullish(),
  triggers: z.array(triggerSchema),
});

type KedaSpec = z.output<typeof specSchema>;

/** The default of maxReplicaCount. */
const defaultMost = 100;

/** The default of cooldownPeriod, and the longest cool-down of an MLScaler, in seconds. */
const defaultCooldown = 300;
const longestCooldown = 86_400;

/** Adds a note that begins with the path of a field. */
type Tell = (field: string, message: string) => void;

/**
 * Converts a ScaledObject of KEDA to an MLScaler, by https://keda.sh/docs/latest/reference/scaledobject-spec/. A note
 * names each field that has no counterpart. The MLScaler has passed the checks of admission. For an object of another
 * kind, returns a note only.
 */
export function convertScaledObject(input: Input, settings: KedaSettings): Conversion {
  const source = sourceOf(
    input,
    "a ScaledObject",
    (apiVersion, kind) => kind === "ScaledObject" && /^keda\.(sh|k8s\.io)\//.test(apiVersion),
  );
  if ("faults" in source) return source;
  const { named, apiVersion, metadata } = source;
  if (!apiVersion.startsWith("keda.sh/"))
    return failed(named, [
      `apiVersion: ${apiVersion} is that of KEDA 1, write keda.sh/v1alpha1, ` +
        "and scaleTargetRef.name in place of scaleTargetRef.deploymentName",
    ]);
  const { spec: keda, faults: unread } = checkSpec({ spec: specSchema, rules: [] }, source.spec);
  if (!keda) return failed(named, unread);

  if (settings.mode === "Assist") return assistingScaledObject(source, keda);
  const notes: string[] = [];
  const tell: Tell = (field, message) => void notes.push(`${field}: ${message}`);
  const bounds = boundsOf(keda);
  const triggers = keda.triggers.map((trigger, index) =>
    convertTrigger(trigger, index, { ...bounds, ...(settings.server !== undefined && { server: settings.server }) }),
  );
  const faults = [...faultsOfFormula(keda), ...triggers.flatMap(one => one.faults)];
  notes.push(...triggers.flatMap(one => one.notes));
  tellOfLost(keda, tell);
  const metrics = triggers.flatMap(({ metric }) => metric ?? []);
  if (faults.length === 0 && metrics.length === 0) faults.push(withoutMetric(keda));
  if (faults.length > 0) return failed(named, faults, notes);

  const zero = isForced(metadata, tell) ? undefined : zeroOf(keda, triggers, bounds.minReplicas, tell);
  const schedules = triggers.flatMap(({ schedule }) => schedule ?? []);
  const spec = {
    ...targetFieldOf(targetOf(keda)),
    min_replicas: zero ? 0 : Math.max(1, bounds.minReplicas),
    max_replicas: bounds.maxReplicas,
    metrics,
    ...(zero && { scale_to_zero: zero }),
    ...behaviorOf(keda, tell),
    ...(schedules.length > 0 && { schedules: distinctlyNamed(schedules) }),
    ...fallbackOf(keda, bounds.maxReplicas, tell),
    ...periodOf(keda, tell),
    forecast: { model: settings.forecast },
    rollout_freeze: false,
    ...pauseOf(metadata, tell),
    ...modeOf(settings.mode),
  };
  const checked = checkObject(mlscaler, metadata.name, spec);
  const wrong = [...checked.faults, ...(checked.spec ? faultsOfSchedules(checked.spec).map(faultText) : [])];
  if (!checked.spec || wrong.length > 0) return failed(named, wrong, notes);
  if (settings.forecast !== "off" && !checked.spec.metrics.some(hasTotal)) notes.push(withoutTotal);
  if (!settings.takesOver) notes.push(handOver(keda, metadata, settings.mode));
  return succeeded(source, "ScaledObject", spec, notes);
}

/** An MLScaler that assists a ScaledObject with any triggers: it takes the metrics of the HPA that KEDA makes. */
function assistingScaledObject(source: Source, keda: KedaSpec): Conversion {
  const { minReplicas, maxReplicas } = boundsOf(keda);
  const notes = notesOnAssisted("minReplicaCount", minReplicas, maxReplicas, source.metadata);
  if (keda.triggers.every(({ metricType }) => metricType === "Value")) notes.push(withoutTotal);
  const spec = assisting(targetOf(keda));
  const { faults } = checkObject(mlscaler, source.metadata.name, spec);
  return faults.length > 0 ? failed(source.named, faults, notes) : succeeded(source, "ScaledObject", spec, notes);
}

const withoutTotal = "spec.triggers has only targets of type Value, which have no total: nothing is forecast";

/** How to hand over from KEDA, whose HPA goes with the ScaledObject. */
function handOver({ advanced }: KedaSpec, { name, namespace }: Metadata, mode: Settings["mode"]): string {
  const hpa = advanced?.horizontalPodAutoscalerConfig?.name ?? `keda-hpa-${name}`;
  const where = namespace === undefined ? "" : ` -n ${namespace}`;
  return (
    `KEDA scales by HPA ${hpa} until kubectl delete scaledobject ${name}${where}, ` +
    `which removes it: ${mode === "Active" ? "the MLScaler then scales" : "do that before the MLScaler turns Active"}`
  );
}

function withoutMetric({ triggers }: KedaSpec): string {
  const onlyCron = triggers.length > 0 && triggers.every(({ type }) => type === "cron");
  const why = onlyCron ? "have only cron, which has no load" : "have none with a counterpart";
  return `spec.triggers: ${why}, add a trigger of type prometheus, cpu or memory to convert the ScaledObject`;
}

/** A formula takes the place of the targets of the triggers, so these alone would mean something else. */
const faultsOfFormula = ({ advanced, triggers }: KedaSpec): string[] =>
  advanced?.scalingModifiers?.formula
    ? [
        "spec.advanced.scalingModifiers.formula: has no counterpart, " +
          "use one trigger of type prometheus whose query is the formula in PromQL" +
          (triggers.some(({ type }) => type === "cron")
            ? "; without the formula each trigger of type cron becomes a window of min_replicas"
            : ""),
      ]
    : [];

function targetOf({ scaleTargetRef }: KedaSpec): { apiVersion: string; kind: string; name: string } {
  const { apiVersion, kind, name } = scaleTargetRef;
  return { apiVersion: apiVersion || "apps/v1", kind: kind || "Deployment", name };
}

const boundsOf = ({
  minReplicaCount: min,
  maxReplicaCount: max,
}: KedaSpec): { minReplicas: number; maxReplicas: number } => ({
  minReplicas: min ?? 0,
  maxReplicas: max ?? defaultMost,
});

/** The block scale_to_zero of a ScaledObject that goes to 0 replicas; undefined for one that does not, or may not. */
function zeroOf(keda: KedaSpec, triggers: ConvertedTrigger[], minReplicas: number, tell: Tell): object | undefined {
  const { idleReplicaCount: idle, cooldownPeriod: cooldown, initialCooldownPeriod: initial } = keda;
  if (minReplicas > 0 && idle !== 0) return undefined;
  const field = idle === 0 ? "spec.idleReplicaCount" : "spec.minReplicaCount";
  const stays = (why: string): undefined => {
    tell(field, `0 is not carried over, ${why}: min_replicas is at least 1`);
    return undefined;
  };
  const lost = triggers.findIndex(({ metric, schedule }) => !metric && !schedule);
  if (lost >= 0)
    return stays(`because only spec.triggers[${lost}], which has no counterpart, may say that there is work`);
  const activation = triggers.flatMap(({ activation: entry }) => entry ?? []);
  if (activation.length === 0) return stays("because no trigger is known without pods");
  const seconds = Math.min(Math.max(cooldown ?? defaultCooldown, 0), longestCooldown);
  if (seconds !== (cooldown ?? defaultCooldown))
    tell(
      "spec.cooldownPeriod",
      `${cooldown} is outside 0 to ${longestCooldown} seconds: cooldown_seconds is ${seconds}`,
    );
  if (initial) tell("spec.initialCooldownPeriod", "has no counterpart, the first cool-down begins with the MLScaler");
  if (minReplicas > 0)
    tell(
      "spec.minReplicaCount",
      `${minReplicas} is scale_to_zero.replicas; later the metrics may ask for less, but not 0`,
    );
  return {
    cooldown_seconds: seconds,
    activation,
    ...(minReplicas > 1 && { replicas: minReplicas }),
  };
}

function behaviorOf({ advanced }: KedaSpec, tell: Tell): object {
  if (advanced?.restoreToOriginalReplicaCount)
    tell("spec.advanced.restoreToOriginalReplicaCount", "has no counterpart, on_delete is Keep: the replicas stay");
  const { behavior } = advanced?.horizontalPodAutoscalerConfig ?? {};
  return behavior && Object.keys(behavior).length > 0 ? { behavior: quoted(behavior) } : {};
}

function periodOf({ pollingInterval: given }: KedaSpec, tell: Tell): object {
  if (given === undefined || given === null) return {};
  const seconds = Math.min(Math.max(given, 5), 3600);
  if (seconds !== given)
    tell("spec.pollingInterval", `${given} is outside 5 to 3600 seconds: sync_period_seconds is ${seconds}`);
  return { sync_period_seconds: seconds };
}

function fallbackOf({ fallback }: KedaSpec, maxReplicas: number, tell: Tell): object {
  if (!fallback) return {};
  const { failureThreshold, replicas, behavior: given } = fallback;
  const behavior = given || "static";
  const threshold = Math.min(Math.max(failureThreshold, 1), 100);
  if (threshold !== failureThreshold)
    tell(
      "spec.fallback.failureThreshold",
      `${failureThreshold} is outside 1 to 100: failure_threshold is ${threshold}`,
    );
  const hold = { on_metric_failure: { failure_threshold: threshold, behavior: "Hold" } };
  if (behavior === "currentReplicas") return hold;
  if (!["static", "currentReplicasIfHigher", "currentReplicasIfLower"].includes(behavior)) {
    tell("spec.fallback.behavior", `${behavior} has no counterpart: on_metric_failure holds the count`);
    return hold;
  }
  if (behavior !== "currentReplicasIfHigher")
    tell(
      "spec.fallback.behavior",
      `${behavior} is Floor here, which never scales down: where there are more than ${replicas} replicas, they stay`,
    );
  const floor = Math.min(Math.max(replicas, 1), maxReplicas);
  if (floor !== replicas)
    tell("spec.fallback.replicas", `${replicas} is outside 1 to maxReplicaCount ${maxReplicas}: replicas is ${floor}`);
  return { on_metric_failure: { failure_threshold: threshold, behavior: "Floor", replicas: floor } };
}

/** Whether an annotation is on, as Go reads booleans. */
const isTrue = (text = ""): boolean => /^(1|t|true)$/i.test(text);

const forces = "autoscaling.keda.sh/force-activation";

/** Whether KEDA takes the target for active whatever the triggers say, so that it never goes to 0. */
function isForced({ annotations }: Metadata, tell: Tell): boolean {
  const isOn = isTrue(annotations?.[forces]);
  if (isOn)
    tell(
      `metadata.annotations.${forces}`,
      "keeps the target from 0 replicas: min_replicas is at least 1; without the annotation scale_to_zero is converted",
    );
  return isOn;
}

/** The annotations by which KEDA pauses. */
const pauses = "autoscaling.keda.sh/paused";

function pauseOf({ annotations }: Metadata, tell: Tell): object {
  const given = (suffix: string): string => annotations?.[`${pauses}${suffix}`] ?? "";
  const isOn = (suffix: string): boolean => isTrue(given(suffix));
  const replicas = given("-replicas");
  if (replicas !== "")
    tell(
      `metadata.annotations.${pauses}-replicas`,
      `${replicas} becomes pause: All, which leaves the count as it is; kubectl scale --replicas=${replicas} sets it`,
    );
  const [down, up] = [isOn("-scale-in"), isOn("-scale-out")];
  if (isOn("") || replicas !== "" || (down && up)) return { pause: "All" };
  if (down) return { pause: "Down" };
  return up ? { pause: "Up" } : {};
}

/** The right places of fields that are known elsewhere in a ScaledObject. */
const places = new Map([
  ["behavior", "spec.advanced.horizontalPodAutoscalerConfig.behavior"],
  ...["horizontalPodAutoscalerConfig", "scalingModifiers", "restoreToOriginalReplicaCount"].map(
    (name): [string, string] => [name, `spec.advanced.${name}`],
  ),
  ...["minReplicaCount", "maxReplicaCount", "pollingInterval", "cooldownPeriod", "fallback", "triggers"].map(
    (name): [string, string] => [name, `spec.${name}`],
  ),
]);

/** Tells of the fields that no other function reads. */
function tellOfLost({ scaleTargetRef, fallback, advanced, ...spec }: KedaSpec, tell: Tell): void {
  const leftOut = (path: string, block: object | null | undefined, known: string[]): void => {
    for (const [name, value] of Object.entries(block ?? {}))
      if (!known.includes(name) && value !== null) {
        const right = places.get(name);
        const misplaced = `is at the wrong place, where KEDA ignores it: ${right} is the right one`;
        tell(`${path}.${name}`, right === undefined ? "has no counterpart and is left out" : misplaced);
      }
  };
  const zero = ["idleReplicaCount", "cooldownPeriod", "initialCooldownPeriod"];
  leftOut("spec", spec, ["pollingInterval", "minReplicaCount", "maxReplicaCount", "triggers", ...zero]);
  leftOut("spec.scaleTargetRef", scaleTargetRef, ["apiVersion", "kind", "name"]);
  leftOut("spec.fallback", fallback, ["failureThreshold", "replicas", "behavior"]);
  const blocks = ["horizontalPodAutoscalerConfig", "scalingModifiers"];
  leftOut("spec.advanced", advanced, ["restoreToOriginalReplicaCount", ...blocks]);
  const hpa = advanced?.horizontalPodAutoscalerConfig;
  leftOut("spec.advanced.horizontalPodAutoscalerConfig", hpa, ["name", "behavior"]);
}

/** Schedules with a name of their own each. */
function distinctlyNamed<Schedule extends { name: string }>(schedules: Schedule[]): Schedule[] {
  const taken = new Set<string>();
  return schedules.map(schedule => {
    let [name, number] = [schedule.name, 2];
    while (taken.has(name)) name = `${schedule.name.slice(0, 58)}-${number++}`;
    taken.add(name);
    return { ...schedule, name };
  });
}
