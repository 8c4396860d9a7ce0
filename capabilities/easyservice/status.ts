import * as z from "zod";
import { Finding } from "../common/conditions";
import { metadataSchema } from "../common/objects";
import { Instance } from "../common/reconciler";
import { podSelector } from "./manifests";
import { Spec, Status } from "./schema";

const count = z.number().optional();

/** What the status of a Deployment and that of its EasyService have in common. */
const countsSchema = z.object({
  replicas: count,
  updatedReplicas: count,
  readyReplicas: count,
  availableReplicas: count,
  unavailableReplicas: count,
  terminatingReplicas: count,
  collisionCount: count,
});

/** What is read of a Deployment. */
export const deploymentSchema = z.object({
  metadata: metadataSchema,
  status: countsSchema
    .extend({
      observedGeneration: z.number().default(0),
      conditions: z
        .array(
          z.object({
            type: z.string(),
            status: z.enum(["True", "False", "Unknown"]),
            reason: z.string().default(""),
            message: z.string().default(""),
          }),
        )
        .default([]),
    })
    .default({ observedGeneration: 0, conditions: [] }),
});

export type Deployment = z.output<typeof deploymentSchema>;

/** What is read of a Service. */
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

/** What is in the way, in a word and in a sentence. */
export interface Trouble {
  reason: string;
  message: string;
}

/**
 * What came of one child in a round: what stands there now, that it is not wanted, or why it could not be made. What is
 * `passing` may pass by itself, and is thrown in the end.
 */
export type Child<Observed> = { observed: Observed } | { unwanted: true } | { trouble: Trouble; passing?: Error };

/** The status of an EasyService from what came of its children. */
export function statusOf(
  object: Instance<Spec, Status>,
  deployment: Child<Deployment>,
  service: Child<Service>,
): Status {
  const findings = findingsOf(object.spec, deployment, service);
  const conditions = object.conditions(findings);
  const observedGeneration = object.metadata.generation;
  // What could not be looked at stays as it was.
  if ("passing" in deployment) return { ...object.status, observedGeneration, conditions };
  // What the Deployment no longer says is no longer said.
  const said = conditions.filter(({ type }) => findings.some(finding => finding.type === type));
  if (!("observed" in deployment)) return { observedGeneration, conditions: said };
  const counts = countsSchema.parse(deployment.observed.status);
  return { observedGeneration, ...counts, selector: podSelector(object.metadata), conditions: said };
}

/** Whether both children are as they are wanted. */
export const isSettled = (deployment: Child<unknown>, service: Child<unknown>): boolean =>
  !("trouble" in deployment) && !("trouble" in service);

function findingsOf(spec: Spec, deployment: Child<Deployment>, service: Child<Service>): Finding[] {
  const stated = "observed" in deployment ? deployment.observed.status.conditions : [];
  const troubles = [
    ...("trouble" in deployment ? [deployment.trouble] : []),
    ...("observed" in deployment ? rollout(deployment.observed, spec.size) : []),
    ...("trouble" in service ? [service.trouble] : []),
  ];
  const [first] = troubles;
  const ready: Finding = first
    ? {
        type: "Ready",
        status: "False",
        reason: first.reason,
        message: troubles.map(({ message }) => message).join("; "),
      }
    : {
        type: "Ready",
        status: "True",
        reason: "Available",
        message: `${spec.size} of ${spec.size} pods are available`,
      };
  return [
    ready,
    serviceReady(service),
    ...stated.map(condition => ({ ...condition, reason: condition.reason || "Unknown" })),
  ];
}

/** What is missing until the Deployment is as it is wanted. */
function rollout({ metadata, status }: Deployment, size: number): Trouble[] {
  const { replicas = 0, updatedReplicas = 0, availableReplicas = 0, conditions } = status;
  if (metadata.deletionTimestamp)
    return [{ reason: "Progressing", message: "the Deployment is being deleted, it is made anew when it is gone" }];
  if (status.observedGeneration < metadata.generation)
    return [{ reason: "Progressing", message: "the Deployment's controller has not taken up the change yet" }];
  // Those of the old template are gone, too.
  if (updatedReplicas === size && availableReplicas === size && replicas === size) return [];
  const stuck = conditions.find(
    ({ type, status: holds }) =>
      (type === "ReplicaFailure" && holds === "True") || (type === "Progressing" && holds === "False"),
  );
  const counts = `${updatedReplicas} of ${size} pods are up to date, ${availableReplicas} available`;
  if (!stuck) return [{ reason: "Progressing", message: counts }];
  return [{ reason: stuck.reason || stuck.type, message: `${counts}: ${stuck.message}` }];
}

function serviceReady(service: Child<Service>): Finding {
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
