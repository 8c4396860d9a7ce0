import { describe, expect, it } from "vitest";
import { Input } from "../../../../cli/manifests";
import { queriesOf } from "../../../../cli/survey/queries";
import { queryAnnotation, Workload, workloadsOf } from "../../../../cli/survey/workloads";

const cpu = { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 70 } } };
const queue = {
  type: "External",
  external: { metric: { name: "queue" }, target: { type: "AverageValue", averageValue: "30" } },
};

const hpa = (metrics: object[], metadata: object = {}, target: object = {}): Input => ({
  where: "HPA shop/web",
  manifest: {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "web", namespace: "shop", uid: "1", ...metadata },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web", ...target },
      minReplicas: 2,
      maxReplicas: 9,
      metrics,
    },
  },
});

const scaledObject = (triggers: object[]): Input => ({
  where: "ScaledObject shop/orders",
  manifest: {
    apiVersion: "keda.sh/v1alpha1",
    kind: "ScaledObject",
    metadata: { name: "orders", namespace: "shop", uid: "2" },
    spec: { scaleTargetRef: { name: "orders" }, minReplicaCount: 1, triggers },
  },
});

const prometheusTrigger = {
  type: "prometheus",
  metadata: { serverAddress: "http://prometheus:9090", query: "sum(orders)", threshold: "40" },
};

const theWorkload = (...given: Parameters<typeof hpa>): Workload => {
  const { workloads, faults } = workloadsOf([hpa(...given)], {}, "Assist");
  expect(faults).toEqual([]);
  const [workload] = workloads;
  if (!workload) throw new Error("there is no workload");
  return workload;
};

describe("the workloads of a cluster", () => {
  it("are its HPAs by the first metric whose load is known", () => {
    const workload = theWorkload([queue, cpu]);
    expect(workload).toMatchObject({
      key: "shop/web",
      scaler: "HPA",
      hpa: "web",
      target: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      metric: cpu,
      load: { resource: { name: "cpu" } },
      notes: ["surveyed by cpu, one of 2 metrics"],
    });
    expect(workload.manifest.spec).toMatchObject({ min_replicas: 2, max_replicas: 9 });
    expect(workload.written.spec).toEqual({ target_deployment: "web", mode: "Assist" });
  });

  it("are ScaledObjects by their query, without the HPAs that KEDA makes", () => {
    const own = hpa([queue], {
      name: "keda-hpa-orders",
      ownerReferences: [{ apiVersion: "keda.sh/v1alpha1", kind: "ScaledObject", name: "orders", uid: "2" }],
    });
    const { workloads, faults } = workloadsOf([own, scaledObject([prometheusTrigger])], {}, "Observe");
    expect(faults).toEqual([]);
    expect(workloads).toMatchObject([
      { key: "shop/orders", scaler: "ScaledObject", hpa: "keda-hpa-orders", load: { query: "sum(orders)" } },
    ]);
  });

  it("have a query by the annotation, or by the file of --queries, which comes first", () => {
    const annotated = hpa([queue], { annotations: { [queryAnnotation]: "sum(annotated)" } });
    const queryOf = (queries: Record<string, string>): unknown =>
      workloadsOf([annotated], queries, "Assist").workloads[0]?.load;
    expect(queryOf({})).toEqual({ query: "sum(annotated)" });
    expect(queryOf({ "shop/web": "sum(mapped)" })).toEqual({ query: "sum(mapped)" });
  });

  it("name those whose load is not known, and how to tell it", () => {
    const { workloads, faults } = workloadsOf([hpa([queue]), { where: "document 1", manifest: 5 }], {}, "Assist");
    expect(workloads).toEqual([]);
    expect(faults).toEqual([
      expect.stringMatching(/^HPA shop\/web: no load of queue is known.*load-query.*--queries/),
      "document 1: is not an HPA or a ScaledObject",
    ]);
  });
});

describe("the queries about a workload", () => {
  it("ask cAdvisor and kube-state-metrics for the pods of the target", () => {
    const { load, request, startUp, replicas } = queriesOf(theWorkload([cpu]), 7);
    expect(load).toMatch(/^sum\(rate\(container_cpu_usage_seconds_total\{namespace="shop",pod=~"web-.*\}\[5m\]\)\)$/);
    expect(request).toContain('kube_pod_container_resource_requests{namespace="shop"');
    expect(request).toContain('resource="cpu"');
    expect(startUp).toContain("kube_pod_status_ready_time");
    expect(replicas).toContain('horizontalpodautoscaler="web"}[7d]');
  });

  it("ask for no request where the target is a load", () => {
    const target = { type: "AverageValue", averageValue: "500Mi" };
    const { load, request } = queriesOf(theWorkload([{ type: "Resource", resource: { name: "memory", target } }]), 7);
    expect(load).toMatch(/^sum\(avg_over_time\(container_memory_working_set_bytes\{/);
    expect(request).toBeUndefined();
  });

  it("ask for one container of a ContainerResource", () => {
    const target = { type: "Utilization", averageUtilization: 60 };
    const containerResource = { name: "cpu", container: "app", target };
    const { load, request } = queriesOf(theWorkload([{ type: "ContainerResource", containerResource }]), 7);
    expect(load).toContain('container="app"');
    expect(request).toContain('container="app"');
  });

  it.each([
    ["Deployment", "web", "web-7c9d8f6b5-x2x4z", "web-agent-x2x4z"],
    ["Deployment", "web", "web-7c9d8f6b5-x2x4z", "web-api-7c9d8f6b5-x2x4z"],
    ["Deployment", "shop.web", "shop.web-7c9d8f6b5-x2x4z", "shopxweb-7c9d8f6b5-x2x4z"],
    ["StatefulSet", "web", "web-12", "web-api-12"],
    ["ReplicaSet", "web", "web-x2x4z", "web-7c9d8f6b5-x2x4z"],
    ["Database", "web", "web-anything", "webanything"],
  ])("of a %s %s find pod %s and not %s", (kind, name, own, other) => {
    const { load } = queriesOf(theWorkload([cpu], {}, { apiVersion: "apps/v1", kind, name }), 7);
    const [, pattern = ""] = /pod=~("[^"]*")/.exec(load) ?? [];
    const pods = new RegExp(`^(?:${JSON.parse(pattern) as string})$`);
    expect([own, other].map(pod => pods.test(pod))).toEqual([true, false]);
  });
});
