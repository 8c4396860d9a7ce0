import { isStatus, mayPass } from "../../kubernetes/api";
import type { ConditionUpdate } from "../../kubernetes/conditions";
import { asError, errorFields } from "../../kubernetes/log";
import type { CustomObject } from "../../operator/custom-object";
import { failedUpdateScale } from "../report/report";
import type { Decision } from "../scaling/decide";
import type { Spec, Status } from "../schema";
import { type Scale, writeScale } from "../target/scale";

export interface Action {
  /** Whether the decision counts: the scale was written, was right already, or the target refuses the count. */
  decided: boolean;
  scaled: boolean;
  replicas: number;
  failures: ConditionUpdate[];
  /** Present when the scale changed between the read and the write. */
  conflict?: true;
  error?: Error;
}

/** Immediate retries after conflicts in a row. Later conflicts are retried with backoff. */
const conflictRetries = 5;

export class Conflicts {
  readonly #counts = new Map<string, number>();

  /** Counts a conflict of the object. Returns whether the object may be retried at once. */
  mayRetry(key: string): boolean {
    const conflicts = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, conflicts);
    return conflicts <= conflictRetries;
  }

  end(key: string): void {
    this.#counts.delete(key);
  }
}

/** Writes the scale if the decision changes it. Failures are part of the result. Throws when the Lease was lost. */
export async function act(
  object: CustomObject<Spec, Status>,
  scale: Scale,
  decision: Decision,
  conflicts: Conflicts,
): Promise<Action> {
  const { key, spec } = object;
  const unscaled = { scaled: false, replicas: scale.replicas, failures: [] };
  if (decision.final === scale.replicas || spec.mode !== "Active") {
    conflicts.end(key);
    return { ...unscaled, decided: true };
  }
  object.mustHoldLease();
  try {
    await writeScale(object.context.api, scale, decision.final);
    conflicts.end(key);
    return { decided: true, scaled: true, replicas: decision.final, failures: [] };
  } catch (error) {
    if (isStatus(error, 409) && conflicts.mayRetry(key)) return { ...unscaled, decided: false, conflict: true };
    const passes = mayPass(error);
    const what = passes ? "the API server did not scale the target to" : "the target refused";
    const message = `${what} ${decision.final} replicas: ${errorFields(error).error}`;
    const reason = { reason: failedUpdateScale, event: "FailedRescale" };
    const refusal: ConditionUpdate = { type: "AbleToScale", status: "False", ...reason, message };
    return { ...unscaled, decided: !passes, failures: [refusal], ...(passes && { error: asError(error) }) };
  }
}
