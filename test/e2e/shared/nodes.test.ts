import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { mergePatch } from "../../../capabilities/kubernetes/api";
import { findCapacityBuffers } from "../../../sandbox/build";
import * as cluster from "../cluster";
import { dayMilliseconds, loadAt, nextRise } from "../foreseen";
import { metrics, theWatcher } from "../module";
import { projectRoot } from "../../../sandbox/paths";
import { serveKind } from "../targets";
import { loadSeries, PrometheusLoad } from "../prometheus";

const { api, until, untilCondition } = cluster;

const crdPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/capacitybuffers.autoscaling.x-k8s.io";
const kind = { apiVersion: "autoscaling.x-k8s.io/v1beta1", kind: "CapacityBuffer" };

let namespace: string;
let prometheus: PrometheusLoad;

/** Serves CapacityBuffers with the schema of Karpenter, in both versions as Cluster Autoscaler does. */
async function serve(): Promise<void> {
  const text = await readFile(await findCapacityBuffers(console.log), "utf8");
  const crd = z.looseObject({ spec: z.looseObject({ versions: z.tuple([z.looseObject({})]) }) }).parse(parse(text));
  const [beta] = crd.spec.versions;
  const versions = [{ ...beta, name: "v1alpha1", storage: false }, beta];
  const manifest = JSON.stringify({ ...crd, spec: { ...crd.spec, versions } });
  await cluster.kube(["apply", "--server-side", "-f", "-"], manifest);
  await cluster.kube(["wait", "--for=condition=Established", "--timeout=5m", "-f", "-"], manifest);
}

/** An MLScaler that only asks for nodes, by its load, 100 for each replica. */
const spec = (): object => ({
  ...{ target_deployment: "daily", max_replicas: 20, sync_period_seconds: 5, mode: "Observe", capacity_buffer: {} },
  metrics: [
    {
      type: "Prometheus",
      prometheus: {
        query: `sum(${loadSeries(namespace, "daily")})`,
        target: { type: "AverageValue", averageValue: "100" },
      },
    },
  ],
  // In 30 minutes it is 20 to 25 minutes after the rise.
  forecast: { max_extra_percent: 300, quantile_percent: 95, horizon_seconds: 1800 },
});

const bufferSchema = z.object({ spec: z.object({ replicas: z.number() }) });

const buffer = (): Promise<unknown> => api.find(cluster.pathOf(kind, namespace, "daily"));

/** Waits until the CapacityBuffer of the MLScaler asks for these replicas; undefined without one. */
const untilBuffer = (what: string, is: (replicas: number | undefined) => boolean): Promise<true> =>
  until(
    `the CapacityBuffer daily ${what}`,
    async () => is(bufferSchema.optional().parse(await buffer())?.spec.replicas),
    {
      seen: async () => JSON.stringify([await buffer(), (await cluster.scaler(namespace, "daily")).status.conditions]),
    },
  );

beforeAll(async () => {
  namespace = await cluster.createNamespace("nodes");
  prometheus = await PrometheusLoad.start();
  const rise = nextRise(300, 1100);
  const now = Date.now();
  await prometheus.preload(loadSeries(namespace, "daily"), now - 14 * dayMilliseconds, now, at => loadAt(at, rise));
  // The load stays low: whenever nodes are asked for, the load has not come.
  prometheus.set(loadSeries(namespace, "daily"), at => loadAt(at, { ...rise, high: rise.low }));
  await cluster.createDeployment(namespace, "daily", 3);
});

afterAll(async () => {
  prometheus.stop();
  await cluster.leaveNamespace(namespace);
  if (await api.find(crdPath)) await api.delete(crdPath);
});

it("says that the cluster has no CapacityBuffers", async () => {
  await cluster.applyScaler(namespace, "daily", spec());
  await untilCondition(namespace, "daily", "NodesAhead", "False/NoCapacityBuffers", "v1beta1");
});

it("asks for nodes before a daily rise, and touches no replicas", async () => {
  await serve();
  await untilBuffer("asks for nodes", (replicas = 0) => replicas > 0);
  await untilCondition(namespace, "daily", "NodesAhead", "Unknown/NotTakenUp");
  const written: unknown = expect.objectContaining({ manager: "mlscaler", apiVersion: kind.apiVersion });
  expect(await buffer()).toMatchObject({
    metadata: {
      ownerReferences: [{ kind: "MLScaler", name: "daily" }],
      managedFields: expect.arrayContaining([written]) as unknown,
    },
    spec: { scalableRef: { apiGroup: "apps", kind: "Deployment", name: "daily" } },
  });
  await cluster.untilEvent(namespace, "daily", /Normal NodesRequested asks for nodes for \d+ more replicas/);
  const rest = { status: "True", message: "", lastTransitionTime: new Date().toISOString() };
  const conditions = [
    { ...rest, type: "ReadyForProvisioning", reason: "Resolved" },
    { ...rest, type: "Provisioning", reason: "FitsExistingCapacity" },
  ];
  const path = `${cluster.pathOf(kind, namespace, "daily")}/status`;
  await api.patch(path, mergePatch, { status: { conditions } });
  await untilCondition(namespace, "daily", "NodesAhead", "True/Planned");
  expect(await cluster.replicas(namespace, "daily")).toBe(3);
  const series = new RegExp(`^mlscaler_capacity_buffer_replicas{namespace="${namespace}",name="daily"} [1-9]`, "m");
  expect(await metrics((await theWatcher()).port)).toMatch(series);
});

it("asks for the nodes of a Rollout by a PodTemplate, with the rights that the pages give", async () => {
  const rollout = { apiVersion: "argoproj.io/v1alpha1", kind: "Rollout" };
  onTestFinished(await serveKind(rollout, "rollouts", ".status.selector"));
  const pages = ["getting-started/your-first-mlscaler.md", "how-to/nodes-before-pods.md"];
  const [role, rule] = await Promise.all(pages.map(page => readFile(join(projectRoot, "docs", page), "utf8")));
  const right = [
    /```yaml\n(apiVersion: rbac\.authorization.*?)```/s.exec(role ?? "")?.[1],
    /```yaml\n( {2}- apiGroups.*?)```/s.exec(rule ?? "")?.[1],
  ].join("");
  await cluster.kube(["apply", "-f", "-"], right);
  onTestFinished(() => cluster.kube(["delete", "-f", "-"], right).then(() => undefined));
  const { template } = cluster.deploymentManifest("rollout", 3).spec;
  const put = (image: string): Promise<void> => {
    const containers = [{ name: "web", image, ports: [{ containerPort: 80 }] }];
    const spec = { replicas: 3, template: { ...template, spec: { containers } } };
    return cluster.apply(namespace, { ...rollout, metadata: { name: "rollout" }, spec });
  };
  await put("nginx:1.27");
  const status = { replicas: 3, selector: "app=rollout" };
  await api.patch(`${cluster.pathOf(rollout, namespace, "rollout")}/status`, mergePatch, { status });
  const target = { target_deployment: undefined, target_ref: { ...rollout, name: "rollout" } };
  await cluster.applyScaler(namespace, "rollout", { ...spec(), ...target });
  const find = (of: cluster.Kind, name: string): Promise<unknown> => api.find(cluster.pathOf(of, namespace, name));
  const ofPods = (): Promise<unknown> => find({ apiVersion: "v1", kind: "PodTemplate" }, "mlscaler-rollout");
  const seen = async (): Promise<string> =>
    JSON.stringify([await ofPods(), await find(kind, "rollout"), (await cluster.scaler(namespace, "rollout")).status]);
  const untilTold = (what: string, is: (told: string) => boolean): Promise<true> =>
    until(what, async () => is(await seen()), { seen });
  await untilTold("it has a PodTemplate", told => told.includes('"image":"nginx:1.27"'));
  expect(await find(kind, "rollout")).toMatchObject({ spec: { podTemplateRef: { name: "mlscaler-rollout" } } });
  expect(await ofPods()).toMatchObject({
    metadata: { ownerReferences: [{ kind: "CapacityBuffer", name: "rollout" }] },
  });
  await put("nginx:1.28");
  await untilTold("the PodTemplate follows", told => told.includes('"image":"nginx:1.28"'));
  await cluster.patchScaler(namespace, "rollout", { capacity_buffer: null });
  await until("the PodTemplate goes with the buffer", async () => (await ofPods()) === undefined, { seen });
});

it("ends with the field, and with the MLScaler", async () => {
  await cluster.patchScaler(namespace, "daily", { capacity_buffer: null });
  await untilBuffer("is gone", found => found === undefined);
  await cluster.patchScaler(namespace, "daily", { capacity_buffer: {} });
  await untilBuffer("is there again", found => found !== undefined);
  await cluster.remove(namespace, cluster.mlscaler, "daily");
  await untilBuffer("is gone", found => found === undefined);
});
