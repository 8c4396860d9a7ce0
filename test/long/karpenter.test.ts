import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { karpenterNodes, startKarpenter, stopKarpenter } from "../../sandbox/karpenter";
import * as cluster from "../e2e/cluster";
import { sandbox } from "../e2e/sandbox";
import { karpenter } from "./karpenter";

const { api, kube, until } = cluster;

/** Pods that fit a node, and the time that it takes here. */
const fitting = 4;
const nodeSeconds = 60;

let namespace: string;

const metadataSchema = z.object({ metadata: z.object({ name: z.string(), creationTimestamp: z.coerce.date() }) });

const listSchema = z.object({ items: z.array(metadataSchema) });

/** The nodes of an app, which Karpenter has ordered. */
async function nodesOf(app: string): Promise<string[]> {
  const answer = await api.get("/api/v1/nodes", { query: { labelSelector: `app=${app}` } });
  return listSchema.parse(answer).items.map(({ metadata }) => metadata.name);
}

const podSchema = metadataSchema.extend({
  status: z.object({
    conditions: z
      .array(z.object({ type: z.string(), status: z.string(), lastTransitionTime: z.coerce.date() }))
      .default([]),
  }),
});

/** How long each pod of an app has waited for its node, in seconds; undefined where it waits. */
async function waitsOf(app: string): Promise<(number | undefined)[]> {
  const answer = await api.get(`/api/v1/namespaces/${namespace}/pods`, { query: { labelSelector: `app=${app}` } });
  return z
    .object({ items: z.array(podSchema) })
    .parse(answer)
    .items.map(({ metadata, status }) => {
      const scheduled = status.conditions.find(({ type }) => type === "PodScheduled");
      if (scheduled?.status !== "True") return undefined;
      return (scheduled.lastTransitionTime.getTime() - metadata.creationTimestamp.getTime()) / 1000;
    });
}

/** Waits until an app has `count` pods with a node, and returns how long each has waited for it. */
const untilScheduled = (app: string, count: number): Promise<number[]> =>
  until(`${count} pods of ${app} have a node`, async () => {
    const waits = (await waitsOf(app)).filter(wait => wait !== undefined);
    return waits.length === count && waits;
  });

const untilNodes = (app: string, count: number): Promise<true> =>
  until(`${app} has ${count} nodes`, async () => (await nodesOf(app)).length === count, {
    seen: async () => `${String(await nodesOf(app))}; ${await kube(["get", "nodeclaims,capacitybuffers", "-A"])}`,
  });

/** The template of pods that fit only the nodes of Karpenter for an app. */
function templateOf(app: string): object {
  const { template } = cluster.deploymentManifest(app, 1).spec;
  const [container] = (template.spec as { containers: object[] }).containers;
  const containers = [{ ...container, resources: { requests: { cpu: "900m" } } }];
  return { ...template, spec: { nodeSelector: { app }, containers } };
}

function deploy(app: string, replicas: number): Promise<void> {
  const { spec, ...rest } = cluster.deploymentManifest(app, replicas);
  return cluster.apply(namespace, { ...rest, spec: { ...spec, template: templateOf(app) } });
}

const scale = (name: string, replicas: number): Promise<unknown> =>
  cluster.patch(namespace, cluster.deployment, name, { spec: { replicas } });

describe.skipIf(karpenter === undefined)("nodes of Karpenter", () => {
  beforeAll(async () => {
    if (!karpenter) return;
    await startKarpenter(sandbox, karpenter);
    const spec = { nodeRegistrationDelay: `${nodeSeconds}s` };
    await kube(["patch", "kwoknodeclass", "nodes", "--type=merge", `--patch=${JSON.stringify({ spec })}`]);
    namespace = await cluster.createNamespace("karpenter");
  });

  afterAll(async () => {
    if (!karpenter) return;
    await kube(["delete", "namespace", namespace]);
    await kube(["delete", "-f", karpenterNodes, "--cascade=foreground"]);
    await stopKarpenter(sandbox);
    await kube(["delete", ...karpenter.crds.flatMap(folder => ["-f", folder])]);
  });

  it("come when pods have waited for them for their time, and go with the pods", async () => {
    await deploy("plain", fitting + 1);
    const waits = await untilScheduled("plain", fitting + 1);
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(nodeSeconds);
    expect(await nodesOf("plain")).toHaveLength(2);
    await scale("plain", 0);
    await untilNodes("plain", 0);
  });

  // `npm start -- --example nodes` has one that names a Deployment.
  it("come ahead for a static CapacityBuffer with a PodTemplate, and its pods do not wait", async () => {
    await deploy("buffered", 0);
    const buffer = { apiVersion: "autoscaling.x-k8s.io/v1beta1", kind: "CapacityBuffer" };
    const metadata = { name: "buffered" };
    const pods = { apiVersion: "v1", kind: "PodTemplate", metadata, template: templateOf("buffered") };
    await cluster.apply(namespace, pods);
    await cluster.apply(namespace, { ...buffer, metadata, spec: { podTemplateRef: metadata, replicas: 2 } });
    await untilNodes("buffered", 1);
    await scale("buffered", 2);
    expect(Math.max(...(await untilScheduled("buffered", 2)))).toBeLessThan(nodeSeconds / 2);
    // Karpenter 1.14 keeps the nodes of a buffer that is deleted until it plans again.
    await cluster.patch(namespace, buffer, "buffered", { spec: { replicas: 0 } });
    await scale("buffered", 0);
    await untilNodes("buffered", 0);
  });
});
