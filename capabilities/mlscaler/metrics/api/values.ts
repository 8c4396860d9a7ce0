import * as z from "zod";
import { instantOf } from "../../../kubernetes/time";

/** The time of a value in epoch milliseconds; 0 if the API gives none. */
const timestamp = z
  .string()
  .nullish()
  .transform(text => instantOf(text) ?? 0);

/** HPA's metricServerDefaultMetricWindow. */
const defaultWindowSeconds = 60;

const quantity = z.union([z.string(), z.number()]);

/** The usage of a pod by container, from metrics.k8s.io. */
export const podUsageSchema = z
  .object({
    metadata: z.object({ name: z.string() }),
    timestamp,
    window: z.string().optional(),
    containers: z.array(z.object({ name: z.string(), usage: z.record(z.string(), quantity) })),
  })
  .transform(({ metadata, timestamp: at, window, containers }) => ({
    name: metadata.name,
    at,
    windowMilliseconds: durationMilliseconds(window ?? ""),
    containers,
  }));

export type PodUsage = z.output<typeof podUsageSchema>;

/** A custom metric of one object, from custom.metrics.k8s.io. */
export const customValueSchema = z
  .object({
    describedObject: z.object({ name: z.string() }),
    timestamp,
    // The field is windowSeconds in v1beta2 and window in v1beta1.
    windowSeconds: z.number().nullish(),
    window: z.number().nullish(),
    value: quantity,
  })
  .transform(({ describedObject, timestamp: at, windowSeconds, window, value }) => ({
    name: describedObject.name,
    at,
    windowMilliseconds: (windowSeconds ?? window ?? defaultWindowSeconds) * 1000,
    value,
  }));

export type CustomValue = z.output<typeof customValueSchema>;

/** One series of an external metric, from external.metrics.k8s.io. */
export const externalValueSchema = z
  .object({ timestamp, value: quantity })
  .transform(({ timestamp: at, value }) => ({ at, value }));

export type ExternalValue = z.output<typeof externalValueSchema>;

const unitMilliseconds: Record<string, number> = {
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
  us: 1e-3,
  µs: 1e-3,
  ns: 1e-6,
};

/** The longest text of a Go duration, in characters. Go itself writes at most 30. */
const longestDuration = 64;

/** Converts a Go duration to milliseconds: "1m0.5s" is 60500. A text that is none is 0. */
const durationMilliseconds = (text: string): number =>
  text.length > longestDuration
    ? 0
    : [...text.matchAll(/(\d+(?:\.\d*)?|\.\d+)(h|ms|m|s|us|µs|ns)/g)].reduce(
        (sum, [, number, unit = ""]) => sum + Number(number) * (unitMilliseconds[unit] ?? 0),
        0,
      );
