import * as z from "zod";
import { matching, Rule } from "../../../definition/rules";
import { containerResourceName, label, metricTargetSchema } from "../schema";
import { Source } from "./source";
import { readResource, resourceRule, resourceTargetRules } from "./resource";

const schema = z.strictObject({
  name: z.string().max(253).describe("Resource: cpu or memory."),
  container: z.string().max(63).describe("Name of the container in the target's pods, for example app."),
  target: metricTargetSchema.describe("Target for the average over the pods."),
});

type Block = z.output<typeof schema>;

const rules: Rule<Block>[] = [
  {
    path: "name",
    cel: `self.name.matches('${containerResourceName}') && !self.name.startsWith('requests.')`,
    check: ({ name }) => new RegExp(containerResourceName).test(name) && !name.startsWith("requests."),
    message: '"%s" is not a resource of containers, use cpu or memory',
    values: ["name"],
  },
  matching("container", label, '"%s" is not the name of a container, use lower case letters, digits and "-"'),
];

export const containerResource: Source<Block> = {
  schema,
  description: "For ContainerResource: cpu or memory of one container of the target's pods.",
  rules: [{ at: "", rules }],
  targetRules: resourceTargetRules,
  name: ({ name }) => name,
  reference: ({ name, container }) => `${name} of container ${container}`,
  hpaName: ({ container }) => `${container} container`,
  hpaRule: ({ name, container, target }) => resourceRule({ name, container }, target),
  resource: ({ name, container }) => ({ name, container }),
  read: ({ name, container }, subject, reference, apis) => readResource({ name, container }, subject, reference, apis),
};
