import { AggregatedApis } from "./apis";

const api = { group: "external.metrics.k8s.io", version: "v1beta1" };
const groupVersion = `${api.group}/${api.version}`;

const resourceList = { kind: "APIResourceList", apiVersion: "v1", groupVersion, resources: [] };

/** Serves one value as any metric of external.metrics.k8s.io in all namespaces of a sandbox, for its HPAs. */
export class ExternalMetrics {
  readonly #apis: AggregatedApis;

  /** Throws when the sandbox is not up. */
  constructor(sandbox: string, value: () => number) {
    this.#apis = new AggregatedApis(sandbox, "external-metrics", ({ url = "" }, response) => {
      // /apis/external.metrics.k8s.io/v1beta1, or the same with /namespaces/NAMESPACE/METRIC?labelSelector=…
      const metric = /\/namespaces\/[^/]+\/([^/?]+)/.exec(url)?.[1];
      const body = metric === undefined ? resourceList : listOf(metric, value());
      response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(body));
    });
  }

  /** Serves the metrics. */
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
  // A Quantity in thousandths.
  const item = {
    metricName,
    metricLabels: {},
    timestamp: new Date().toISOString(),
    value: `${Math.round(value * 1000)}m`,
  };
  return { kind: "ExternalMetricValueList", apiVersion: groupVersion, metadata: {}, items: [item] };
}
