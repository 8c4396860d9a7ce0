import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { Conversion, Settings } from "../../../cli/conversion";
import { convert } from "../../../cli/hpa";
import { checkObject } from "../../../capabilities/definition/check";
import { MetricTarget } from "../../../capabilities/mlscaler/metrics/schema";
import { mlscaler } from "../../../capabilities/mlscaler/schema";

const cpu80 = { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } } };

const hpa = (spec: object = {}, change: object = {}): object => ({
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name: "web", namespace: "shop" },
  spec: {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
    maxReplicas: 10,
    ...spec,
  },
  ...change,
});

const converted = (manifest: unknown, settings: Partial<Settings> = {}): Conversion =>
  convert({ where: "hpa.yaml, document 1", manifest }, { mode: "Observe", forecast: "auto", ...settings });

function mlscalerOf(manifest: unknown): NonNullable<Conversion["mlscaler"]> {
  const { mlscaler: object, faults } = converted(manifest);
  expect(faults).toEqual([]);
  if (!object) throw new Error("nothing came of it");
  return object;
}

describe("convert", () => {
  it("sets the defaults of an HPA where those of an MLScaler differ", () => {
    expect(mlscalerOf(hpa())).toEqual({
      apiVersion: "example.com/v1",
      kind: "MLScaler",
      metadata: { name: "web", namespace: "shop" },
      spec: {
        target_deployment: "web",
        min_replicas: 1,
        max_replicas: 10,
        metrics: [cpu80],
        forecast: { model: "auto" },
        rollout_freeze: false,
        mode: "Observe",
      },
    });
  });

  it("treats null and an empty list as absent, as the API server does", () => {
    const nothing = { minReplicas: null, metrics: null, behavior: null };
    expect(mlscalerOf(hpa(nothing))).toEqual(mlscalerOf(hpa()));
    expect(mlscalerOf(hpa({ metrics: [] }))).toEqual(mlscalerOf(hpa()));
  });

  it("pastes metrics and behavior as they are", () => {
    const blocks = parse(`
      metrics:
        - type: Resource
          resource: {name: memory, target: {type: AverageValue, averageValue: 500Mi}}
        - type: ContainerResource
          containerResource: {name: cpu, container: web, target: {type: Utilization, averageUtilization: 60}}
        - type: Pods
          pods: {metric: {name: qps}, target: {type: AverageValue, averageValue: "10"}}
        - type: Object
          object:
            describedObject: {apiVersion: networking.k8s.io/v1, kind: Ingress, name: main}
            metric: {name: requests}
            target: {type: Value, value: 2k}
        - type: External
          external:
            metric: {name: queue, selector: {matchLabels: {queue: orders}}}
            target: {type: AverageValue, averageValue: 30}
      behavior:
        scaleUp:
          stabilizationWindowSeconds: 60
          selectPolicy: Min
          policies: [{type: Pods, value: 4, periodSeconds: 15}, {type: Percent, value: 100, periodSeconds: 15}]
        scaleDown: {tolerance: "0.05", selectPolicy: Disabled}
    `) as object;
    expect(mlscalerOf(hpa(blocks)).spec).toMatchObject(blocks);
  });

  it("quotes fractional Quantities, which an HPA accepts without quotes", () => {
    const metrics = (averageValue: string | number): object[] => [
      { type: "Pods", pods: { metric: { name: "qps" }, target: { type: "AverageValue", averageValue } } },
    ];
    const behavior = (tolerance: string | number): object => ({
      scaleUp: { tolerance, stabilizationWindowSeconds: 3 },
    });
    const { spec } = mlscalerOf(hpa({ metrics: metrics(0.5), behavior: behavior(0.05) }));
    expect(spec).toMatchObject({ metrics: metrics("0.5"), behavior: behavior("0.05") });
  });

  it("keeps minReplicas, 0 as well, which needs a metric that is known without pods as in an HPA", () => {
    expect(mlscalerOf(hpa({ minReplicas: 3 })).spec).toMatchObject({ min_replicas: 3 });
    const external = {
      type: "External",
      external: { metric: { name: "queue" }, target: { type: "AverageValue", averageValue: "10" } },
    };
    const { mlscaler: object, notes } = converted(hpa({ minReplicas: 0, metrics: [external] }));
    expect(object?.spec).toMatchObject({ min_replicas: 0 });
    expect(notes).toEqual([]);
    expect(converted(hpa({ minReplicas: 0 })).faults.join()).toContain(
      "spec.min_replicas: 0 needs at least one metric that is known without pods",
    );
  });

  it.each([
    [{ apiVersion: "apps/v1", kind: "StatefulSet", name: "web" }],
    [{ apiVersion: "example.com/v1", kind: "Deployment", name: "web" }],
  ])("names a target that is no Deployment of apps by target_ref: %j", scaleTargetRef => {
    const { spec } = mlscalerOf(hpa({ scaleTargetRef }));
    expect(spec).toMatchObject({ target_ref: scaleTargetRef });
    expect(spec).not.toHaveProperty("target_deployment");
  });

  it("takes a ReplicationController without a version for the core's, as the API server does", () => {
    const target = { kind: "ReplicationController", name: "web" };
    expect(mlscalerOf(hpa({ scaleTargetRef: target })).spec).toMatchObject({
      target_ref: { apiVersion: "v1", ...target },
    });
  });

  it.each<[block: string, given: object, read: string]>([
    ["external", { type: "AverageValue", value: "6" }, "Value"],
    ["external", { type: "Value", averageValue: "6" }, "AverageValue"],
    ["external", { type: "Utilization", value: "6" }, "Value"],
    ["resource", { type: "Value", averageUtilization: 60 }, "Utilization"],
    ["resource", { type: "Utilization", averageValue: "6" }, "AverageValue"],
    ["pods", { type: "Value", averageValue: "6", value: null }, "AverageValue"],
  ])("gives a target of %s the type of the field that an HPA scales by, and says so: %j", (name, target, type) => {
    const of = (target: object): object => {
      const block = name === "resource" ? { name: "cpu", target } : { metric: { name: "qps" }, target };
      return { metrics: [{ type: name.charAt(0).toUpperCase() + name.slice(1), [name]: block }] };
    };
    const { mlscaler: object, notes, faults } = converted(hpa(of(target)));
    expect(faults).toEqual([]);
    expect(object?.spec).toMatchObject(of({ type }));
    expect(notes.join()).toContain(
      `spec.metrics[0].${name}.target.type: is ${String((target as MetricTarget).type)}, and`,
    );
    expect(notes.join().includes("for a value per replica, write averageValue")).toBe(type === "Value");
  });

  it("refuses an Object whose type is not that of its field, which an HPA does not scale by", () => {
    const described = { kind: "Ingress", name: "web" };
    const target = { type: "AverageValue", value: "6" };
    const object = { describedObject: described, metric: { name: "qps" }, target };
    expect(converted(hpa({ metrics: [{ type: "Object", object }] })).faults.join()).toContain(
      "spec.metrics[0].object.target.type: AverageValue does not fit the field that is set",
    );
  });

  it("reports that nothing is forecast where no metric has a total", () => {
    const external = (target: object): object => ({ type: "External", external: { metric: { name: "lag" }, target } });
    const value = external({ type: "Value", value: 5 });
    const notes = [
      "hpa.yaml, document 1: HorizontalPodAutoscaler web: spec.metrics has only targets of type Value, which have no total: nothing is forecast",
    ];
    expect(converted(hpa({ metrics: [value] })).notes).toEqual(notes);
    expect(converted(hpa({ metrics: [value] }), { forecast: "off" }).notes).toEqual([]);
    const average = external({ type: "AverageValue", averageValue: 5 });
    expect(converted(hpa({ metrics: [value, average] })).notes).toEqual([]);
  });

  const marks = {
    "kubectl.kubernetes.io/last-applied-configuration": "{}",
    "autoscaling.alpha.kubernetes.io/conditions": "[]",
    "argocd.argoproj.io/tracking-id": "shop:autoscaling/HorizontalPodAutoscaler:shop/web",
    "meta.helm.sh/release-name": "shop",
    "meta.helm.sh/release-namespace": "shop",
  };
  const withMetadata = (change: object): object =>
    hpa(
      {},
      {
        metadata: {
          name: "web",
          namespace: "shop",
          resourceVersion: "7",
          labels: { "app.kubernetes.io/instance": "shop", "kustomize.toolkit.fluxcd.io/namespace": "flux-system" },
          annotations: { note: "kept", ...marks },
          ...change,
        },
      },
    );

  it("keeps name, namespace, labels and annotations of a file, but not those of tools", () => {
    expect(mlscalerOf(withMetadata({})).metadata).toEqual({
      name: "web",
      namespace: "shop",
      labels: { "app.kubernetes.io/instance": "shop" },
      annotations: { note: "kept" },
    });
    expect(converted(withMetadata({})).notes).toEqual([]);
    expect(mlscalerOf(withMetadata({ labels: null, annotations: marks })).metadata).toEqual({
      name: "web",
      namespace: "shop",
    });
    expect(mlscalerOf(hpa({}, { metadata: { name: "web" } })).metadata).toEqual({ name: "web" });
  });

  it("leaves out and names all labels and annotations of a live HPA", () => {
    const { mlscaler: object, notes } = converted(withMetadata({ uid: "1" }));
    expect(object?.metadata).toEqual({ name: "web", namespace: "shop" });
    expect(notes).toEqual([
      "hpa.yaml, document 1: HorizontalPodAutoscaler web: labels and annotations of the live HPA are left out, because a tool can find the MLScaler by them and delete it: app.kubernetes.io/instance, note; add those that you need",
    ]);
    expect(converted(withMetadata({ uid: "1", labels: {}, annotations: marks })).notes).toEqual([]);
  });

  it("reads autoscaling/v1, whose CPU target is 80 % where it has none", () => {
    const v1 = (spec: object): object => hpa(spec, { apiVersion: "autoscaling/v1" });
    expect(mlscalerOf(v1({ targetCPUUtilizationPercentage: 55, minReplicas: 2 })).spec).toMatchObject({
      min_replicas: 2,
      metrics: [{ resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 55 } } }],
    });
    expect(mlscalerOf(v1({}))).toEqual(mlscalerOf(hpa()));
    expect(converted(v1({ metrics: [] })).faults.join()).toContain("metrics");
  });

  it.each([
    [hpa({ maxReplicas: undefined }), "spec.maxReplicas: is required"],
    [hpa({ maxReplicas: "ten" }), 'spec.maxReplicas: "ten" is not allowed'],
    [hpa({ minReplicas: 11 }), "spec.min_replicas: 11 is above spec.max_replicas 10"],
    [hpa({ targetCPU: 80 }), "targetCPU"],
    [hpa({ scaleTargetRef: { kind: "Deployment", name: "web" } }), "spec.scaleTargetRef.apiVersion: is required"],
    [hpa({ scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "Web_1" } }), '"Web_1" is not the name'],
    [hpa({ metrics: [{ type: "Resouce" }] }), "spec.metrics[0].type"],
    [hpa({ metrics: [{ type: "Resource" }] }), "spec.metrics[0]"],
    [hpa({ behavior: { scaleUp: { policies: [{ type: "Pods", value: 0, periodSeconds: 15 }] } } }), "spec.behavior"],
    [hpa({}, { spec: undefined }), "spec.scaleTargetRef: is required"],
    [hpa({}, { metadata: {} }), "metadata.name"],
    [hpa({}, { apiVersion: "autoscaling/v2beta1" }), "autoscaling/v2beta1 is not served any more; kubectl get hpa.v2"],
    [
      hpa(
        {},
        {
          apiVersion: "autoscaling/v1",
          metadata: { name: "web", annotations: { "autoscaling.alpha.kubernetes.io/metrics": "[]" } },
        },
      ),
      "autoscaling.alpha.kubernetes.io/metrics cannot be read; kubectl get hpa.v2",
    ],
    ["text", "is not a Kubernetes object"],
    [{ kind: "HorizontalPodAutoscaler" }, "is not a Kubernetes object"],
  ])("refuses %j, naming document and field", (manifest, message) => {
    const { mlscaler: object, faults } = converted(manifest);
    expect(object).toBeUndefined();
    expect(faults.join()).toContain(message);
    for (const fault of faults) expect(fault).toMatch(/^hpa\.yaml, document 1: /);
  });
});

describe("an MLScaler that assists", () => {
  const assisting = (manifest: unknown): Conversion => converted(manifest, { mode: "Assist" });

  it("has a target, and takes the rest from its HPA", () => {
    const { mlscaler: object, notes } = assisting(hpa({ minReplicas: 2, behavior: { scaleDown: {} } }));
    expect(object?.spec).toEqual({ target_deployment: "web", mode: "Assist" });
    expect(checkObject(mlscaler, "web", object?.spec).faults).toEqual([]);
    expect(notes).toEqual([]);
  });

  it("has nothing to raise at the maximum, nor where an owner writes the minimum", () => {
    const ownerReferences = [{ apiVersion: "serving.knative.dev/v1", kind: "Revision", name: "web-1", uid: "u" }];
    expect(assisting(hpa({ minReplicas: 10 }, { metadata: { name: "web", ownerReferences } })).notes).toEqual([
      expect.stringContaining("is owned by Revision web-1, which may write spec.minReplicas back"),
      expect.stringContaining("spec.minReplicas: 10 is its maximum, so there is nothing to raise"),
    ]);
  });

  it("needs an HPA that an MLScaler can read", () => {
    expect(assisting(hpa({ metrics: [{ type: "Odd" }] })).faults).toEqual([expect.stringContaining("spec.metrics[0]")]);
  });
});

describe("what breaks when the HPA goes", () => {
  const notes = (manifest: unknown): string[] => converted(manifest).notes;

  it("is an owner that makes it again, and a finalizer", () => {
    const ownerReferences = [{ apiVersion: "serving.knative.dev/v1", kind: "Revision", name: "web-1", uid: "u" }];
    expect(notes(hpa({}, { metadata: { name: "web", ownerReferences, finalizers: ["a/b"] } }))).toEqual([
      expect.stringContaining("is owned by Revision web-1, which makes it again when it is deleted"),
      expect.stringContaining("metadata.finalizers: a/b are left out"),
    ]);
  });

  it("is a metric that its adapter serves only while an HPA names it", () => {
    const external = (name: string): object => ({
      metrics: [
        { type: "External", external: { metric: { name }, target: { type: "AverageValue", averageValue: "25" } } },
      ],
    });
    expect(notes(hpa(external("datadogmetric@shop:rps")))).toEqual([expect.stringContaining("always-active")]);
    const annotations = { "metric-config.external.rps.prometheus/query": "sum(x)" };
    expect(notes(hpa(external("rps"), { metadata: { name: "web", annotations } }))).toEqual([
      expect.stringContaining("kube-metrics-adapter"),
    ]);
    expect(notes(hpa(external("rps")))).toEqual([]);
  });

  it("is nothing for an HPA of autoscaling/v2beta2, whose spec is that of v2", () => {
    expect(mlscalerOf(hpa({}, { apiVersion: "autoscaling/v2beta2" }))).toEqual(mlscalerOf(hpa()));
  });
});
