import { join } from "node:path";
import { z } from "zod";
import { Api } from "../capabilities/kubernetes/api";
import { statusSchema } from "../capabilities/mlscaler/schema";
import { DailyRise, high } from "./daily-rise";
import { projectRoot } from "./paths";
import { PrometheusLoad } from "./prometheus-load";
import { namespace, scaled, useCpu, type Race } from "./races";
import { runProgram } from "./run";
import { duration, Story, type Count, type Moment } from "./story";
import { repeat } from "./wait";

/** The series that the MLScalers of the manifests query. */
const series = 'http_requests_total{app="web"}';

/** The load of a replica in requests/s, as in the manifests. */
const requestsPerReplica = 100;

/** The forecast uses slots of five minutes. The rate of the query is that of the last minute. */
const slotMilliseconds = 300_000;
const rateMilliseconds = 60_000;
/** The time to read the history, to scale ahead, and to start pods. */
const calmMilliseconds = 65_000;

/** A common scrape interval of Prometheus. */
const historyStepMilliseconds = 15_000;

/** The start-up of a pod in the manifests. */
const startUpSeconds = 30;

const lookMilliseconds = 2000;
const rowMilliseconds = 10_000;

/** A load with two weeks of history in Prometheus. It rises at the same time each day, today a few minutes from now. */
export class Foresight {
  readonly #rise: DailyRise;

  private constructor(
    readonly race: Race,
    readonly load: PrometheusLoad,
  ) {
    this.#rise = new DailyRise(riseAfter(Date.now(), race.nodeSeconds));
  }

  /** Writes the history to the Prometheus of a sandbox. Throws when Prometheus rejects it. */
  static async preload(sandbox: string, race: Race): Promise<Foresight> {
    const foresight = new Foresight(race, await PrometheusLoad.start(sandbox));
    const rise = foresight.#rise;
    const total = (at: number): number => rise.total(at);
    await foresight.load.preload(series, rise.begin, Date.now(), total, historyStepMilliseconds);
    foresight.load.set(series, total);
    return foresight;
  }

  /**
   * Shows how the MLScaler and the HPA scale their Deployments under this load, by a row now and then and what changes,
   * until both have the pods that it needs or `signal` aborts. With `keep`, until `signal` aborts.
   * @returns a sentence about both; undefined when it did not see both
   */
  async show(signal: AbortSignal, keep: boolean): Promise<string | undefined> {
    await runProgram("kubectl", ["apply", "-f", join(projectRoot, "examples/start", this.race.manifest)]);
    const over = new AbortController();
    const either = AbortSignal.any([signal, over.signal]);
    const story = new Story(Math.ceil(high / requestsPerReplica), this.race.names);
    const { nodeSeconds } = this.race;
    console.log(
      `\nEach day the load doubles at ${new Date(this.#rise.at).toTimeString().slice(0, 5)}. ` +
        `A replica serves ${requestsPerReplica} requests/s and takes ${startUpSeconds} s to be Ready` +
        (nodeSeconds === undefined ? "." : `, a node for four of them ${nodeSeconds} s.`),
    );
    const columns = Object.values(story.names).map((name: string) => `${name}: Ready of replicas`);
    console.log(row("time", "rise", "requests/s", "forecast", ...columns));
    const api = new Api();
    const startedAt = Date.now();
    let shownAt = 0;
    const showNow = async (): Promise<void> => {
      const now = Date.now();
      const moment = await look(api, this.#rise, now);
      const sentences = story.tell(moment);
      if (story.end !== undefined && !keep) over.abort();
      if (sentences.length === 0 && now - shownAt < rowMilliseconds) return;
      shownAt = now;
      const time = new Date(now - startedAt).toISOString().slice(11, 19);
      console.log(row(time, ...cells(moment)));
      for (const sentence of sentences) console.log(`${time}  ${sentence}`);
    };
    await Promise.all([
      useCpu(this.race.byCpu, () => this.#rise.rate(Date.now()), either),
      repeat(lookMilliseconds, either, showNow),
    ]);
    return story.end;
  }

  /** Ends the load. */
  stop(): void {
    this.load.stop();
  }
}

/**
 * The time of a rise soon after `now` that a forecast of slots can foresee: the slot before the rise begins a pod's
 * start-up earlier, and the load of the next slot is all high. Nodes are awaited twice: the first ones, and those for
 * the rise.
 */
function riseAfter(now: number, nodeSeconds = 0): number {
  const at = now + calmMilliseconds + 2 * nodeSeconds * 1000;
  const slot = Math.floor(at / slotMilliseconds) * slotMilliseconds;
  if (at > slot + slotMilliseconds - rateMilliseconds) return slot + slotMilliseconds + calmMilliseconds;
  return Math.max(at, slot + calmMilliseconds);
}

const widths = [10, 11, 12, 10, 36, 36];

const row = (...cells: string[]): string =>
  cells
    .map((cell, column) => cell.padEnd(widths[column] ?? 0))
    .join("")
    .trimEnd();

function cells({ sinceRise, load, forecast, mlscaler, hpa }: Moment): string[] {
  const rise = sinceRise < 0 ? `in ${duration(-sinceRise)}` : `${duration(sinceRise)} ago`;
  return [rise, load.toFixed(0), forecast ?? "-", ...[mlscaler, hpa].map(count)];
}

/** The figures of a Deployment, and a bar of its Ready pods, followed by the missing ones. */
const count = ({ ready, replicas }: Count): string =>
  `${ready} of ${replicas}`.padEnd(9) + "█".repeat(ready) + "░".repeat(Math.max(0, replicas - ready));

const scalerSchema = z.object({ status: statusSchema.default({}) });

const deploymentSchema = z.object({
  spec: z.object({ replicas: z.number() }),
  status: z.object({ readyReplicas: z.number().default(0) }),
});

/** The replicas of a Deployment. Throws ApiError when it cannot be read. */
async function countOf(api: Api, name: string): Promise<Count> {
  const { spec, status } = deploymentSchema.parse(
    await api.get(`/apis/apps/v1/namespaces/${namespace}/deployments/${name}`),
  );
  return { replicas: spec.replicas, ready: status.readyReplicas };
}

/** The state of both scalers. Throws ApiError when an object cannot be read. */
async function look(api: Api, rise: DailyRise, now: number): Promise<Moment> {
  const [scaler, mlscaler, hpa] = await Promise.all([
    api.get(`/apis/example.com/v1/namespaces/${namespace}/mlscalers/${scaled.mlscaler}`),
    countOf(api, scaled.mlscaler),
    countOf(api, scaled.hpa),
  ]);
  const { forecast, predicted_replicas, min_replicas, assist, capacity_buffer, decision } =
    scalerSchema.parse(scaler).status;
  return {
    sinceRise: (now - rise.at) / 1000,
    load: rise.rate(now),
    forecast: forecast?.load,
    trusted: forecast?.trusted ?? false,
    skillPercent: forecast?.skill_percent,
    buffer: capacity_buffer?.replicas,
    reason: `${assist ? `minimum ${min_replicas}, ` : ""}${decision?.reason ?? ""}`,
    // The count in the status belongs to the reason. The Deployment changes shortly before the status, and with Assist
    // when the HPA syncs.
    mlscaler: assist ? mlscaler : { ...mlscaler, replicas: predicted_replicas ?? mlscaler.replicas },
    hpa,
  };
}
