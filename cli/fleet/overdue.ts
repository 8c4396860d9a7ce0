import { z } from "zod";
import { instantOf } from "../../capabilities/kubernetes/time";
import { noteAnnotation, noteIn } from "../../capabilities/mlscaler/target/note";
import { Input } from "../manifests";
import type { Problem } from "./problem";

/** A raised minimum that nobody put back, although its time has passed. */
export interface Overdue {
  /** "shop/web": the MLScaler that raised it. */
  by: string;
  problem: Problem;
}

const autoscalerSchema = z.object({
  kind: z.string(),
  metadata: z.object({
    name: z.string(),
    namespace: z.string(),
    annotations: z.record(z.string(), z.unknown()).optional(),
  }),
  spec: z.object({ minReplicas: z.int().nullish(), minReplicaCount: z.int().nullish() }),
});

/** The overdue minimum of an HPA or a ScaledObject; undefined without one. `now` is in epoch milliseconds. */
export function overdueIn({ manifest }: Input, now: number): Overdue | undefined {
  const { data } = autoscalerSchema.safeParse(manifest);
  const note = noteIn(data?.metadata.annotations);
  const until = instantOf(note?.until);
  if (!data || !note || until === undefined || until > now) return undefined;
  const { kind, metadata, spec } = data;
  const [field, short] =
    kind === "ScaledObject" ? (["minReplicaCount", "ScaledObject"] as const) : (["minReplicas", "HPA"] as const);
  if (spec[field] !== note.raised) return undefined;
  const { name, namespace } = metadata;
  const patch = { metadata: { annotations: { [noteAnnotation]: null } }, spec: { [field]: note.own } };
  const command = `kubectl patch ${short.toLowerCase()} ${name} -n ${namespace} --type merge -p '${JSON.stringify(patch)}'`;
  const message =
    `${short} ${name} still has ${field} ${note.raised} in place of its own ${note.own}; ` +
    `see whether the watcher runs, or put it back: ${command}`;
  return {
    by: `${namespace}/${note.by}`,
    problem: { level: "fault", reason: "MinimumOverdue", message, since: note.until },
  };
}
