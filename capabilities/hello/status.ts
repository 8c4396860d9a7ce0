import * as z from "zod";
import { TakenBack } from "../common/apply";
import { Finding } from "../common/conditions";
import { metadataSchema, nameTaken, selectorText } from "../common/objects";
import { hello, Spec, Status } from "./schema";

const count = z.number().default(0);

/** What is read of a Deployment. */
export const deploymentSchema = z.object({
  metadata: metadataSchema,
  spec: z.object({
    replicas: z.number().default(1),
    selector: z.object({ matchLabels: z.record(z.string(), z.string()).default({}) }),
  }),
  status: z
    .object({
      observedGeneration: count,
      replicas: count,
      updatedReplicas: count,
      readyReplicas: count,
      availableReplicas: count,
    })
    .prefault({}),
});

export type Deployment = z.output<typeof deploymentSchema>;

/** What a Deployment says of its pods. */
export const podsOf = ({ spec, status }: Deployment): Pick<Status, "replicas" | "ready" | "selector"> => ({
  replicas: status.replicas,
  ready: status.readyReplicas,
  selector: selectorText(spec.selector.matchLabels),
});

/** Whether all that was asked for is there, updated and available, and nothing else. */
export function readyFinding({ metadata, spec, status }: Deployment): Finding {
  const wanted = spec.replicas;
  const progressing = (message: string): Finding => ({
    type: "Ready",
    status: "False",
    reason: "Progressing",
    message,
  });
  if (metadata.deletionTimestamp)
    return progressing(`Deployment ${metadata.name} is being deleted, it is created anew when it is gone`);
  const pods = `${status.readyReplicas} of ${wanted} pods are Ready`;
  const settled =
    status.observedGeneration >= metadata.generation &&
    [status.replicas, status.updatedReplicas, status.availableReplicas].every(number => number === wanted);
  if (settled) return { type: "Ready", status: "True", reason: "Available", message: pods };
  return progressing(status.readyReplicas < wanted ? pods : `${pods}, the rollout is not finished`);
}

export const takenBackType = "TakenBack";

/** Nobody has changed the Deployment since the Hello was last changed. */
export const nothingTakenBack: Finding = {
  type: takenBackType,
  status: "False",
  reason: "Unchanged",
  message: "nobody else has changed the Deployment since this generation",
};

/** Whose change of the Deployment was undone. */
export function takenBackFinding({ fields, from }: TakenBack, { replicas }: Spec): Finding {
  const changed = fields.map(field => field.replace(/^\./, "")).join(", ");
  const whose = from.join(", ");
  const message =
    changed === "spec.replicas"
      ? `${changed} was set by ${whose}, it is ${replicas} again`
      : `set by ${whose}, and as the Hello wants it again: ${changed}`;
  return { type: takenBackType, status: "True", reason: "FieldsTakenBack", message };
}

/** A Deployment of the name that this Hello does not control, and what to do about it. */
export const nameTakenFinding = ({ metadata }: Deployment): Finding => ({
  type: "Ready",
  status: "False",
  reason: "NameTaken",
  message: nameTaken("Deployment", metadata, hello),
});
