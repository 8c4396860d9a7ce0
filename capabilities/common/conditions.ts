import { Condition } from "./crd";

/** A condition as a sync finds it; times are added by `withTransitions`. */
export interface Finding extends Pick<Condition, "type" | "status" | "reason" | "message"> {
  /** The reason of the Event that tells of it, where that has another. */
  event?: string;
}

/** The most characters of a message or reason for people. */
export const longestMessage = 1024;

/**
 * The conditions to write: lastTransitionTime moves only where the status moved. Conditions of `previous` whose
 * type is not in `findings` are kept, so that what a sync could not find out stays as it was.
 */
export function withTransitions(
  previous: Condition[],
  findings: Finding[],
  now: Date,
  observedGeneration: number,
): Condition[] {
  const found = findings.map(finding => {
    const before = previous.find(condition => condition.type === finding.type);
    const lastTransitionTime = before && before.status === finding.status ? before.lastTransitionTime : timestamp(now);
    const { type, status, reason, message } = finding;
    return {
      ...{ type, status, reason, message: message.slice(0, longestMessage) },
      ...{ lastTransitionTime, observedGeneration },
    };
  });
  // In the order that they had, or a list that says the same would be written again.
  const kept = previous.map(condition => found.find(({ type }) => type === condition.type) ?? condition);
  return [...kept, ...found.filter(({ type }) => !previous.some(condition => condition.type === type))];
}

/** A time as Kubernetes writes it: UTC, whole seconds. */
export const timestamp = (date: Date): string => `${date.toISOString().slice(0, 19)}Z`;
