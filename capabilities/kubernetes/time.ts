import * as z from "zod";

/** A point in time, in epoch milliseconds: by the clock of the API server where it is known. */
export type Instant = number;

/** A point in time by the clock of this process that is never set (performance.now()), in ms. */
export type Monotonic = number;

/** A zod schema of a Kubernetes time, in UTC. */
export const time = (): z.ZodString => z.string().meta({ format: "date-time" });

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;

/** Parses a Kubernetes time (RFC 3339). Undefined for any other text, and for none. */
export function instantOf(text: string | null | undefined): Instant | undefined {
  const at = text && rfc3339.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(at) ? undefined : at;
}

/** Formats a time as Kubernetes does: UTC, in whole seconds. */
export const timestamp = (date: Date): string => `${date.toISOString().slice(0, 19)}Z`;
