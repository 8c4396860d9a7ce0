import * as z from "zod";

/** A zod schema of a Kubernetes time, in UTC. */
export const time = (): z.ZodString => z.string().meta({ format: "date-time" });

/** Formats a time as Kubernetes does: UTC, in whole seconds. */
export const timestamp = (date: Date): string => `${date.toISOString().slice(0, 19)}Z`;
