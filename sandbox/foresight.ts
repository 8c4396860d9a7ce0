import { join } from "node:path";
import { z } from "zod";
import { Api } from "../capabilities/common/api";
import { pause } from "../capabilities/common/pause";
import { DailyRise } from "./daily-rise";
import { bar, clock, Display } from "./display";
import { kubectl } from "./example";
import { projectRoot } from "./paths";
import { PrometheusLoad } from "./prometheus-load";
import { spreadLoad } from "./replay";
import { duration, Story, type Count, type Moment } from "./story";
import { messageOf } from "./wait";

/** Two Deployments with the same load, one scaled by an MLScaler and one by an HPA. */
const manifest = join(projectRoot, "examples/prometheus.yaml");
const namespace = "default";
const scaled = { mlscaler: "web", hpa: "web-hpa" };

/** The series that the MLScaler of the manifest asks for. */
const series = 'http_requests_total{app="web"}';

/** As the manifest says: what a replica is to carry, and the CPU time that it takes. */
const requestsPerReplica = 100;
const coresPerRequest = 0.005;

/** Requests a second before and after the rise. */
const [low, high] = [780, 1560];

/** Slots of five minutes are what forecasts are made of: as one begins, the rate over the last minute has risen. */
const slotMilliseconds = 300_000;
const rateMilliseconds = 60_000;
/** What it takes to read the history, to earn trust, and for somebody to see that all is calm. */
const calmMilliseconds = 150_000;

/** Every 15 s, as Prometheus is often told to scrape. */
const historyStepMilliseconds = 15_000;

const lookMilliseconds = 2000;
const rowMilliseconds = 10_000;

/**
 * Shows a Deployment on a load of which Prometheus has two weeks: it rises at the same time each day, a few minutes from now. Until
 * `signal`.
 */
export async function showForesight(sandbox: string, signal: AbortSignal): Promise<void> {
  const api = new Api();
  const rise = new DailyRise(slotAfter(Date.now() + calmMilliseconds + rateMilliseconds) - rateMilliseconds, low, high);
  const total = (at: number): number => rise.total(at);
  const load = await PrometheusLoad.start(sandbox);
  try {
    const now = Date.now();
    await load.preload(series, rise.begin, now, total, historyStepMilliseconds);
    load.set(series, total);
    console.log(`Prometheus has two weeks of ${series}`);
    await kubectl("apply", "-f", manifest);
    await Promise.all([useCpu(api, rise, signal), show(api, rise, signal)]);
  } finally {
    load.stop();
  }
}

const slotAfter = (at: number): number => Math.ceil(at / slotMilliseconds) * slotMilliseconds;

/** What the HPA sees of the same load. */
async function useCpu(api: Api, rise: DailyRise, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const cores = rise.rate(Date.now()) * coresPerRequest;
    // A pod may go while it is looked at; the next round sees what there is.
    await spreadLoad(api, namespace, `app=${scaled.hpa}`, cores).catch(() => undefined);
    await pause(lookMilliseconds, signal);
  }
}

async function show(api: Api, rise: DailyRise, signal: AbortSignal): Promise<void> {
  const display = new Display(
    process.stdout,
    `Each day the load doubles at ${new Date(rise.at).toTimeString().slice(0, 5)}. A replica is for ${requestsPerReplica} requests/s and takes 40 s to be Ready.`,
    [
      { heading: "time", width: 10 },
      { heading: "rise", width: 11 },
      { heading: "requests/s", width: 12 },
      { heading: "forecast", width: 10 },
      { heading: "MLScaler: Ready of replicas", width: 30 },
      { heading: "HPA: Ready of replicas", width: 30 },
    ],
  );
  const story = new Story(Math.ceil(high / requestsPerReplica));
  const startedAt = Date.now();
  let shownAt = 0;
  while (!signal.aborted) {
    try {
      const now = Date.now();
      const moment = await look(api, rise, now);
      const time = clock((now - startedAt) / 1000);
      const told = story.tell(moment);
      if (told.length > 0 || now - shownAt >= rowMilliseconds) display.show([time, ...cells(moment)]);
      if (told.length > 0 || now - shownAt >= rowMilliseconds) shownAt = now;
      for (const sentence of told) display.tell(`${time}  ${sentence}`);
    } catch (error) {
      if (!signal.aborted) console.error(messageOf(error));
    }
    await pause(lookMilliseconds, signal);
  }
  display.end();
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

/** Throws ApiError when something cannot be read. */
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
    // As the status says it, which comes a moment after the write: this count is what the reason is of.
    mlscaler: { ...mlscaler, replicas: predicted_replicas ?? mlscaler.replicas },
    hpa,
  };
}
