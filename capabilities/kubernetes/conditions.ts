import * as z from "zod";
import { time, timestamp } from "./time";

/** The longest message of a condition or an Event, in characters. */
export const longestMessage = 1024;

/** The zod schema of a condition (meta/v1 Condition). */
export const conditionSchema = z.object({
  type: z.string().max(64).describe("Type of the condition, for example Ready."),
  status: z.enum(["True", "False", "Unknown"]).describe("Status of the condition: True, False or Unknown."),
  reason: z.string().max(128).describe("Reason of the status in one word, for example Synced."),
  message: z.string().max(longestMessage).describe("Reason of the status, as text."),
  lastTransitionTime: time().describe("Time when the status last changed."),
  observedGeneration: z.int().optional().describe("Generation of the spec that the condition is for."),
});

export type Condition = z.infer<typeof conditionSchema>;

/** The zod schema of status.conditions: a map list by type. */
export const conditionsSchema = z
  .array(conditionSchema)
  .max(16)
  .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"] });

/** Conditions that other controllers wrote. Only the type is required. */
export const statedConditions = z
  .array(
    z.object({
      type: z.string(),
      status: conditionSchema.shape.status.catch("Unknown"),
      reason: z.string().catch(""),
      message: z.string().catch(""),
      lastTransitionTime: z.string().nullish(),
    }),
  )
  .default([]);

export interface ConditionUpdate extends Pick<Condition, "type" | "status" | "reason" | "message"> {
  event?: string;
}

/** Merges `updates` into conditions: lastTransitionTime changes with the status, and those without an update stay. */
export function withTransitions(
  previous: Condition[],
  updates: ConditionUpdate[],
  now: Date,
  observedGeneration: number,
): Condition[] {
  const found = updates.map(update => {
    const before = previous.find(condition => condition.type === update.type);
    const lastTransitionTime = before && before.status === update.status ? before.lastTransitionTime : timestamp(now);
    const { type, status, reason, message } = update;
    return {
      ...{ type, status, reason, message: message.slice(0, longestMessage) },
      ...{ lastTransitionTime, observedGeneration },
    };
  });
  // Keep the order, so that an unchanged list is not written again.
  const kept = previous.map(condition => found.find(({ type }) => type === condition.type) ?? condition);
  return [...kept, ...found.filter(({ type }) => !previous.some(condition => condition.type === type))];
}
