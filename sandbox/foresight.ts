import { join } from "node:path";
import { z } from "zod";
import { Api } from "../capabilities/kubernetes/api";
import { DailyRise } from "./daily-rise";
import { bar, Display } from "./display";
import { kubectl } from "./example";
import { projectRoot } from "./paths";
import { PrometheusLoad } from "./prometheus-load";
import { spreadLoad } from "./replay";
import { duration, Story, type Count, type Moment } from "./story";
import { repeat } from "./wait";

/** Two Deployments with the same load, one scaled by an MLScaler and one by an HPA. */
const manifest = join(projectRoot, "examples/prometheus.yaml");
const namespace = "default";
const scaled = { mlscaler: "web", hpa: "web-hpa" };

/** The series that the MLScaler of the manifest queries. */
const series = 'http_requests_total{app="web"}';

/** The load of a replica and the CPU time of a request, as in the manifest. */
const requestsPerReplica = 100;
const coresPerRequest = 0.005;

/** Requests/s before and after the rise. */
const [low, high] = [780, 1560];

/** The forecast uses slots of five minutes. The load rises one minute (the window of the rate) before a slot starts. */
const slotMilliseconds = 300_000;
const rateMilliseconds = 60_000;
/** The time to read the history, to gain trust, and to show the load before the rise. */
const calmMilliseconds = 150_000;

/** A common scrape interval of Prometheus. */
const historyStepMilliseconds = 15_000;

const lookMilliseconds = 2000;
const rowMilliseconds = 10_000;

/** A load with two weeks of history in Prometheus. It rises at the same time each day, today a few minutes from now. */
export class Foresight {
  readonly #rise = new DailyRise(
    slotAfter(Date.now() + calmMilliseconds + rateMilliseconds) - rateMilliseconds,
    low,
    high,
  );
  #load?: PrometheusLoad;

  /** Writes the history to the Prometheus of a sandbox. Throws when Prometheus rejects it. */
  async preload(sandbox: string): Promise<void> {
    const total = (at: number): number => this.#rise.total(at);
    this.#load = await PrometheusLoad.start(sandbox);
    await this.#load.preload(series, this.#rise.begin, Date.now(), total, historyStepMilliseconds);
    this.#load.set(series, total);
  }

  /** Shows how the MLScaler and the HPA scale their Deployments under this load, until `signal` aborts. */
  async show(signal: AbortSignal): Promise<void> {
    const api = new Api();
    await kubectl("apply", "-f", manifest);
    const cores = (): number => this.#rise.rate(Date.now()) * coresPerRequest;
    // The HPA scales by the CPU use of the same load. Errors are ignored, because a pod may go between list and patch.
    const written = new Map<string, string>();
    const useCpu = (): Promise<void> => spreadLoad(api, namespace, `app=${scaled.hpa}`, cores(), written);
    await Promise.all([repeat(lookMilliseconds, signal, useCpu, () => undefined), show(api, this.#rise, signal)]);
  }

  /** Ends the load. */
  stop(): void {
    this.#load?.stop();
  }
}

const slotAfter = (at: number): number => Math.ceil(at / slotMilliseconds) * slotMilliseconds;

async function show(api: Api, rise: DailyRise, signal: AbortSignal): Promise<void> {
  const title =
    `Each day the load doubles at ${new Date(rise.at).toTimeString().slice(0, 5)}. ` +
    `A replica serves ${requestsPerReplica} requests/s and takes 40 s to be Ready.`;
  const display = new Display(title, [
    { heading: "rise", width: 11 },
    { heading: "requests/s", width: 12 },
    { heading: "forecast", width: 10 },
    { heading: "MLScaler: Ready of replicas", width: 30 },
    { heading: "HPA: Ready of replicas", width: 30 },
  ]);
  const story = new Story(Math.ceil(high / requestsPerReplica));
  let shownAt = 0;
  await display.run(lookMilliseconds, signal, async now => {
    const moment = await look(api, rise, now);
    const sentences = story.tell(moment);
    if (sentences.length === 0 && now - shownAt < rowMilliseconds) return {};
    shownAt = now;
    return { cells: cells(moment), sentences };
  });
}

function cells({ sinceRise, load, forecast, mlscaler, hpa }: Moment): string[] {
  const rise = sinceRise < 0 ? `in ${duration(-sinceRise)}` : `${duration(sinceRise)} ago`;
  return [rise, load.toFixed(0), forecast ?? "-", ...[mlscaler, hpa].map(count)];
}

const count = ({ ready, replicas }: Count): string => `${ready} of ${replicas}`.padEnd(9) + bar(ready, replicas);

const scalerSchema = z.object({
  status: z
    .object({
      forecast: z
        .object({ load: z.string().optional(), skill_percent: z.number().optional(), trusted: z.boolean() })
        .optional(),
      predicted_replicas: z.number().optional(),
      decision: z.object({ reason: z.string().optional() }).optional(),
    })
    .default({}),
});

const deploymentSchema = z.object({
  spec: z.object({ replicas: z.number() }),
  status: z.object({ readyReplicas: z.number().default(0) }),
});

/** The state of both scalers. Throws ApiError when an object cannot be read. */
async function look(api: Api, rise: DailyRise, now: number): Promise<Moment> {
  const countOf = async (name: string): Promise<Count> => {
    const { spec, status } = deploymentSchema.parse(
      await api.get(`/apis/apps/v1/namespaces/${namespace}/deployments/${name}`),
    );
    return { replicas: spec.replicas, ready: status.readyReplicas };
  };
  const [scaler, mlscaler, hpa] = await Promise.all([
    api.get(`/apis/example.com/v1/namespaces/${namespace}/mlscalers/${scaled.mlscaler}`),
    countOf(scaled.mlscaler),
    countOf(scaled.hpa),
  ]);
  const { forecast, predicted_replicas, decision } = scalerSchema.parse(scaler).status;
  return {
    sinceRise: (now - rise.at) / 1000,
    load: rise.rate(now),
    forecast: forecast?.load,
    trusted: forecast?.trusted ?? false,
    skillPercent: forecast?.skill_percent,
    reason: decision?.reason ?? "",
    // The count in the status belongs to the reason. The Deployment changes shortly before the status.
    mlscaler: { ...mlscaler, replicas: predicted_replicas ?? mlscaler.replicas },
    hpa,
  };
}
