import * as z from "zod";
import { conditionsSchema } from "../kubernetes/conditions";
import { Resource } from "../definition/resource";
import { within } from "../definition/rules";

const specSchema = z.strictObject({ replicas: z.int32().describe("How many pods there are, 1 to 20.") });

export type Spec = z.output<typeof specSchema>;

const statusSchema = z.object({
  observedGeneration: z.int().optional().describe("The generation of the spec that this status is about."),
  replicas: z.int32().optional().describe("How many pods the Deployment has."),
  ready: z.int32().optional().describe("How many of them are Ready."),
  selector: z.string().max(1024).optional().describe("The label selector of the pods, for the scale subresource."),
  conditions: conditionsSchema.optional().describe("Ready, TakenBack."),
});

export type Status = z.output<typeof statusSchema>;

export const hello: Resource<Spec, Status> = {
  group: "fraim.co.jp",
  version: "v1",
  kind: "Hello",
  plural: "helloes",
  shortNames: ["hlo"],
  description: "A Deployment of pods that say hello over HTTP, on port 80.",
  spec: specSchema,
  status: statusSchema,
  nameRule: {
    pattern: "[a-z0-9]([-a-z0-9]*[a-z0-9])?",
    longest: 63,
    allowed:
      "use at most 63 lower case letters, digits and dashes, a letter or digit first and last: " +
      "the container and a label are named after it",
  },
  rules: [within("replicas", 1, 20)],
  scale: {
    specReplicasPath: ".spec.replicas",
    statusReplicasPath: ".status.replicas",
    labelSelectorPath: ".status.selector",
  },
  printerColumns: [
    { name: "Replicas", type: "integer", jsonPath: ".spec.replicas" },
    { name: "Ready pods", type: "integer", jsonPath: ".status.ready" },
    { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
};
