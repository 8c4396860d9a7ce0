import * as z from "zod";
import { optionalInteger, optionalText } from "../../../definition/fields";
import { ifGiven, matching, type NestedRules, type Rule, within } from "../../../definition/rules";
import { mostReplicas } from "../rule/behavior";

export const capacityBufferSchema = z.strictObject({
  max_replicas: optionalInteger().describe(
    "Most replicas whose nodes it requests, for example 20. By default as many as max_replicas allows.",
  ),
  provisioning_strategy: optionalText(253).describe(
    "Strategy of the CapacityBuffer, as the autoscaler of the nodes names it. By default " +
      "buffer.x-k8s.io/active-capacity.",
  ),
});

type CapacityBufferBlock = z.output<typeof capacityBufferSchema>;

const blockRules: Rule<CapacityBufferBlock>[] = [
  ifGiven(within<CapacityBufferBlock>("max_replicas", 1, mostReplicas)),
  ifGiven(
    matching(
      "provisioning_strategy",
      "^[A-Za-z0-9]([-A-Za-z0-9_./]*[A-Za-z0-9])?$",
      '"%s" is not the name of a strategy, use for example buffer.x-k8s.io/active-capacity',
    ),
  ),
];

export const capacityBufferRules: NestedRules[] = [{ at: "capacity_buffer", rules: blockRules }];
