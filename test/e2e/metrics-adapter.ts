import { rmSync } from "node:fs";
import { IncomingMessage, ServerResponse } from "node:http";
import { z } from "zod";
import { AggregatedApis } from "../../sandbox/apis";
import { takeLock } from "../../sandbox/lock";
import { sandboxPaths } from "../../sandbox/paths";
import { api, until } from "./cluster";
import { sandbox } from "./sandbox";

/** Held by the test file that serves the metrics APIs. */
const lock = `${sandboxPaths(sandbox).root}.metrics-adapter`;

/** The metrics APIs of the adapter and their versions. */
const versions = { "custom.metrics.k8s.io": "v1beta2", "external.metrics.k8s.io": "v1beta1" } as const;
type Group = keyof typeof versions;
const groups = Object.keys(versions) as Group[];

/** The fault of the adapter in place of a metric's value. */
export type Fault = "403" | "404" | "500" | "slow" | "garbage" | "empty";

type Labels = Record<string, string>;

/** One value of a metric, with labels for the metric's selector. */
interface Series {
  value: string;
  labels?: Labels;
}

interface PodSeries {
  /** @param pods names of all requested pods, sorted */
  valueOf: (pod: string, pods: string[]) => string | undefined;
  labels: Labels;
}

/**
 * The cluster's custom and external metrics, served from this process through the API server's aggregator. HPAs and
 * MLScalers read the values that a test sets. Only one adapter can run at a time, so `start` waits for the others. `stop`
 * removes it completely.
 */
export class MetricsAdapter {
  readonly #pods = new Map<string, PodSeries>();
  readonly #objects = new Map<string, Series[]>();
  readonly #external = new Map<string, Series[]>();
  readonly #faults = new Map<string, Fault>();
  readonly #asked = new Map<string, number[]>();
  readonly #apis = new AggregatedApis(sandbox, "metrics-adapter", (request, response) => {
    this.#answer(request, response).catch((error: unknown) => send(response, 500, status(500, String(error))));
  });

  /** Starts the server and waits until the API server forwards requests to it. */
  static async start(): Promise<MetricsAdapter> {
    await until("no other test file serves metrics", () => Promise.resolve(takeLock(lock) === undefined));
    const adapter = new MetricsAdapter();
    await adapter.#apis.start();
    await Promise.all(groups.map(group => adapter.#apis.register({ group, version: versions[group] })));
    return adapter;
  }

  /** Stops the server and removes its APIs. */
  async stop(): Promise<void> {
    await this.#apis.stop();
    rmSync(lock, { force: true });
  }

  /** Sets a metric of pods by their names; undefined removes the metric of a pod. */
  setPods(namespace: string, metric: string, valueOf: PodSeries["valueOf"], labels: Labels = {}): void {
    this.#pods.set(`${namespace}/${metric}`, { valueOf, labels });
  }

  /** Sets a metric of an object, such as "ingresses.networking.k8s.io/main"; "metrics" is the namespace itself. */
  setObject(namespace: string, object: string, metric: string, ...series: Series[]): void {
    this.#objects.set(`${namespace}/${object}/${metric}`, series);
  }

  /** Sets the series of an external metric. */
  setExternal(namespace: string, metric: string, ...series: Series[]): void {
    this.#external.set(`${namespace}/${metric}`, series);
  }

  /** Makes a metric fail until `fault` is undefined. */
  fail(metric: string, fault: Fault | undefined): void {
    if (fault === undefined) this.#faults.delete(metric);
    else this.#faults.set(metric, fault);
  }

  /** The last request of a user for a metric, existing or not, in epoch milliseconds. */
  asked(metric: string, user: string): number[] {
    return this.#asked.get(`${user} ${metric}`) ?? [];
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "https://adapter");
    const [apis, group, version, ...steps] = url.pathname.split("/").slice(1).map(decodeURIComponent);
    const served = groups.find(one => one === group && versions[one] === version);
    if (apis !== "apis" || served === undefined) return send(response, 404, status(404, `no ${url.pathname}`));
    if (steps.length === 0) return send(response, 200, resourceList(served));

    const metric = steps.at(-1) ?? "";
    const asker = `${String(request.headers["x-remote-user"])} ${metric}`;
    this.#asked.set(asker, [...(this.#asked.get(asker) ?? []), Date.now()]);
    const fault = this.#faults.get(metric);
    // The response is sent when the client has given up or the adapter stops.
    if (fault === "slow") return;
    if (fault === "garbage") return send(response, 200, { kind: "MetricValueList", items: [{ value: {} }] });
    if (fault === "403") return send(response, 403, status(403, "these metrics are not for everybody"));
    if (fault === "500") return send(response, 500, status(500, "the source of the metrics is away"));

    const values = await this.#values(served, steps, url.searchParams);
    if (fault === "404" || values === undefined) return send(response, 404, status(404, `no metric ${metric}`));
    const timestamp = new Date().toISOString().replace(/\.\d+/, "");
    const kind = served === "custom.metrics.k8s.io" ? "MetricValueList" : "ExternalMetricValueList";
    const items = fault === "empty" ? [] : values.map(value => ({ ...value, timestamp }));
    send(response, 200, { kind, apiVersion: `${served}/${version}`, metadata: {}, items });
  }

  /** The requested values; undefined when there are none. */
  async #values(group: Group, steps: string[], query: URLSearchParams): Promise<object[] | undefined> {
    const [, namespace = "", ...rest] = steps;
    const metric = rest.at(-1) ?? "";
    const selector = query.get(group === "custom.metrics.k8s.io" ? "metricLabelSelector" : "labelSelector") ?? "";
    const chosen = ({ labels = {} }: { labels?: Labels }): boolean => matches(selector, labels);
    if (group === "external.metrics.k8s.io")
      return this.#external
        .get(`${namespace}/${metric}`)
        ?.filter(chosen)
        .map(({ value, labels = {} }) => ({ metricName: metric, metricLabels: labels, value }));
    const describe = (kind: string, name: string, value: string): object => ({
      describedObject: { kind, namespace, name },
      metric: { name: metric, selector: null },
      value,
    });
    if (rest[0] !== "pods" || rest[1] !== "*") {
      const series = this.#objects.get([namespace, ...rest].join("/"))?.filter(chosen);
      return series?.map(({ value }) => describe("Object", rest.at(-2) ?? "", value));
    }
    const pods = this.#pods.get(`${namespace}/${metric}`);
    if (!pods || !chosen(pods)) return undefined;
    const names = await podNames(namespace, query.get("labelSelector") ?? "");
    return names.flatMap(name => {
      const value = pods.valueOf(name, names);
      return value === undefined ? [] : [describe("Pod", name, value)];
    });
  }
}

const podListSchema = z.object({ items: z.array(z.object({ metadata: z.object({ name: z.string() }) })) });

async function podNames(namespace: string, labelSelector: string): Promise<string[]> {
  const list = await api.get(`/api/v1/namespaces/${namespace}/pods`, { query: { labelSelector } });
  return podListSchema
    .parse(list)
    .items.map(({ metadata }) => metadata.name)
    .sort();
}

/** True when labels match the text of a selector: "a=b", "a in (b,c)", "a notin (b)", "a" and "!a", all of them. */
function matches(selector: string, labels: Labels): boolean {
  return (selector.match(/(\([^)]*\)|[^,(])+/g) ?? []).every(requirement => {
    const [, key = "", operator = "", list = ""] =
      /^(!?[^=\s]+)(=| in | notin |)\(?([^)]*)\)?$/.exec(requirement) ?? [];
    const value = labels[key.replace("!", "")];
    if (operator === "") return key.startsWith("!") ? value === undefined : value !== undefined;
    const isOne = value !== undefined && list.split(",").includes(value);
    return operator === " notin " ? !isOne : isOne;
  });
}

/** The response to discovery. HPA's client only checks the version. */
const resourceList = (group: Group): object => ({
  kind: "APIResourceList",
  apiVersion: "v1",
  groupVersion: `${group}/${versions[group]}`,
  resources: [{ name: "values", singularName: "", namespaced: true, kind: "MetricValueList", verbs: ["get"] }],
});

const status = (code: number, message: string): object => ({
  kind: "Status",
  apiVersion: "v1",
  status: "Failure",
  reason: { 403: "Forbidden", 404: "NotFound" }[code] ?? "InternalError",
  message,
  code,
});

function send(response: ServerResponse, code: number, body: object): void {
  response.writeHead(code, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}
