import * as z from "zod";
import { PrometheusError } from "./error";

/** Values older than this are stale: their source has stopped. */
const staleMilliseconds = 300_000;

/** The time in seconds, and the value as text, which may be NaN or ±Inf. */
const sampleSchema = z.tuple([z.number(), z.string()]);

/** The `data` of an answer (prometheus.io, HTTP API, expression query result formats). */
const dataSchema = z.discriminatedUnion("resultType", [
  z.object({ resultType: z.literal("vector"), result: z.array(z.object({ value: sampleSchema.optional() })) }),
  z.object({
    resultType: z.literal("matrix"),
    result: z.array(z.object({ values: z.array(sampleSchema).optional() })),
  }),
  z.object({ resultType: z.literal("scalar"), result: sampleSchema }),
  z.object({ resultType: z.literal("string"), result: z.unknown() }),
]);

/**
 * The value of the answer to an instant query at `at` (epoch milliseconds). Throws PrometheusError unless the answer is
 * one series with a finite value that is not stale.
 */
export function instantValue(data: unknown, at: number): number {
  const sample = sampleOf(parsed(data));
  const [seconds, text] = sample;
  const value = numberOf(text);
  if (!Number.isFinite(value))
    throw new PrometheusError(`answers with the value ${text.slice(0, 32)}; see what the query divides by`);
  if (at - seconds * 1000 > staleMilliseconds)
    throw new PrometheusError(
      `has no newer value than of ${new Date(seconds * 1000).toISOString()}, ` +
        `where ${staleMilliseconds / 60_000} min are allowed; see whether it still gets them, and the clocks`,
    );
  return value;
}

/**
 * The values of the answer to a range query, oldest first, with times in epoch milliseconds. Leaves out times with no
 * value, with several, or with one that is not finite. Throws PrometheusError when the answer is no range, or when
 * several series leave no value at all.
 */
export function rangeValues(data: unknown): [at: number, value: number][] {
  const { resultType, result } = parsed(data);
  if (resultType !== "matrix") throw new PrometheusError(`answers a range with a ${resultType}; see what it is`);
  const values = new Map<number, number>();
  for (const [seconds, text] of result.flatMap(series => series.values ?? [])) {
    const at = Math.round(seconds * 1000);
    // Several series have a value at this time, so an instant query would have failed.
    values.set(at, values.has(at) ? NaN : numberOf(text));
  }
  const known = [...values].filter(([, value]) => Number.isFinite(value));
  if (known.length === 0 && result.length > 1) throw many(result.length);
  return known.sort(([one], [other]) => one - other);
}

type Data = z.output<typeof dataSchema>;

function parsed(data: unknown): Data {
  const { success, data: known, error } = dataSchema.safeParse(data);
  if (success) return known;
  const [issue] = error.issues;
  throw new PrometheusError(
    `answers in an unknown form: data.${issue?.path.join(".")}: ${issue?.message}; ` +
      "see whether its url is that of Prometheus' API",
  );
}

function sampleOf(data: Data): [seconds: number, text: string] {
  if (data.resultType === "scalar") return data.result;
  if (data.resultType === "matrix")
    throw new PrometheusError("answers with a range of values, not with one; put rate(), avg_over_time() … around it");
  if (data.resultType === "string") throw new PrometheusError("answers with a string; the query must be of a number");
  const [series, ...others] = data.result;
  if (!series)
    throw new PrometheusError(
      'has no series for it; see what the query gives in Prometheus, and where none means 0, append "or vector(0)"',
    );
  if (others.length > 0) throw many(data.result.length);
  if (!series.value)
    throw new PrometheusError("answers with a histogram, not with a number; put histogram_quantile() … around it");
  return series.value;
}

const many = (series: number): PrometheusError =>
  new PrometheusError(`answers with ${series} series, not with one; sum them up: sum(…)`);

/** Parses a number as Prometheus writes it. */
const numberOf = (text: string): number => (text.trim() === "" ? NaN : Number(text.replace(/Inf$/, "Infinity")));
