import * as z from "zod";
import { Api } from "../../common/api";
import { Discovery } from "../../common/discovery";
import { milliValue, parseQuantity } from "../../common/quantity";
import { Reading, readingOf, Sample } from "../scaling/reading";
import { failed, MetricsApi, timestamp, Wanted } from "./api";
import { Metric } from "./schema";
import { Source, Subject } from "./source";

type Resource = NonNullable<Metric["resource"]>;
type ContainerResource = NonNullable<Metric["containerResource"]>;

/** metrics-server has new values every 10 to 60 s. */
const sharedMilliseconds = 3_000;

const podSchema = z
  .object({
    metadata: z.object({ name: z.string() }),
    timestamp,
    window: z.string().optional(),
    containers: z.array(z.object({ name: z.string(), usage: z.record(z.string(), z.union([z.string(), z.number()])) })),
  })
  .transform(({ metadata, timestamp: at, window, containers }) => ({
    name: metadata.name,
    at,
    windowMilliseconds: durationMilliseconds(window ?? ""),
    containers,
  }));

type PodUsage = z.output<typeof podSchema>;

/** What pods use, from the resource metrics API (metrics.k8s.io). One list serves all targets of a namespace. */
export class ResourceSource implements Source<Resource | ContainerResource> {
  readonly #metrics: MetricsApi<PodUsage>;

  constructor(api: Api, discovery: Discovery) {
    const served = { group: "metrics.k8s.io", server: "metrics-server", sharedMilliseconds };
    this.#metrics = new MetricsApi(api, discovery, { ...served, versions: ["v1beta1"] }, podSchema);
  }

  /**
   * A sample for every pod of the namespace that has one: the sum over its containers, each rounded up to a thousandth
   * as HPA does, or that of one container. A pod of which a part is missing has none. Throws MetricsError.
   */
  async read(block: Resource | ContainerResource, { namespace, now }: Subject): Promise<Reading> {
    const container = "container" in block ? block.container : undefined;
    const wanted: Wanted =
      container === undefined
        ? { reason: "FailedGetResourceMetric", metric: `Resource metric ${block.name}` }
        : {
            reason: "FailedGetContainerResourceMetric",
            metric: `ContainerResource metric ${block.name} of container ${container}`,
          };
    const samples = new Map<string, Sample>();
    const { fresh, stale } = await this.#pods(namespace, wanted, now);
    for (const { name, at, windowMilliseconds, containers } of fresh) {
      const counted = containers.filter(one => container === undefined || one.name === container);
      const milli = total(counted, block.name, milliValue);
      if (milli !== undefined) samples.set(name, { milli, at, windowMilliseconds });
    }
    if (samples.size === 0)
      throw failed(wanted, `metrics.k8s.io has it for no pod of namespace ${namespace}; check the name`);
    return readingOf(samples, stale);
  }

  /** What every pod of the namespace uses that has a sample, in cores or bytes, as exact as the API tells. Throws MetricsError. */
  async usage(resource: "cpu" | "memory", { namespace, now }: Subject, wanted: Wanted): Promise<Map<string, number>> {
    const { fresh } = await this.#pods(namespace, wanted, now);
    return new Map(
      fresh.flatMap(({ name, containers }) => {
        const used = total(containers, resource, parseQuantity);
        return used === undefined ? [] : [[name, used]];
      }),
    );
  }

  #pods(namespace: string, wanted: Wanted, now: number): ReturnType<MetricsApi<PodUsage>["read"]> {
    return this.#metrics.read({ ...wanted, path: `namespaces/${namespace}/pods`, now });
  }
}

/** Undefined when there is no container, or one without that resource: a part is not to be taken for the whole. */
function total(
  containers: PodUsage["containers"],
  resource: string,
  valueOf: (quantity: string | number) => number | undefined,
): number | undefined {
  const values = containers.map(({ usage }) => valueOf(usage[resource] ?? ""));
  const known = values.filter(value => value !== undefined);
  return known.length === 0 || known.length < values.length ? undefined : known.reduce((sum, value) => sum + value);
}

const unitMilliseconds: Record<string, number> = {
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
  us: 1e-3,
  µs: 1e-3,
  ns: 1e-6,
};

/** Go's text of a duration in milliseconds: "1m0.5s" is 60500. */
const durationMilliseconds = (text: string): number =>
  [...text.matchAll(/([\d.]+)(h|ms|m|s|us|µs|ns)/g)].reduce(
    (sum, [, number, unit = ""]) => sum + Number(number) * (unitMilliseconds[unit] ?? NaN),
    0,
  );
