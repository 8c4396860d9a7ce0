import pMap from "p-map";
import { Connection } from "../../capabilities/mlscaler/metrics/prometheus/connection";
import { PrometheusError } from "../../capabilities/mlscaler/metrics/prometheus/error";
import { serverOf } from "../../capabilities/mlscaler/metrics/prometheus/server";
import type { Mode } from "../../capabilities/mlscaler/target/target";
import { hpaKind } from "../from-hpa";
import { scaledObjectKind } from "../from-keda";
import { InputError } from "../manifests";
import { Cluster, Sources } from "../reading";
import { verdicts } from "../simulate/gain";
import { ProgressDisplay } from "../simulate/progress";
import { Job, Judged } from "./judge";
import { recordedOf, Span, step } from "./load";
import { Workers } from "./workers";
import { Found, Workload, workloadsOf } from "./workloads";

/** The result of a survey. */
export interface Survey {
  /** Those that gain first, and of these the one that saves most. */
  judged: Judged[];
  /** A line for each workload without a verdict. */
  faults: string[];
  /** Workloads without a verdict, because the survey was stopped. */
  left: number;
}

/** The HPAs and ScaledObjects of a cluster. Throws InputError when there is none, and ApiError. */
export async function workloadsIn(sources: Sources, queries: Record<string, string>, mode: Mode): Promise<Found> {
  const kinds = [hpaKind, scaledObjectKind];
  const found = await Promise.all(kinds.map(async kind => (await new Cluster(kind, sources).find()) ?? []));
  const inputs = found.flat();
  if (inputs.length > 0) return workloadsOf(inputs, queries, mode);
  throw new InputError("there is no HPA and no ScaledObject there; use -n, -A or --context");
}

/**
 * A connection to the Prometheus server of a URL, or of a document with url and credentials. Throws InputError when it
 * is no server, or does not answer.
 */
export async function prometheusAt(text: string): Promise<Connection> {
  const server = serverOf(/^https?:/.test(text) ? JSON.stringify({ url: text }) : text);
  if ("fault" in server) throw new InputError(`--prometheus: ${server.fault}`);
  const connection = new Connection("main", server.server);
  try {
    const bounds = { mostBytes: 1 << 20, signal: AbortSignal.timeout(10_000) };
    await connection.ask("query", { query: "vector(1)" }, bounds);
    return connection;
  } catch (error) {
    if (!(error instanceof PrometheusError)) throw error;
    throw new InputError(`--prometheus: ${server.server.url.host} ${error.message}`);
  }
}

/** The last weeks before `now` (epoch milliseconds), in whole steps. */
export function spanOf(weeks: number, now: number): Span {
  const to = Math.floor(now / step) * step;
  return { from: to - Math.round((weeks * 7 * 86_400_000) / step - 1) * step, to };
}

/**
 * Reads the load of each workload, and judges it in worker threads, a few at once. Shows its progress. What cannot be
 * read or judged is a fault.
 * @param stopped whether to leave out the workloads that are not begun
 */
export async function surveyed(
  workloads: Workload[],
  prometheus: Connection,
  span: Span,
  origin: Job["origin"],
  stopped: () => boolean,
): Promise<Survey> {
  const workers = new Workers();
  const progress = new ProgressDisplay();
  const survey: Survey = { judged: [], faults: [], left: 0 };
  let done = 0;
  const judge = async (workload: Workload): Promise<void> => {
    if (stopped()) {
      survey.left++;
      return;
    }
    const answer = await recordedOf(prometheus, workload, span).then(
      recorded => workers.judge({ workload, recorded, origin }),
      (error: unknown) => {
        if (!(error instanceof PrometheusError)) throw error;
        return { fault: `Prometheus ${error.message}` };
      },
    );
    if ("judged" in answer) survey.judged.push(answer.judged);
    else survey.faults.push(`${workload.scaler} ${workload.key}: ${answer.fault}`);
    progress.show({ done: ++done, total: workloads.length });
  };
  try {
    // While all threads replay, the next loads are read.
    await pMap(workloads, judge, { concurrency: 2 * workers.size });
  } finally {
    progress.stop();
    await workers.stop();
  }
  return { ...survey, judged: ranked(survey.judged) };
}

/** By verdict, and then by what is saved. */
const ranked = (judged: Judged[]): Judged[] =>
  judged.toSorted(
    ({ row: one }, { row: other }) =>
      verdicts.indexOf(one.verdict) - verdicts.indexOf(other.verdict) ||
      other.saved_replica_hours - one.saved_replica_hours ||
      one.workload.localeCompare(other.workload),
  );
