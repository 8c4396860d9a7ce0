import { z } from "zod";
import { Api, ApiError } from "../../common/api";
import { parseQuantity } from "../../common/quantity";
import { Pod } from "../target";
import { Load, MetricsError, Source } from "./index";

/** One list of a namespace's pod metrics serves all syncs within this time; metrics-server has new ones every 10-60 s. */
const sharedMilliseconds = 3_000;

/** A pod that has been Ready for less than this may not have a sample yet: metrics-server needs two scrapes, each 15 s by default. */
const firstSampleMilliseconds = 60_000;

const podMetricsListSchema = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string() }),
      containers: z.array(z.object({ usage: z.record(z.string(), z.string()) })),
    }),
  ),
});

type Usage = Map<string, { cpu: number; memory: number }>;

/** How many units of load there are in the unit that metrics.k8s.io reports: cores, and bytes to GiB. */
const unit = { cpu: 1, memory: 2 ** -30 };

/** CPU (cores) and memory (GiB) of pods, from the resource metrics API (metrics.k8s.io/v1beta1). */
export class ResourceMetrics implements Source {
  readonly #shared = new Map<string, { at: number; usage: Promise<Usage> }>();

  constructor(readonly api: Api) {}

  async observe(namespace: string, metric: "cpu" | "memory", pods: Pod[], now: number): Promise<Load> {
    const ready = pods.filter(pod => pod.ready);
    if (ready.length === 0) throw failed(`none of ${pods.length} pods is Ready`);
    let usage: Usage;
    try {
      usage = await this.#read(namespace);
    } catch (error) {
      if (!(error instanceof ApiError)) throw failed(`the metrics API answered in an unknown form: ${String(error)}`);
      throw failed(`the metrics API (metrics.k8s.io) failed: ${error.reason}: ${error.message}`);
    }
    const sampleOf = ({ name }: Pod): number => (usage.get(name)?.[metric] ?? NaN) * unit[metric];
    const sampled = ready.filter(pod => sampleOf(pod) >= 0 && Number.isFinite(sampleOf(pod)));
    if (sampled.length === 0 || sampled.length * 2 < ready.length) {
      throw failed(`only ${sampled.length} of ${ready.length} Ready pods have a sample of ${metric}`);
    }
    const lowest = sampled.reduce((total, pod) => total + sampleOf(pod), 0);
    const mean = lowest / sampled.length;
    const young = ready.filter(pod => !sampled.includes(pod) && now - pod.readySince < firstSampleMilliseconds);
    return { lowest, likely: mean * ready.length, recorded: mean * (ready.length - young.length) };
  }

  #read(namespace: string): Promise<Usage> {
    const now = performance.now();
    const shared = this.#shared.get(namespace);
    if (shared && now - shared.at < sharedMilliseconds) return shared.usage;
    // Namespaces that nobody asked for lately are let go.
    for (const [name, { at }] of this.#shared) if (now - at >= sharedMilliseconds) this.#shared.delete(name);
    const usage = this.#list(namespace);
    this.#shared.set(namespace, { at: now, usage });
    return usage;
  }

  async #list(namespace: string): Promise<Usage> {
    const list = await this.api.get(`/apis/metrics.k8s.io/v1beta1/namespaces/${namespace}/pods`);
    const { items } = podMetricsListSchema.parse(list);
    return new Map(
      items.map(({ metadata, containers }) => [
        metadata.name,
        { cpu: sum(containers, "cpu"), memory: sum(containers, "memory") },
      ]),
    );
  }
}

const failed = (message: string): MetricsError => new MetricsError("FailedGetResourceMetric", message);

/** NaN when one container has no such sample, so that a part is not taken for the whole. */
const sum = (containers: { usage: Record<string, string> }[], resource: "cpu" | "memory"): number =>
  containers.length === 0
    ? NaN
    : containers.reduce((total, { usage }) => total + (parseQuantity(usage[resource] ?? "") ?? NaN), 0);
