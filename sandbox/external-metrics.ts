import type { ServerResponse } from "node:http";
import { AggregatedApis } from "./apis";

const api = { group: "external.metrics.k8s.io", version: "v1beta1" };
const groupVersion = `${api.group}/${api.version}`;

const resourceList = { kind: "APIResourceList", apiVersion: "v1", groupVersion, resources: [] };
const notFound = { kind: "Status", apiVersion: "v1", status: "Failure", reason: "NotFound", code: 404 };

/** Metrics of external.metrics.k8s.io in all namespaces of a sandbox, for its HPAs. */
export class ExternalMetrics {
  readonly #apis: AggregatedApis;

  /**
   * @param valueOf the value of a metric now, by its name; undefined when there is no such metric
   * @throws when the sandbox is not up
   */
  constructor(sandbox: string, valueOf: (metric: string) => number | undefined) {
    this.#apis = new AggregatedApis(sandbox, "external-metrics", ({ url = "" }, response) => {
      // /apis/external.metrics.k8s.io/v1beta1, or the same with /namespaces/NAMESPACE/METRIC?labelSelector=…
      const metric = /\/namespaces\/[^/]+\/([^/?]+)/.exec(url)?.[1];
      if (metric === undefined) return send(response, 200, resourceList);
      const value = valueOf(metric);
      if (value === undefined) send(response, 404, notFound);
      else send(response, 200, listOf(metric, value));
    });
  }

  /** Serves the metrics.. */
  async start(): Promise<void> {
    await this.#apis.start();
    await this.#apis.register(api);
  }

  /** Ends the metrics and their API. */
  stop(): Promise<void> {
    return this.#apis.stop();
  }
}

function listOf(metricName: string, value: number): object {
  // The value is a Quantity in thousandths.
  const item = {
    metricName,
    metricLabels: {},
    timestamp: new Date().toISOString(),
    value: `${Math.round(value * 1000)}m`,
  };
  return { kind: "ExternalMetricValueList", apiVersion: groupVersion, metadata: {}, items: [item] };
}

function send(response: ServerResponse, code: number, body: object): void {
  response.writeHead(code, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}
