import { join } from "node:path";
import { z } from "zod";
import { Api } from "../capabilities/kubernetes/api";
import { DailyRise } from "./daily-rise";
import { bar, Display } from "./display";
import { kubectl } from "./example";
import { projectRoot } from "./paths";
import { PrometheusLoad } from "./prometheus-load";
import { namespace, scaled, type Race } from "./races";
import { duration, Story, type Count, type Moment } from "./story";
import { waitFor } from "./wait";

/** The series that the MLScalers of the manifests query. */
const series = 'http_requests_total{app="web"}';

/** The load of a replica in requests/s, as in the manifests. */
const requestsPerReplica = 100;

/** The forecast uses slots of five minutes. The load rises one minute (the window of the rate) before a slot starts. */
const slotMilliseconds = 300_000;
const rateMilliseconds = 60_000;
/** The time to read the history, to gain trust, and to show the load before the rise. */
const calmMilliseconds = 150_000;

/** A common scrape interval of Prometheus. */
const historyStepMilliseconds = 15_000;

/** The HPA syncs every 15 s. */
const settleMilliseconds = 120_000;

const lookMilliseconds = 2000;
const rowMilliseconds = 10_000;

/** A load with two weeks of history in Prometheus. It rises at the same time each day, today a few minutes from now. */
export class Foresight {
  readonly #rise: DailyRise;
  readonly #load: PrometheusLoad;

  private constructor(
    readonly sandbox: string,
    readonly race: Race,
    load: PrometheusLoad,
  ) {
    const at = slotAfter(Date.now() + calmMilliseconds + rateMilliseconds) - rateMilliseconds;
    this.#rise = new DailyRise(at, race.low, race.high);
    this.#load = load;
  }

  /** Writes the history to the Prometheus of a sandbox. Throws when Prometheus rejects it. */
  static async preload(sandbox: string, race: Race): Promise<Foresight> {
    const foresight = new Foresight(sandbox, race, await PrometheusLoad.start(sandbox));
    const rise = foresight.#rise;
    const total = (at: number): number => rise.total(at);
    await foresight.#load.preload(series, rise.begin, Date.now(), total, historyStepMilliseconds);
    foresight.#load.set(series, total);
    return foresight;
  }

  /** Shows how the MLScaler and the HPA scale their Deployments under this load, until `signal` aborts. */
  async show(signal: AbortSignal): Promise<void> {
    await kubectl("apply", "-f", join(projectRoot, "examples", this.race.manifest));
    const load = (): number => this.#rise.rate(Date.now());
    await Promise.all([this.race.feed(this.sandbox, load, signal), show(new Api(), this.race, this.#rise, signal)]);
  }

  /** Ends the load. */
  stop(): void {
    this.#load.stop();
  }
}

const slotAfter = (at: number): number => Math.ceil(at / slotMilliseconds) * slotMilliseconds;

const replicasFor = (load: number): number => Math.ceil(load / requestsPerReplica);

async function show(api: Api, race: Race, rise: DailyRise, signal: AbortSignal): Promise<void> {
  const before = replicasFor(race.low);
  await waitFor(async () => (await countOf(api, scaled.hpa)).replicas === before, {
    ...{ what: `the HPA to scale its Deployment to ${before} replicas`, timeoutMs: settleMilliseconds, signal },
  });
  const title =
    `Each day ${race.rise} at ${new Date(rise.at).toTimeString().slice(0, 5)}. ` +
    `A replica serves ${requestsPerReplica} requests/s and takes 40 s to be Ready.`;
  const display = new Display(title, [
    { heading: "rise", width: 11 },
    { heading: "requests/s", width: 12 },
    { heading: "forecast", width: 10 },
    { heading: "MLScaler: Ready of replicas", width: 30 },
    { heading: "HPA: Ready of replicas", width: 30 },
  ]);
  const story = new Story(before, replicasFor(race.high));
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
