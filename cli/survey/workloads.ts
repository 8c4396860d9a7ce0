import { z } from "zod";
import { checkSpec } from "../../capabilities/definition/check";
import { Metric } from "../../capabilities/mlscaler/metrics/registry";
import { PodResource } from "../../capabilities/mlscaler/metrics/sources/source";
import { hasTotal, nameOf, pastOf, resourceOf } from "../../capabilities/mlscaler/metrics/total";
import { mlscaler, Spec } from "../../capabilities/mlscaler/schema";
import { type Mode, targetOf } from "../../capabilities/mlscaler/target/target";
import { Conversion } from "../conversion";
import { convert } from "../hpa";
import { convertScaledObject } from "../keda/convert";
import { Input } from "../manifests";

/** The annotation of an HPA or a ScaledObject that names the query of its load. */
export const queryAnnotation = "mlscaler.example.com/load-query";

/** An HPA or a ScaledObject that is surveyed. */
export interface Workload {
  /** "shop/web". */
  key: string;
  scaler: "HPA" | "ScaledObject";
  namespace: string;
  /** The HPA that scales: its own name, or that of the HPA which KEDA makes. */
  hpa: string;
  target: { kind: string; name: string };
  /** The metric whose load is replayed. */
  metric: Metric;
  load: Load;
  /** The MLScaler that replaces the scaler. */
  manifest: Manifest;
  /** The MLScaler to write. */
  written: Manifest;
  spec: Spec;
  notes: string[];
}

type Manifest = NonNullable<Conversion["mlscaler"]>;

/** Where the load of a workload comes from: a resource of its pods, or a query of the user. */
export type Load = { resource: PodResource } | { query: string };

/** The workloads of a cluster, and a line for each object that cannot be surveyed. */
export interface Found {
  workloads: Workload[];
  faults: string[];
}

const objectSchema = z.object({
  kind: z.string(),
  metadata: z.object({
    name: z.string(),
    namespace: z.string().default("default"),
    annotations: z.record(z.string(), z.string()).nullish(),
  }),
  spec: z.looseObject({
    advanced: z
      .looseObject({ horizontalPodAutoscalerConfig: z.looseObject({ name: z.string().nullish() }).nullish() })
      .nullish(),
  }),
});

/**
 * The workloads of HPAs and ScaledObjects. The HPAs that KEDA makes are left out.
 * @param mode that of the MLScalers to write
 * @param queries the query of the load by "namespace/name"; it comes before that of the annotation
 */
export function workloadsOf(inputs: Input[], queries: Record<string, string>, mode: Mode): Found {
  const found: Found = { workloads: [], faults: [] };
  for (const input of inputs) {
    const object = objectSchema.safeParse(input.manifest);
    if (!object.success) {
      found.faults.push(`${input.where}: is not an HPA or a ScaledObject`);
      continue;
    }
    const { kind, metadata, spec: given } = object.data;
    const key = `${metadata.namespace}/${metadata.name}`;
    const isKeda = kind === "ScaledObject";
    const inMode = (mode: Mode): Conversion =>
      (isKeda ? convertScaledObject : convert)(input, { mode, forecast: "auto" });
    const { mlscaler: manifest, faults } = inMode("Active");
    found.faults.push(...faults);
    const { spec } = manifest ? checkSpec(mlscaler, manifest.spec) : {};
    if (!manifest || !spec) continue;
    const query = queries[key] ?? metadata.annotations?.[queryAnnotation];
    const measured = measuredOf(spec, query);
    if (!measured) {
      found.faults.push(
        `${input.where}: no load of ${(spec.metrics ?? []).map(nameOf).join(", ")} is known; give its total as a ` +
          `query, by the annotation ${queryAnnotation} or in the file of --queries`,
      );
      continue;
    }
    found.workloads.push({
      key,
      scaler: isKeda ? "ScaledObject" : "HPA",
      namespace: metadata.namespace,
      hpa: isKeda
        ? (given.advanced?.horizontalPodAutoscalerConfig?.name ?? `keda-hpa-${metadata.name}`)
        : metadata.name,
      target: targetOf(spec),
      ...measured,
      manifest,
      written: inMode(mode).mlscaler ?? manifest,
      spec,
      notes:
        spec.metrics.length > 1
          ? [`surveyed by ${nameOf(measured.metric)}, one of ${spec.metrics.length} metrics`]
          : [],
    });
  }
  return found;
}

/** The first metric with a total whose load is known, and that load. */
function measuredOf(spec: Spec, query: string | undefined): Pick<Workload, "metric" | "load"> | undefined {
  for (const metric of spec.metrics.filter(hasTotal)) {
    const load = query === undefined ? loadOf(metric) : { query };
    if (load) return { metric, load };
  }
  return undefined;
}

function loadOf(metric: Metric): Load | undefined {
  const resource = resourceOf(metric);
  if (resource && ["cpu", "memory"].includes(resource.name)) return { resource };
  const past = pastOf(metric);
  return past && { query: past.query };
}
