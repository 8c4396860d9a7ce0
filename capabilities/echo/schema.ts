import * as z from "zod";
import { conditionsSchema } from "../kubernetes/conditions";
import { Resource } from "../definition/resource";
import { blanks, matching, Rule, within } from "../definition/rules";

const specSchema = z.strictObject({
  replicas: z.int32().describe("The number of pods, 0 to 1000."),
  image: z.string().max(512).describe("The image of their container, for example nginx:1.27."),
});

export type Spec = z.output<typeof specSchema>;

const oneWord = `^[^${blanks}]+$`;

const rules: Rule<Spec>[] = [
  within("replicas", 0, 1000),
  matching("image", oneWord, '"%s" is not an image, use a name without spaces as "nginx:1.27"'),
];

const statusSchema = z.object({
  observedGeneration: z.int().optional().describe("The generation of the spec that this status is about."),
  current_replicas: z.int32().optional().describe("Pods that exist and have not ended."),
  is_ready: z.boolean().optional().describe("Whether all replicas are Ready, with the image of the spec."),
  selector: z.string().max(512).optional().describe("The labels of the pods, for the scale subresource."),
  conditions: conditionsSchema.optional().describe("Ready."),
});

export type Status = z.output<typeof statusSchema>;

export const echo: Resource<Spec, Status> = {
  group: "my-operator.dev",
  version: "v1",
  kind: "Echo",
  plural: "echoes",
  shortNames: [],
  description: "A number of pods of one image.",
  spec: specSchema,
  status: statusSchema,
  nameRule: {
    pattern: "[a-z0-9]([-.a-z0-9]*[a-z0-9])?",
    longest: 63,
    allowed: "it becomes a label of the pods, use at most 63 characters",
  },
  rules,
  scale: {
    specReplicasPath: ".spec.replicas",
    statusReplicasPath: ".status.current_replicas",
    labelSelectorPath: ".status.selector",
  },
  printerColumns: [
    { name: "Replicas", type: "integer", jsonPath: ".spec.replicas" },
    { name: "Current", type: "integer", jsonPath: ".status.current_replicas" },
    { name: "Image", type: "string", jsonPath: ".spec.image" },
    { name: "Ready", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
  ],
};
