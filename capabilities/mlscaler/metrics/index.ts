import { Api } from "../../common/api";
import { Discovery } from "../../common/discovery";
import { MetricsError, Reading } from "../scaling/reading";
import { Wanted } from "./api";
import { customMetrics } from "./custom";
import { ExternalSource } from "./external";
import { measured } from "./measured";
import { ObjectSource } from "./object";
import { PodsSource, wantedOf as wantedOfPods } from "./pods";
import { Prometheus } from "./prometheus";
import { PrometheusSource } from "./prometheus/source";
import { ResourceSource } from "./resource";
import { Metric } from "./schema";
import { Subject } from "./source";

/** Where metrics come from: a file for each type. */
export class Sources {
  readonly #resource: ResourceSource;
  readonly #pods: PodsSource;
  readonly #object: ObjectSource;
  readonly #external: ExternalSource;
  readonly #prometheus: PrometheusSource;

  constructor(api: Api, discovery: Discovery, prometheus = new Prometheus(api)) {
    const custom = customMetrics(api, discovery);
    this.#resource = new ResourceSource(api, discovery);
    this.#pods = new PodsSource(custom);
    this.#object = new ObjectSource(custom, discovery);
    this.#external = new ExternalSource(api, discovery);
    this.#prometheus = new PrometheusSource(prometheus);
  }

  /**
   * One metric as it is now. Samples may be those of other pods of the namespace too. Throws
   * MetricsError, with HPA's reason, when it cannot be known.
   */
  read(metric: Metric, of: Subject): Promise<Reading> {
    return measured(metric.type, () => this.#read(metric, of));
  }

  async #read(metric: Metric, of: Subject): Promise<Reading> {
    if (metric.type === "Resource" && metric.resource) return this.#resource.read(metric.resource, of);
    if (metric.type === "ContainerResource" && metric.containerResource)
      return this.#resource.read(metric.containerResource, of);
    if (metric.type === "Pods" && metric.pods) return this.#pods.read(metric.pods, of);
    if (metric.type === "Object" && metric.object) return this.#object.read(metric.object, of);
    if (metric.type === "External" && metric.external) return this.#external.read(metric.external, of);
    if (metric.type === "Prometheus" && metric.prometheus) return this.#prometheus.read(metric.prometheus, of);
    const block = metric.type.charAt(0).toLowerCase() + metric.type.slice(1);
    throw new MetricsError("InvalidMetricSourceType", `a metric of type ${metric.type} has no ${block}; give it`);
  }

  /**
   * The samples by pod name of a short form's metric: cpu (cores), memory (GiB) or a Pods metric by its name, as exact as
   * the API tells. Throws MetricsError when they cannot be known.
   */
  async samples(metric: string, of: Subject): Promise<Map<string, number>> {
    if (metric !== "cpu" && metric !== "memory") return measured("Pods", () => this.#pods.values(metric, of));
    const used = await measured("Resource", () => this.#resource.usage(metric, of, wantedOf(metric)));
    return metric === "cpu" ? used : new Map([...used].map(([name, bytes]) => [name, bytes / 2 ** 30]));
  }
}

/** A short form's metric, as errors name it. */
export const wantedOf = (metric: string): Wanted =>
  units.has(metric) ? { reason: "FailedGetResourceMetric", metric: `Resource metric ${metric}` } : wantedOfPods(metric);

/** The unit that the load of a short form's metric is counted in. */
export const unitOf = (metric: string): string => units.get(metric) ?? metric;

const units = new Map([
  ["cpu", "cores"],
  ["memory", "GiB"],
]);
