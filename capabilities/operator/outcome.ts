/** The result of a sync, which decides when the next one runs. */
export type Outcome =
  /** Success: sync again at the object's place in the period. */
  | { next: "sync"; periodSeconds: number }
  /** Success: sync again after `afterSeconds`, or at the object's place if that comes first. */
  | { next: "soon"; afterSeconds: number; periodSeconds: number }
  /**
   * Failure: retry after `firstSeconds` (5 by default). The pause doubles with each failure in a row, up to
   * `atMostSeconds`.
   */
  | { next: "retry"; firstSeconds?: number; atMostSeconds: number }
  /** The object is gone: do not sync again. */
  | { next: "forget" };
