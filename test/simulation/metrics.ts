import { Aggregated } from "./api-server";
import { epoch } from "./clock";
import { Fields, isFields, Stored } from "./objects";
import { Refusal } from "./refusal";
import { Store } from "./store";
import { appOf, isReady, phaseOf, podsOf } from "./workloads";

/** A value as a function of the seconds since the start, which may be negative. */
export type Course = number | ((seconds: number) => number);

export const valueAt = (course: Course, seconds: number): number =>
  typeof course === "number" ? course : course(seconds);

/** The CPU use of a starting pod, besides its share of the load. */
export interface StartUpUse {
  cpu: number;
}

/** The metrics APIs of the cluster, with values from the script. The Ready pods of an app share its load. */
export class Metrics {
  /**
   * Resource metrics by app and resource ("web cpu") in cores or bytes, and Pods metrics by app and name ("web
   * requests_per_second").
   */
  readonly loads = new Map<string, Course>();
  /** Cores that each pod of an app uses while it starts. */
  readonly startUp = new Map<string, number>();
  /** Names of pods without a sample, or parts of their names. */
  unsampled: RegExp | undefined;
  /** The age of all values in seconds. */
  ageSeconds = 0;
  /**
   * External metrics by name, and Object metrics by kind, name and metric ("ingresses.networking.k8s.io/main/rate").
   */
  readonly values = new Map<string, Course>();

  constructor(readonly store: Store) {}

  /** The three APIs as aggregated ones. */
  get apis(): Aggregated[] {
    return [
      { group: "metrics.k8s.io", versions: ["v1beta1"], answer: path => this.#resources(path) },
      {
        group: "custom.metrics.k8s.io",
        versions: ["v1beta2", "v1beta1"],
        answer: (path, query) => this.#custom(path, query),
      },
      { group: "external.metrics.k8s.io", versions: ["v1beta1"], answer: path => this.#external(path) },
    ];
  }

  get #seconds(): number {
    return (this.store.clock.wall - epoch) / 1000;
  }

  get #timestamp(): string {
    // metrics-server scrapes every 15 s.
    const milliseconds = Math.floor(this.store.clock.wall / 15_000) * 15_000 - this.ageSeconds * 1000;
    return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
  }

  #resources(path: string): object {
    const [, namespace = ""] = /^namespaces\/([^/]+)\/pods$/.exec(path) ?? [];
    const items = this.#sampled(namespace, "").flatMap(pod => {
      const usage = this.#usageOf(namespace, pod);
      if (!usage) return [];
      const containers = ((pod.spec as Fields).containers as Fields[]).map(({ name }, index, all) => ({
        name,
        // The first container has the whole load.
        usage: index === 0 ? usage : { cpu: "1m", memory: "1Mi" },
        ...(all.length === 0 && {}),
      }));
      const { name } = pod.metadata;
      return [{ metadata: { name, namespace }, timestamp: this.#timestamp, window: "15s", containers }];
    });
    return { kind: "PodMetricsList", apiVersion: "metrics.k8s.io/v1beta1", metadata: {}, items };
  }

  #sampled(namespace: string, selector: string): Stored[] {
    return podsOf(this.store, namespace, selector).filter(
      pod => phaseOf(pod) === "Running" && !this.unsampled?.test(pod.metadata.name),
    );
  }

  #share(namespace: string, pod: Stored, metric: string): number | undefined {
    const app = appOf(pod.metadata.labels);
    const course = this.loads.get(`${app} ${metric}`);
    if (course === undefined) return undefined;
    const ready = podsOf(this.store, namespace, "").filter(
      one => appOf(one.metadata.labels) === app && isReady(one) && !one.metadata.deletionTimestamp,
    ).length;
    return isReady(pod) ? valueAt(course, this.#seconds) / Math.max(1, ready) : 0;
  }

  #usageOf(namespace: string, pod: Stored): { cpu: string; memory: string } | undefined {
    const cpu = this.#share(namespace, pod, "cpu");
    if (cpu === undefined) return undefined;
    const starting = isReady(pod) ? 0 : (this.startUp.get(appOf(pod.metadata.labels)) ?? 0.01);
    const memory = this.#share(namespace, pod, "memory") ?? 64 * 2 ** 20;
    return { cpu: `${Math.round((cpu + starting) * 1e9)}n`, memory: `${Math.round(memory / 1024)}Ki` };
  }

  #custom(path: string, query: URLSearchParams): object {
    const [, namespace = "", object = "", metric = ""] = /^namespaces\/([^/]+)\/(?:(.+)\/)?([^/]+)$/.exec(path) ?? [];
    const base = { metric: { name: metric }, timestamp: this.#timestamp };
    if (object === "pods/*") {
      const items = this.#sampled(namespace, query.get("labelSelector") ?? "").flatMap(pod => {
        const share = this.#share(namespace, pod, metric);
        const describedObject = { kind: "Pod", namespace, name: pod.metadata.name, apiVersion: "v1" };
        return share === undefined ? [] : [{ ...base, describedObject, value: quantity(share) }];
      });
      if (items.length === 0) throw new Refusal(404, `the server could not find the metric ${metric} for pods`);
      return { kind: "MetricValueList", apiVersion: "custom.metrics.k8s.io/v1beta2", metadata: {}, items };
    }
    const describedObject = { kind: object.split(".")[0], namespace, name: object.split("/")[1] };
    const items = [{ ...base, describedObject, value: quantity(this.#value(`${object}/${metric}`)) }];
    return { kind: "MetricValueList", apiVersion: "custom.metrics.k8s.io/v1beta2", metadata: {}, items };
  }

  #external(path: string): object {
    const [, metricName = ""] = /^namespaces\/[^/]+\/(.+)$/.exec(path) ?? [];
    const value = quantity(this.#value(metricName));
    const items = [{ metricName, metricLabels: {}, timestamp: this.#timestamp, value }];
    return { kind: "ExternalMetricValueList", apiVersion: "external.metrics.k8s.io/v1beta1", metadata: {}, items };
  }

  #value(name: string): number {
    const course = this.values.get(name);
    if (course === undefined) throw new Refusal(404, `the server could not find the metric ${name}`);
    return valueAt(course, this.#seconds);
  }
}

const quantity = (value: number): string => `${Math.round(value * 1000)}m`;

/** A Prometheus server with a course for each query. */
export class Prometheus {
  readonly queries = new Map<string, Course>();
  /** The start of the history in seconds since the start of the simulation. */
  sinceSeconds = -28 * 86_400;

  /**
   * Answers a request to the HTTP API of Prometheus.
   * @param now the time of the server in epoch seconds
   */
  answer(path: string, parameters: URLSearchParams, now: number): { status: number; body: unknown } {
    const query = parameters.get("query") ?? "";
    const course = this.queries.get(query);
    const number = (name: string): number => Number(parameters.get(name)) || 0;
    const value = (at: number): [number, string][] => {
      const seconds = at - epoch / 1000;
      return course === undefined || seconds < this.sinceSeconds ? [] : [[at, String(valueAt(course, seconds))]];
    };
    const success = (resultType: string, result: unknown): { status: number; body: unknown } => ({
      status: 200,
      body: { status: "success", data: { resultType, result } },
    });
    if (path.endsWith("/query")) {
      const [sample] = value(parameters.has("time") ? number("time") : now);
      return success("vector", sample ? [{ metric: {}, value: sample }] : []);
    }
    if (path.endsWith("/query_range")) {
      const [start, end, step] = [number("start"), number("end"), number("step") || 60];
      const values = Array.from({ length: Math.floor((end - start) / step) + 1 }, (_, index) =>
        value(start + index * step),
      ).flat();
      return success("matrix", values.length > 0 ? [{ metric: {}, values }] : []);
    }
    return {
      status: 404,
      body: isFields(parameters) ? parameters : { status: "error", errorType: "not_found", error: path },
    };
  }
}
