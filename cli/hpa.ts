import { z } from "zod";
import { checkObject, checkSpec } from "../capabilities/definition/check";
import { hasTotal } from "../capabilities/mlscaler/metrics/total";
import { mlscaler, Spec } from "../capabilities/mlscaler/schema";
import { Input } from "./manifests";

/** The fields of the MLScaler that no HPA has. */
export interface Settings {
  mode: Spec["mode"];
  /** With "off" the MLScaler asks for the same counts as the HPA. */
  forecast: "auto" | "off";
}

/** The result of converting one object: an MLScaler or faults, and notes for the user. */
export interface Conversion {
  mlscaler?: { apiVersion: string; kind: string; metadata: object; spec: object };
  faults: string[];
  notes: string[];
}

/** The CPU utilization target of an HPA without metrics, in percent (autoscaling/v2, defaults.go). */
export const defaultUtilization = 80;

const kind = "HorizontalPodAutoscaler";

const anyObjectSchema = z.object({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.object({ name: z.string().optional() }).default({}),
});

const words = z.record(z.string(), z.string()).nullish();

const metadataSchema = z.object({
  name: z.string(),
  namespace: z.string().optional(),
  uid: z.string().nullish(),
  labels: words,
  annotations: words,
});

const common = {
  scaleTargetRef: z.strictObject({ apiVersion: z.string(), kind: z.string(), name: z.string() }),
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

/** Prefix of the annotations in which an autoscaling/v1 object stores fields that v1 does not have. */
const hpaAnnotations = "autoscaling.alpha.kubernetes.io/";

/** Prefixes of the labels and annotations of kubectl, Helm, Argo CD, Flux and KEDA. */
const toolMarks = [
  hpaAnnotations,
  "kubectl.kubernetes.io/",
  "meta.helm.sh/",
  "argocd.argoproj.io/tracking-id",
  "kustomize.toolkit.fluxcd.io/name",
  "helm.toolkit.fluxcd.io/name",
  "scaledobject.keda.sh/name",
];

/**
 * Converts an HPA to an MLScaler with the same target, bounds, metrics and behavior. The MLScaler has passed the checks
 * of admission. For an object of another kind, returns a note only.
 */
export function convert({ where, manifest }: Input, settings: Settings): Conversion {
  const object = anyObjectSchema.safeParse(manifest);
  if (!object.success) return failed(where, ["is not a Kubernetes object; give it apiVersion, kind and metadata"]);
  const { apiVersion, kind: given, metadata: about } = object.data;
  const named = `${where}: ${given} ${about.name ?? ""}`.trim();
  if (given !== kind || !apiVersion.startsWith("autoscaling/"))
    return { faults: [], notes: [`${named} is not an HPA and is left out`] };

  const { metadata: givenMetadata, spec: givenSpec } = manifest as { metadata?: unknown; spec?: unknown };
  const metadata = metadataSchema.safeParse(givenMetadata);
  if (!metadata.success)
    return failed(
      named,
      metadata.error.issues.map(({ path, message }) => `${["metadata", ...path].join(".")}: ${message}`),
    );
  const { spec: hpa, faults } = readSpec(apiVersion, givenSpec, metadata.data.annotations ?? {});
  if (!hpa) return failed(named, faults);

  const { name } = metadata.data;
  const spec = specFor(hpa, settings);
  const checked = checkObject(mlscaler, name, spec);
  if (!checked.spec) return failed(named, checked.faults);
  const { kept, leftOut } = metadataFor(metadata.data);
  const notes: string[] = [];
  if (leftOut.length > 0)
    notes.push(
      `labels and annotations of the live HPA are left out, because a tool can find the MLScaler by them ` +
        `and delete it: ${leftOut.join(", ")}; add those that you need`,
    );
  if (hpa.minReplicas === 0)
    notes.push("spec.minReplicas: 0 is not carried over, an MLScaler keeps at least 1 replica: min_replicas is 1");
  if (settings.forecast !== "off" && !checked.spec.metrics?.some(hasTotal))
    notes.push("spec.metrics has only targets of type Value, which have no total: nothing is forecast");
  return {
    mlscaler: {
      apiVersion: `${mlscaler.group}/${mlscaler.version}`,
      kind: mlscaler.kind,
      metadata: kept,
      spec,
    },
    faults: [],
    notes: notes.map(note => `${named}: ${note}`),
  };
}

/**
 * The metadata of the MLScaler, and the names of the labels and annotations that it leaves out. It leaves out all of a
 * live HPA, which has a uid: a tool may use any of them to find the objects that it manages.
 */
function metadataFor({ name, namespace, uid, labels, annotations }: z.output<typeof metadataSchema>): {
  kept: object;
  leftOut: string[];
} {
  const about = { name, ...(namespace !== undefined && { namespace }) };
  const [ownLabels, ownAnnotations] = [withoutMarks(labels), withoutMarks(annotations)];
  const given = [...Object.keys(ownLabels), ...Object.keys(ownAnnotations)];
  if (uid) return { kept: about, leftOut: given };
  const kept = {
    ...about,
    ...(Object.keys(ownLabels).length > 0 && { labels: ownLabels }),
    ...(Object.keys(ownAnnotations).length > 0 && { annotations: ownAnnotations }),
  };
  return { kept, leftOut: [] };
}

const withoutMarks = (given: z.output<typeof words>): Record<string, string> =>
  Object.fromEntries(Object.entries(given ?? {}).filter(([key]) => !toolMarks.some(mark => key.startsWith(mark))));

const failed = (named: string, faults: string[]): Conversion => ({
  faults: faults.map(fault => `${named}: ${fault}`),
  notes: [],
});

/** Reads the spec of an HPA of any version in the form of autoscaling/v2. */
function readSpec(
  apiVersion: string,
  spec: unknown,
  annotations: Record<string, string>,
): { spec?: HpaSpec; faults: string[] } {
  const as = `kubectl get hpa.v2.autoscaling NAME -o yaml gives it as autoscaling/v2`;
  if (apiVersion === "autoscaling/v2") return checkSpec({ spec: v2Schema, rules: [] }, spec);
  if (apiVersion !== "autoscaling/v1") return { faults: [`apiVersion: ${apiVersion} is not served any more; ${as}`] };
  const more = ["metrics", "behavior"].map(block => hpaAnnotations + block).filter(block => block in annotations);
  if (more.length > 0) return { faults: more.map(block => `metadata.annotations: ${block} cannot be read; ${as}`) };
  const { spec: v1, faults } = checkSpec({ spec: v1Schema, rules: [] }, spec);
  if (!v1) return { faults };
  const { targetCPUUtilizationPercentage: percent, ...same } = v1;
  return { spec: { ...same, metrics: [cpu(percent ?? defaultUtilization)] }, faults: [] };
}

/** Turns fractional Quantities (`tolerance: 0.05`) into strings, the only form that an MLScaler accepts. */
const quoted = <Block>(block: Block): Block =>
  block &&
  (JSON.parse(JSON.stringify(block), (key, value: unknown) =>
    quantities.includes(key) && typeof value === "number" && !Number.isInteger(value) ? String(value) : value,
  ) as Block);

/** Fields with a Quantity. */
const quantities = ["value", "averageValue", "tolerance"];

const cpu = (averageUtilization: number): object => ({
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization } },
});

/** The spec for an HPA. It sets the defaults of an HPA where those of an MLScaler differ. */
function specFor(
  { scaleTargetRef: target, minReplicas, maxReplicas, metrics, behavior }: HpaSpec,
  { mode, forecast }: Settings,
): object {
  const [ownMetrics, ownBehavior] = [quoted(metrics), quoted(behavior)];
  const isDeployment = target.kind === "Deployment" && target.apiVersion.startsWith("apps/");
  return {
    ...(isDeployment ? { target_deployment: target.name } : { target_ref: target }),
    min_replicas: minReplicas === 0 ? 1 : (minReplicas ?? 1),
    max_replicas: maxReplicas,
    metrics: ownMetrics && ownMetrics.length > 0 ? ownMetrics : [cpu(defaultUtilization)],
    ...(ownBehavior && { behavior: ownBehavior }),
    forecast: { model: forecast },
    rollout_freeze: false,
    mode,
  };
}
