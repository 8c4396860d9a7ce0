import { staleMilliseconds } from "../reading";
import * as z from "zod";
import { toleratedSkewMilliseconds } from "../../../kubernetes/server-clock";
import { queryText } from "../query-text";
import { PrometheusError } from "./error";

/** The time in seconds, and the value as text, which may be NaN or ±Inf. */
const sampleSchema = z.tuple([z.number(), z.string()]);

const seriesSchema = z.object({ metric: z.record(z.string(), z.string()).optional(), value: sampleSchema.optional() });

/** The `data` of an answer (prometheus.io, HTTP API, expression query result formats). */
const dataSchema = z.discriminatedUnion("resultType", [
  z.object({ resultType: z.literal("vector"), result: z.array(seriesSchema) }),
  z.object({
    resultType: z.literal("matrix"),
    result: z.array(z.object({ values: z.array(sampleSchema).optional() })),
  }),
  z.object({ resultType: z.literal("scalar"), result: sampleSchema }),
  z.object({ resultType: z.literal("string"), result: z.unknown() }),
]);

/** The value of an instant query at the server's time `now`. Throws PrometheusError unless it is one, and finite. */
export function instantValue(data: unknown, now: number): number {
  const [seconds, text] = sampleOf(parsed(data));
  const value = numberOf(text);
  if (!Number.isFinite(value))
    throw new PrometheusError(`answers with the value ${text.slice(0, 32)}; see what the query divides by`);
  const age = now - seconds * 1000;
  if (age > staleMilliseconds)
    throw new PrometheusError(
      `has no newer value than of ${timeText(seconds)}, where ${staleMilliseconds / 60_000} min are allowed; ` +
        "see whether it still gets them, and the clocks",
    );
  if (-age > toleratedSkewMilliseconds)
    throw new PrometheusError(`has a value of ${timeText(seconds)}, which is in the future; see the clocks`);
  return value;
}

/** Checks the answer to `agesQuery`. Throws PrometheusError unless each selector has a sample of at most that age. */
export function checkAges(data: unknown, selectors: string[], mostSeconds: number): void {
  const known = parsed(data);
  const ages = known.resultType === "vector" ? known.result : [];
  selectors.forEach((selector, index) => {
    const { value } = ages.find(({ metric }) => metric?.selector === String(index)) ?? {};
    const age = numberOf(value?.[1] ?? "");
    if (age <= mostSeconds) return;
    const found = Number.isNaN(age) ? "has no sample" : `has its newest sample of ${Math.round(age)} s ago`;
    throw new PrometheusError(
      `${found} of ${queryText(selector)}, where max_sample_age_seconds allows ${mostSeconds}; see its source`,
    );
  });
}

const timeText = (seconds: number): string => {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? `${seconds} s` : date.toISOString();
};

/** The values of a range query, oldest first, without times that have none, or several. Throws PrometheusError. */
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
    throw new PrometheusError("has no series for it; see what the query gives in Prometheus, and its source");
  if (others.length > 0) throw many(data.result.length);
  if (!series.value)
    throw new PrometheusError("answers with a histogram, not with a number; put histogram_quantile() … around it");
  return series.value;
}

const many = (series: number): PrometheusError =>
  new PrometheusError(`answers with ${series} series, not with one; sum them up: sum(…)`);

const numberOf = (text: string): number => (text.trim() === "" ? NaN : Number(text.replace(/Inf$/, "Infinity")));
