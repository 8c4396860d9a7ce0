import * as z from "zod";
import { conditionsSchema } from "../kubernetes/conditions";
import { Resource } from "../definition/resource";
import { blanks, matching, Rule, within } from "../definition/rules";
import { envsRules, envsSchema, rulesAmongEnvs } from "./envs";
import { portsRules, portsSchema, rulesAmongPorts } from "./ports";
import { resourcesRules, resourcesSchema } from "./resources";

const specSchema = z.strictObject({
  size: z.int32().default(1).describe("The number of pods, 0 or more."),
  image: z.string().max(1024).describe("The container image of the pods, for example nginx:1.27."),
  resources: resourcesSchema
    .optional()
    .describe("Requests and limits of the container: cpu in cores, memory in bytes."),
  envs: envsSchema.default([]).describe("Environment variables of the container."),
  ports: portsSchema.default([]).describe("Ports of the Service. Without ports no Service exists."),
});

export type Spec = z.output<typeof specSchema>;

const trimmed = `^[^${blanks}]([\\s\\S]*[^${blanks}])?$`;

const rules: Rule<Spec>[] = [
  within("size", 0, 2 ** 31 - 1, "pods"),
  matching(
    "image",
    trimmed,
    '"%s" is not an image, use REPOSITORY:TAG as in "nginx:1.27", without white space around it',
  ),
  ...rulesAmongEnvs,
  ...rulesAmongPorts,
];

const statusSchema = z.object({
  observedGeneration: z.int().optional().describe("The generation of the spec that this status is about."),
  replicas: z.int32().optional().describe("Pods that exist."),
  updatedReplicas: z.int32().optional().describe("Pods of the newest template."),
  readyReplicas: z.int32().optional().describe("Pods that are Ready."),
  availableReplicas: z.int32().optional().describe("Pods that have been Ready for long enough."),
  unavailableReplicas: z.int32().optional().describe("Pods that are still needed for all to be available."),
  terminatingReplicas: z.int32().optional().describe("Pods that are going."),
  collisionCount: z.int32().optional().describe("Collisions of names that the Deployment met."),
  selector: z.string().max(320).optional().describe("The label selector of the pods, for the scale subresource."),
  conditions: conditionsSchema
    .optional()
    .describe("Ready, ServiceReady, and from the Deployment: Available, Progressing, ReplicaFailure."),
});

export type Status = z.output<typeof statusSchema>;

export const easyservice: Resource<Spec, Status> = {
  group: "app.kubebuilder.io",
  version: "v1",
  kind: "EasyService",
  plural: "easyservices",
  shortNames: ["esvc"],
  description: "Runs an image as a Deployment and opens its ports with a Service of type NodePort.",
  spec: specSchema,
  status: statusSchema,
  nameRule: {
    pattern: "[a-z]([-a-z0-9]*[a-z0-9])?",
    longest: 63,
    allowed:
      'use at most 63 lower case letters, digits and "-", a letter first and no "-" last, because ' +
      "the Service and the labels of the pods get this name",
  },
  rules,
  nested: [...resourcesRules, ...envsRules, ...portsRules],
  scale: {
    specReplicasPath: ".spec.size",
    statusReplicasPath: ".status.replicas",
    labelSelectorPath: ".status.selector",
  },
  printerColumns: [
    { name: "Size", type: "integer", jsonPath: ".spec.size" },
    { name: "Ready pods", type: "integer", jsonPath: ".status.readyReplicas" },
    { name: "Image", type: "string", jsonPath: ".spec.image" },
    { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
    { name: "Selector", type: "string", jsonPath: ".status.selector", priority: 1 },
  ],
};
