import { expect } from "vitest";
import { Discovery } from "../../../../capabilities/kubernetes/discovery";
import { metricsApis } from "../../../../capabilities/mlscaler/metrics/api/apis";
import { MetricsError, Reading } from "../../../../capabilities/mlscaler/metrics/reading";
import { Metric, readMetric } from "../../../../capabilities/mlscaler/metrics/registry";
import { MetricTarget } from "../../../../capabilities/mlscaler/metrics/schema";
import { Subject } from "../../../../capabilities/mlscaler/metrics/sources/source";
import { Prometheus } from "../../../../capabilities/mlscaler/metrics/prometheus/client";
import { Turns } from "../../../../capabilities/operator/turns";
import { FakeApi, notFound } from "../../fake-api";
import { start } from "../../time";

export const now = start.getTime();
export const subject = { namespace: "shop", selector: "app=web", now };
export const ago = (seconds: number): string => new Date(now - seconds * 1000).toISOString();

export const target: MetricTarget = { type: "AverageValue", averageValue: 1 };
export const selector = {
  matchLabels: { tier: "front" },
  matchExpressions: [
    { key: "zone", operator: "In" as const, values: ["b", "a"] },
    { key: "env", operator: "NotIn" as const, values: ["test"] },
    { key: "paid", operator: "Exists" as const },
    { key: "canary", operator: "DoesNotExist" as const },
  ],
};
export const selected = "tier=front,zone in (a,b),env notin (test),paid,!canary";

export const cpu: Metric = { type: "Resource", resource: { name: "cpu", target } };
export const cpuOf = (container: string): Metric => ({
  type: "ContainerResource",
  containerResource: { name: "cpu", container, target },
});
export const pods: Metric = { type: "Pods", pods: { metric: { name: "requests" }, target } };
const ingress = { apiVersion: "networking.k8s.io/v1", kind: "Ingress", name: "main" };
export const object: Metric = {
  type: "Object",
  object: { describedObject: ingress, metric: { name: "requests" }, target },
};
export const external: Metric = { type: "External", external: { metric: { name: "queue|length" }, target } };

export const podsPath = "/apis/custom.metrics.k8s.io/v1beta2/namespaces/shop/pods/*/requests";
export const objectPath =
  "/apis/custom.metrics.k8s.io/v1beta2/namespaces/shop/ingresses.networking.k8s.io/main/requests";
export const namespacePath = "/apis/custom.metrics.k8s.io/v1beta2/namespaces/shop/metrics/requests";
export const externalPath = "/apis/external.metrics.k8s.io/v1beta1/namespaces/shop/queue%7Clength";
export const resourcePath = "/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods";

export const groupOf = (name: string, ...versions: string[]): object => ({
  versions: versions.map(version => ({ groupVersion: `${name}/${version}` })),
});

const discovered: Record<string, object> = {
  "/apis/metrics.k8s.io": groupOf("metrics.k8s.io", "v1beta1"),
  "/apis/custom.metrics.k8s.io": groupOf("custom.metrics.k8s.io", "v1beta1", "v1beta2"),
  "/apis/external.metrics.k8s.io": groupOf("external.metrics.k8s.io", "v1beta1"),
  "/apis/networking.k8s.io": groupOf("networking.k8s.io", "v1"),
  "/apis/networking.k8s.io/v1": { resources: [{ name: "ingresses", kind: "Ingress", namespaced: true }] },
};

type Read = (metric: Metric, of: Subject) => Promise<Reading>;

/** Reads the metrics of a cluster that gives these answers, by path; an error is an answer too. */
export function cluster(answers: Record<string, unknown>): { read: Read; api: FakeApi } {
  const api = new FakeApi(({ path }) => {
    const answer = path in answers ? answers[path] : discovered[path];
    if (answer instanceof Error) throw answer;
    if (answer === undefined) throw notFound(path);
    return answer;
  });
  const apis = metricsApis(api, new Discovery(api), new Prometheus(api, new Turns()));
  return { api, read: (metric, of) => readMetric(metric, of, apis) };
}

export const values = (...items: object[]): object => ({ items });
export const value = (name: string, quantity: unknown, rest: object = {}): object => ({
  describedObject: { kind: "Pod", name },
  timestamp: ago(1),
  value: quantity,
  ...rest,
});
export const series = (quantity: string, timestamp = ago(1)): object => ({
  metricName: "queue|length",
  timestamp,
  value: quantity,
});
export const usage = (name: string, containers: Record<string, Record<string, string>>, rest: object = {}): object => ({
  metadata: { name },
  timestamp: ago(1),
  window: "1m0.5s",
  containers: Object.entries(containers).map(([container, used]) => ({ name: container, usage: used })),
  ...rest,
});

export const sampled = (milli: number, at = now - 1000, windowMilliseconds = 60_500): object => ({
  milli,
  at,
  windowMilliseconds,
});

export async function failureOf(promise: Promise<unknown>): Promise<MetricsError> {
  const error: unknown = await promise.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(MetricsError);
  return error as MetricsError;
}
