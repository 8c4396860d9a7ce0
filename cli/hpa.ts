import { z } from "zod";
import { checkObject, checkSpec } from "../capabilities/definition/check";
import {
  cpuMetric,
  defaultMetric,
  defaultUtilization,
  metricAsRead,
  misnamedTarget,
} from "../capabilities/mlscaler/assist/hpa-metrics";
import { hasTotal } from "../capabilities/mlscaler/metrics/total";
import { mlscaler } from "../capabilities/mlscaler/schema";
import {
  assisting,
  Conversion,
  failed,
  hpaAnnotations,
  Metadata,
  modeOf,
  notesOnAssisted,
  quoted,
  Settings,
  sourceOf,
  succeeded,
  targetFieldOf,
} from "./conversion";
import { Input } from "./manifests";

const kind = "HorizontalPodAutoscaler";

/** Only of a ReplicationController the API server takes a missing version, which is the core's. */
const withVersion = (given: unknown): unknown =>
  z.object({ kind: z.literal("ReplicationController") }).safeParse(given).success
    ? { apiVersion: "v1", ...(given as object) }
    : given;

const common = {
  scaleTargetRef: z.preprocess(
    withVersion,
    z.strictObject({ apiVersion: z.string(), kind: z.string(), name: z.string() }),
  ),
  minReplicas: z.int().nullish(),
  maxReplicas: z.int(),
};

const v1Schema = z.strictObject({ ...common, targetCPUUtilizationPercentage: z.int().nullish() });

// The schema of the MLScaler checks metrics and behavior, which it shares with the HPA.
const v2Schema = z.strictObject({
  ...common,
  metrics: z.array(z.unknown()).nullish(),
  behavior: z.looseObject({}).nullish(),
});

type HpaSpec = z.output<typeof v2Schema>;

/** The metrics as an HPA reads them, and a note for each target that says another type. */
function asRead(metrics: unknown[]): { metrics: unknown[]; notes: string[] } {
  const notes = metrics.flatMap((metric, index) => {
    const { block, given, type } = misnamedTarget(metric) ?? {};
    if (block === undefined) return [];
    return (
      `spec.metrics[${index}].${block}.target.type: is ${given}, and an HPA scales by ${type}, as that field is ` +
      `given: the MLScaler has ${type}` +
      (type === "Value" ? ", which is not forecast; for a value per replica, write averageValue" : "")
    );
  });
  return { metrics: metrics.map(metricAsRead), notes };
}

/**
 * Converts an HPA to an MLScaler with the same target, bounds, metrics and behavior. One that assists has the target
 * alone, and takes the rest from the HPA. The MLScaler has passed the checks of admission. For an object of another kind, or an HPA that KEDA makes, returns a note only.
 */
export function convert(input: Input, settings: Settings): Conversion {
  const source = sourceOf(input, "an HPA", (apiVersion, given) => given === kind && /^autoscaling\//.test(apiVersion));
  if ("faults" in source) return source;
  const { named, apiVersion, metadata, spec: given } = source;
  const owner = metadata.ownerReferences?.find(({ kind: ofOwner }) => ofOwner === "ScaledObject");
  if (owner)
    return {
      faults: [],
      notes: [`${named} is made by KEDA and is left out; mlscaler from-keda converts ScaledObject ${owner.name}`],
    };
  const { spec: written, faults } = readSpec(apiVersion, given, metadata.annotations ?? {});
  if (!written) return failed(named, faults);
  const { metrics, notes: ofTypes } = asRead(written.metrics ?? []);
  const hpa = { ...written, metrics };
  const spec = specFor(hpa, settings);
  // One that assists completes its spec to this one.
  const checked = checkObject(mlscaler, metadata.name, spec);
  if (!checked.spec) return failed(named, checked.faults);
  const assists = settings.mode === "Assist";
  const notes = assists
    ? notesOnAssisted("minReplicas", hpa.minReplicas ?? 1, hpa.maxReplicas, metadata)
    : [...ofTypes, ...notesOfOwner(metadata), ...notesOfAdapter(hpa, metadata)];
  if (settings.forecast !== "off" && !checked.spec.metrics.some(hasTotal))
    notes.push("spec.metrics has only targets of type Value, which have no total: nothing is forecast");
  return succeeded(source, "HPA", assists ? assisting(hpa.scaleTargetRef) : spec, notes);
}

/** Reads the spec of an HPA of any version in the form of autoscaling/v2. */
function readSpec(
  apiVersion: string,
  spec: unknown,
  annotations: Record<string, string>,
): { spec?: HpaSpec; faults: string[] } {
  const as = `kubectl get hpa.v2.autoscaling NAME -o yaml gives it as autoscaling/v2`;
  // The spec of v2beta2 is that of v2.
  if (apiVersion === "autoscaling/v2" || apiVersion === "autoscaling/v2beta2")
    return checkSpec({ spec: v2Schema, rules: [] }, spec);
  if (apiVersion !== "autoscaling/v1")
    return {
      faults: [
        `apiVersion: ${apiVersion} is not served any more; ${as}, and in a file write the metrics as autoscaling/v2 has ` +
          "them: target: {type: Utilization, averageUtilization: 80} in place of targetAverageUtilization: 80",
      ],
    };
  const more = ["metrics", "behavior"].map(block => hpaAnnotations + block).filter(block => block in annotations);
  if (more.length > 0) return { faults: more.map(block => `metadata.annotations: ${block} cannot be read; ${as}`) };
  const { spec: v1, faults } = checkSpec({ spec: v1Schema, rules: [] }, spec);
  if (!v1) return { faults };
  const { targetCPUUtilizationPercentage: percent, ...same } = v1;
  return { spec: { ...same, metrics: [cpuMetric(percent ?? defaultUtilization)] }, faults: [] };
}

/** What an owner or a finalizer does to the HPA. */
function notesOfOwner({ ownerReferences, finalizers }: Metadata): string[] {
  const notes = (ownerReferences ?? []).map(
    ({ kind: ofOwner, name }) =>
      `is owned by ${ofOwner} ${name}, which makes it again when it is deleted: turn its autoscaling off there first; ` +
      "ownerReferences are left out",
  );
  if (finalizers && finalizers.length > 0) notes.push(`metadata.finalizers: ${finalizers.join(", ")} are left out`);
  return notes;
}

/** Adapters that serve a metric only while an HPA names it, by annotation or by the name of the metric. */
function notesOfAdapter({ metrics }: HpaSpec, { annotations }: Metadata): string[] {
  const gone = "serves it only while an HPA names it, and the MLScaler has no metrics once the HPA is gone";
  const notes: string[] = [];
  if (Object.keys(annotations ?? {}).some(key => key.startsWith("metric-config.")))
    notes.push(
      `metadata.annotations: metric-config.* configures a metric of kube-metrics-adapter, which ${gone}: ` +
        "use a metric of type Prometheus",
    );
  for (const [index, metric] of (metrics ?? []).entries()) {
    const name = externalSchema.safeParse(metric).data?.external.metric.name;
    if (name?.startsWith("datadogmetric@"))
      notes.push(
        `spec.metrics[${index}].external: Datadog ${gone}: ` +
          'annotate the DatadogMetric with external-metrics.datadoghq.com/always-active: "true"',
      );
  }
  return notes;
}

const externalSchema = z.object({ external: z.object({ metric: z.object({ name: z.string() }) }) });

/** The spec for an HPA. It sets the defaults of an HPA where those of an MLScaler differ. */
function specFor(
  { scaleTargetRef: target, minReplicas, maxReplicas, metrics, behavior }: HpaSpec,
  { mode, forecast }: Settings,
): object {
  const [ownMetrics, ownBehavior] = [quoted(metrics), quoted(behavior)];
  return {
    ...targetFieldOf(target),
    min_replicas: minReplicas ?? 1,
    max_replicas: maxReplicas,
    metrics: ownMetrics && ownMetrics.length > 0 ? ownMetrics : [defaultMetric],
    ...(ownBehavior && { behavior: ownBehavior }),
    forecast: { model: forecast },
    rollout_freeze: false,
    ...modeOf(mode),
  };
}
