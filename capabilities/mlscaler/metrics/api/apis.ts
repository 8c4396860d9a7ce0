import { Api, ApiError } from "../../../kubernetes/api";
import { Discovery } from "../../../kubernetes/discovery";
import { MetricsApi, ServedApi, tickMilliseconds, timeoutSeconds } from "./metrics-api";
import { Prometheus } from "../prometheus/client";
import { metricFailed, MetricReference } from "../reading";
import { DescribedObject, MetricsApis } from "../sources/source";
import { CustomValue, customValueSchema, externalValueSchema, podUsageSchema } from "./values";

/** Cache time. metrics-server has new values every 10 to 60 s. */
const resourceSharedMilliseconds = 3_000;

/** The metrics APIs of the cluster, and the Prometheus servers that the admin named. */
export function metricsApis(api: Api, discovery: Discovery, prometheus: Prometheus): MetricsApis {
  const ofAdapter = { server: "a metrics adapter", sharedMilliseconds: tickMilliseconds };
  const resource: ServedApi = {
    ...{ group: "metrics.k8s.io", server: "metrics-server", sharedMilliseconds: resourceSharedMilliseconds },
    // v1 came with Kubernetes 1.37, and metrics-server 0.9 does not serve it.
    versions: ["v1", "v1beta1"],
  };
  const custom: ServedApi = { ...ofAdapter, group: "custom.metrics.k8s.io", versions: ["v1beta2", "v1beta1"] };
  const external: ServedApi = { ...ofAdapter, group: "external.metrics.k8s.io", versions: ["v1beta1"] };
  return {
    resource: new MetricsApi(api, discovery, resource, podUsageSchema),
    custom: new CustomMetricsApi(api, discovery, custom, customValueSchema),
    external: new MetricsApi(api, discovery, external, externalValueSchema),
    prometheus,
  };
}

class CustomMetricsApi extends MetricsApi<CustomValue> {
  /** The path of an object in the API. A Namespace is that of the MLScaler. Throws MetricsError for an unknown kind. */
  async pathOf(object: DescribedObject, reference: MetricReference): Promise<string> {
    const { apiVersion = "v1", kind, name } = object;
    if (kind === "Namespace" && !apiVersion.includes("/")) return "metrics";
    const resource = await this.discovery.resourceOf(object, timeoutSeconds).catch((error: unknown) => {
      if (!(error instanceof ApiError)) throw error;
      throw metricFailed(reference, `the API of ${kind} cannot be looked up: ${error.reason}: ${error.message}`);
    });
    if (resource === undefined)
      throw metricFailed(
        reference,
        `the cluster has no kind ${kind} in the API of ${apiVersion}; check describedObject`,
      );
    return `${resource}/${encodeURIComponent(name)}`;
  }
}
