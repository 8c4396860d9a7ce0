import { z } from "zod";
import { rangeValues } from "../../capabilities/mlscaler/metrics/prometheus/answer";
import { Connection } from "../../capabilities/mlscaler/metrics/prometheus/connection";
import { Trace } from "../simulate/trace";
import { queriesOf } from "./queries";
import { Workload } from "./workloads";

/** What Prometheus knows of a workload. */
export interface Recorded {
  /** The load by steps of five minutes. Undefined without any load. */
  trace?: Trace;
  /** The mean request of a pod, in the unit of the load. */
  request?: number;
  /** The median of the seconds that new pods took to be Ready. */
  startUpSeconds?: number;
  /** The 90th percentile of the seconds that pods waited for nodes which were made after them. */
  nodeSeconds?: number;
  /** The mean of the replicas over the last week. */
  replicas?: number;
}

/** The times that are surveyed, in epoch milliseconds, whole steps. */
export interface Span {
  from: number;
  to: number;
}

/** Milliseconds of a step: a forecast's slot. */
export const step = 300_000;

/** Days that start-ups and replicas are taken from. */
const recentDays = 7;

/** Patience with one answer, in seconds. */
const timeoutSeconds = 60;

/** The limit of an answer in bytes: a series of ten weeks has 1 MB. */
const mostBytes = 8 << 20;

/** The most points in an answer of Prometheus. */
const mostPoints = 11_000;

const vectorSchema = z.object({ result: z.array(z.object({ value: z.tuple([z.number(), z.string()]) })) });

/**
 * Reads the load of a workload and the sizes of its pods from Prometheus. Throws PrometheusError.
 * @param span at most `mostPoints` steps are asked for at once
 */
export async function recordedOf(prometheus: Connection, workload: Workload, span: Span): Promise<Recorded> {
  const { load, request, startUp, nodeWait, replicas } = queriesOf(workload, recentDays);
  const values: [at: number, value: number][] = [];
  for (let from = span.from; from <= span.to; from += mostPoints * step) {
    const to = Math.min(span.to, from + (mostPoints - 1) * step);
    const times = { start: String(from / 1000), end: String(to / 1000), step: String(step / 1000) };
    values.push(...rangeValues(await asked(prometheus, workload, "query_range", { query: load, ...times })));
  }
  const single = async (query: string | undefined): Promise<number | undefined> => {
    if (query === undefined) return undefined;
    const answer = await asked(prometheus, workload, "query", { query, time: String(span.to / 1000) });
    const [first] = vectorSchema.safeParse(answer).data?.result ?? [];
    const value = Number(first?.value[1] ?? NaN);
    return value > 0 && Number.isFinite(value) ? value : undefined;
  };
  return {
    trace: traceOf(values),
    request: await single(request),
    startUpSeconds: await single(startUp),
    nodeSeconds: await single(nodeWait),
    replicas: await single(replicas),
  };
}

const asked = (
  prometheus: Connection,
  { namespace }: Workload,
  path: string,
  parameters: Record<string, string>,
): Promise<unknown> =>
  prometheus.inTurn(namespace, timeoutSeconds, signal => prometheus.ask(path, parameters, { mostBytes, signal }));

/** The values by step, from the first known one on. A value is that of the step which ends at its time. */
export function traceOf(values: [at: number, value: number][]): Trace | undefined {
  const [first, last] = [values[0]?.[0], values.at(-1)?.[0]];
  if (first === undefined || last === undefined) return undefined;
  const loads = new Array<number>(Math.round((last - first) / step) + 1).fill(NaN);
  for (const [at, value] of values) loads[Math.round((at - first) / step)] = Math.max(0, value);
  return { startedAt: first - step, step, loads, notes: [] };
}
