import { z } from "zod";
import { apiVersionOf } from "../capabilities/definition/resource";
import { mlscaler } from "../capabilities/mlscaler/schema";
import { scaleTargetRefSchema, targetId, targetOf } from "../capabilities/mlscaler/target/target";

/** What scales a target. */
export interface TargetScaler {
  /** "shop/Deployment.apps/web". */
  target: string;
  /** "HPA web", "ScaledObject web", "MLScaler web". */
  name: string;
}

const metadata = z.object({
  name: z.string(),
  namespace: z.string().default(""),
  ownerReferences: z.array(z.object({ kind: z.string() })).nullish(),
});

const scalerSchema = z.union([
  z.object({
    apiVersion: z.string().startsWith("autoscaling/"),
    kind: z.literal("HorizontalPodAutoscaler"),
    metadata,
    spec: z.object({ scaleTargetRef: scaleTargetRefSchema }),
  }),
  z.object({
    apiVersion: z.string().startsWith("keda.sh/"),
    kind: z.literal("ScaledObject"),
    metadata,
    spec: z.object({
      scaleTargetRef: scaleTargetRefSchema.extend({
        apiVersion: z.string().default("apps/v1"),
        kind: z.string().default("Deployment"),
      }),
    }),
  }),
  z.object({
    apiVersion: z.literal(apiVersionOf(mlscaler)),
    kind: z.literal(mlscaler.kind),
    metadata,
    spec: z
      .object({
        target_deployment: z.string().optional(),
        target_ref: scaleTargetRefSchema.optional(),
        mode: z.literal("Active").default("Active"),
      })
      .transform(spec => ({ scaleTargetRef: targetOf(spec) })),
  }),
]);

/** The HPA, ScaledObject or Active MLScaler in a manifest; undefined for any other, and for an HPA that KEDA makes. */
export function scalerOf(manifest: unknown): TargetScaler | undefined {
  const { success, data } = scalerSchema.safeParse(manifest);
  if (!success || data.metadata.ownerReferences?.some(({ kind }) => kind === "ScaledObject")) return undefined;
  const kind = data.kind === "HorizontalPodAutoscaler" ? "HPA" : data.kind;
  const { name, namespace } = data.metadata;
  return { target: targetId(namespace, data.spec.scaleTargetRef), name: `${kind} ${name}` };
}
