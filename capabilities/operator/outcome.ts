/** The period of syncs that only find what watches lost, in seconds. */
export const lostChangesSeconds = 300;

export type Outcome =
  /** Success: sync again at the object's phase of the period. */
  | { next: "sync"; periodSeconds: number }
  /** Success: sync again after `afterSeconds`, or at its phase if that comes first. */
  | { next: "soon"; afterSeconds: number; periodSeconds: number }
  /** Failure: the pause doubles up to `atMostSeconds`. An `error` is logged and counted, and else in the status. */
  | { next: "retry"; firstSeconds: number; atMostSeconds: number; error?: unknown }
  /** The object is gone: do not sync again. */
  | { next: "forget" };

/** Whether a sync ended with an error, and not only with a failure that its status tells. */
export const hasError = (outcome: Outcome): outcome is Extract<Outcome, { next: "retry" }> =>
  outcome.next === "retry" && outcome.error !== undefined;
