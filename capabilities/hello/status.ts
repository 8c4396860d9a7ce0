import * as z from "zod";
import { TakenBack } from "../kubernetes/apply";
import { ConditionUpdate } from "../kubernetes/conditions";
import { createdAgain, metadataSchema, nameTaken } from "../kubernetes/metadata";
import { selectorText } from "../kubernetes/selector";
import { hello, Spec, Status } from "./schema";

const count = z.number().default(0);

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

/** The counts of pods in the status of a Deployment. */
export const podsOf = ({ spec, status }: Deployment): Pick<Status, "replicas" | "ready" | "selector"> => ({
  replicas: status.replicas,
  ready: status.readyReplicas,
  selector: selectorText({ matchLabels: spec.selector.matchLabels }),
});

/** The condition Ready: all replicas are updated and available, and there are no others. */
export function readyCondition({ metadata, spec, status }: Deployment): ConditionUpdate {
  const wanted = spec.replicas;
  const progressing = { type: "Ready", status: "False", reason: "Progressing" } as const;
  if (metadata.deletionTimestamp) return { ...progressing, message: createdAgain("Deployment", metadata.name) };
  const pods = `${status.readyReplicas} of ${wanted} pods are Ready`;
  const settled =
    status.observedGeneration >= metadata.generation &&
    [status.replicas, status.updatedReplicas, status.availableReplicas].every(number => number === wanted);
  if (settled) return { type: "Ready", status: "True", reason: "Available", message: pods };
  const message = status.readyReplicas < wanted ? pods : `${pods}, the rollout is not finished`;
  return { ...progressing, message };
}

export const takenBackType = "TakenBack";

/** The condition while no change of the Deployment was taken back since the last change of the Hello. */
export const nothingTakenBack: ConditionUpdate = {
  type: takenBackType,
  status: "False",
  reason: "Unchanged",
  message: "nobody else has changed the Deployment since this generation",
};

/** The condition after a change of the Deployment was taken back. */
export function takenBackCondition({ fields, from }: TakenBack, { replicas }: Spec): ConditionUpdate {
  const changed = fields.map(field => field.replace(/^\./, "")).join(", ");
  const whose = from.join(", ");
  const message =
    changed === "spec.replicas"
      ? `${changed} was set by ${whose}, it is ${replicas} again`
      : `set by ${whose}, and as the Hello wants it again: ${changed}`;
  return { type: takenBackType, status: "True", reason: "FieldsTakenBack", message };
}

/** The condition when the name belongs to a Deployment that this Hello does not control. */
export const nameTakenCondition = ({ metadata }: Deployment): ConditionUpdate => ({
  type: "Ready",
  status: "False",
  reason: "NameTaken",
  message: nameTaken("Deployment", metadata, hello),
});
