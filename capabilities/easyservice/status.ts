import * as z from "zod";
import { ConditionUpdate, statedConditions } from "../kubernetes/conditions";
import { createdAgain, metadataSchema } from "../kubernetes/metadata";
import { CustomObject } from "../operator/custom-object";
import { podSelector } from "./manifests";
import { Spec, Status } from "./schema";

const count = z.number().optional();

const countsSchema = z.object({
  replicas: count,
  updatedReplicas: count,
  readyReplicas: count,
  availableReplicas: count,
  unavailableReplicas: count,
  terminatingReplicas: count,
  collisionCount: count,
});

export const deploymentSchema = z.object({
  metadata: metadataSchema,
  status: countsSchema.extend({ observedGeneration: z.number().default(0), conditions: statedConditions }).prefault({}),
});

export type Deployment = z.output<typeof deploymentSchema>;

export const serviceSchema = z.object({
  metadata: metadataSchema,
  spec: z.object({
    clusterIP: z.string().default("None"),
    ports: z
      .array(z.object({ port: z.number(), protocol: z.string().default("TCP"), nodePort: z.number().optional() }))
      .default([]),
  }),
});

export type Service = z.output<typeof serviceSchema>;

interface Trouble {
  reason: string;
  message: string;
}

/** The result for one child. `passing` is a transient error, which is thrown after the status is written. */
export type Child<Observed> = { observed: Observed } | { unwanted: true } | { trouble: Trouble; passing?: Error };

/** Returns the status of an EasyService from the results for its children. */
export function statusOf(
  object: CustomObject<Spec, Status>,
  deployment: Child<Deployment>,
  service: Child<Service>,
): Status {
  const updates = updatesOf(object.spec, deployment, service);
  const conditions = object.conditions(updates);
  const observedGeneration = object.metadata.generation;
  // A child without a result keeps its last status.
  if ("passing" in deployment) return { ...object.status, observedGeneration, conditions };
  // Drop what the Deployment no longer reports.
  const said = conditions.filter(({ type }) => updates.some(update => update.type === type));
  if (!("observed" in deployment)) return { observedGeneration, conditions: said };
  const counts = countsSchema.parse(deployment.observed.status);
  return { observedGeneration, ...counts, selector: podSelector(object.metadata), conditions: said };
}

/** Whether both children are in the desired state. */
export const isSettled = (deployment: Child<unknown>, service: Child<unknown>): boolean =>
  !("trouble" in deployment) && !("trouble" in service);

function updatesOf(spec: Spec, deployment: Child<Deployment>, service: Child<Service>): ConditionUpdate[] {
  const stated = "observed" in deployment ? deployment.observed.status.conditions : [];
  const troubles = [
    ...("trouble" in deployment ? [deployment.trouble] : []),
    ...("observed" in deployment ? rollout(deployment.observed, spec.size) : []),
    ...("trouble" in service ? [service.trouble] : []),
  ];
  const available = { reason: "Available", message: `${spec.size} of ${spec.size} pods are available` };
  const [{ reason } = available] = troubles;
  const message = troubles.map(({ message: one }) => one).join("; ") || available.message;
  return [
    { type: "Ready", status: troubles.length > 0 ? "False" : "True", reason, message },
    serviceReady(service),
    ...stated.map(condition => ({ ...condition, reason: condition.reason || "Unknown" })),
  ];
}

function rollout({ metadata, status }: Deployment, size: number): Trouble[] {
  const { replicas = 0, updatedReplicas = 0, availableReplicas = 0, conditions } = status;
  if (metadata.deletionTimestamp)
    return [{ reason: "Progressing", message: createdAgain("Deployment", metadata.name) }];
  if (status.observedGeneration < metadata.generation)
    return [{ reason: "Progressing", message: "the Deployment's controller has not taken up the change yet" }];
  // Pods of the old template must be gone, too.
  if (updatedReplicas === size && availableReplicas === size && replicas === size) return [];
  const stuck = conditions.find(
    ({ type, status: holds }) =>
      (type === "ReplicaFailure" && holds === "True") || (type === "Progressing" && holds === "False"),
  );
  const counts = `${updatedReplicas} of ${size} pods are up to date, ${availableReplicas} available`;
  if (!stuck) return [{ reason: "Progressing", message: counts }];
  return [{ reason: stuck.reason || stuck.type, message: `${counts}: ${stuck.message}` }];
}

function serviceReady(service: Child<Service>): ConditionUpdate {
  const type = "ServiceReady";
  if ("unwanted" in service)
    return { type, status: "True", reason: "NoPorts", message: "spec.ports is empty, so there is no Service" };
  if ("trouble" in service) return { type, status: service.passing ? "Unknown" : "False", ...service.trouble };
  const { clusterIP, ports } = service.observed.spec;
  const each = ports.map(
    ({ port, protocol, nodePort }) => `${port}/${protocol}${nodePort ? ` (node port ${nodePort})` : ""}`,
  );
  return { type, status: "True", reason: "Assigned", message: `${clusterIP}: ${each.join(", ")}` };
}
