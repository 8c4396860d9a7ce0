import { z } from "zod";
import { scaleTargetRefSchema, targetId } from "../capabilities/mlscaler/target/target";

/** What scales a target. */
export interface TargetScaler {
  /** "shop/Deployment.apps/web". */
  target: string;
  /** "HPA web", "ScaledObject web". */
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
]);

/** The HPA or ScaledObject that a manifest is; undefined for any other, and for an HPA that KEDA makes. */
export function scalerOf(manifest: unknown): TargetScaler | undefined {
  const { success, data } = scalerSchema.safeParse(manifest);
  if (!success || data.metadata.ownerReferences?.some(({ kind }) => kind === "ScaledObject")) return undefined;
  const kind = data.kind === "ScaledObject" ? data.kind : "HPA";
  const { name, namespace } = data.metadata;
  return { target: targetId(namespace, data.spec.scaleTargetRef), name: `${kind} ${name}` };
}
