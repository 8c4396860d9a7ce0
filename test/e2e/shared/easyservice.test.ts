import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { easyservice } from "../../../capabilities/easyservice/schema";
import * as cluster from "../cluster";

const { api, kube, until } = cluster;

const kind: cluster.Kind = { apiVersion: "app.kubebuilder.io/v1", kind: "EasyService" };
const serviceKind: cluster.Kind = { apiVersion: "v1", kind: "Service" };
const sample = "easyservice-sample";

let namespace: string;

beforeAll(async () => {
  namespace = await cluster.createNamespace("easyservice");
});

afterAll(() => cluster.leaveNamespace(namespace));

const patch = (name: string, spec: object): Promise<unknown> => cluster.patch(namespace, kind, name, { spec });

const metadataSchema = z.object({
  uid: z.string(),
  generation: z.number().default(0),
  ownerReferences: z.array(z.object({ kind: z.string(), name: z.string(), controller: z.boolean() })).default([]),
});

const easyServiceSchema = z.object({
  metadata: metadataSchema,
  spec: z.object({ size: z.number() }),
  status: easyservice.status.default({}),
});

const deploymentSchema = z.object({
  metadata: metadataSchema,
  spec: z.object({
    replicas: z.number(),
    template: z.object({
      spec: z.object({
        containers: z.array(
          z.object({
            name: z.string(),
            image: z.string(),
            ports: z.array(z.object({ containerPort: z.number() })).default([]),
          }),
        ),
      }),
    }),
  }),
  status: z.object({ availableReplicas: z.number().default(0) }),
});

const serviceSchema = z.object({
  metadata: metadataSchema,
  spec: z.object({
    type: z.string(),
    clusterIP: z.string(),
    selector: z.record(z.string(), z.string()),
    ports: z.array(z.object({ port: z.number(), targetPort: z.union([z.number(), z.string()]), nodePort: z.number() })),
  }),
});

const esvc = async (name: string): Promise<z.infer<typeof easyServiceSchema>> =>
  easyServiceSchema.parse(await api.get(cluster.pathOf(kind, namespace, name)));

const deployment = async (name: string): Promise<z.infer<typeof deploymentSchema>> =>
  deploymentSchema.parse(await api.get(cluster.pathOf(cluster.deployment, namespace, name)));

const service = async (name: string): Promise<z.infer<typeof serviceSchema>> =>
  serviceSchema.parse(await api.get(cluster.pathOf(serviceKind, namespace, name)));

const imageOf = async (name: string): Promise<string | undefined> =>
  (await deployment(name)).spec.template.spec.containers[0]?.image;

/** One condition as "status/reason: message". */
async function condition(name: string, type: string): Promise<string> {
  const found = (await esvc(name)).status.conditions?.find(candidate => candidate.type === type);
  return found ? `${found.status}/${found.reason}: ${found.message}` : "";
}

/** Waits until a condition of the latest spec starts with `wanted`. */
const untilCondition = (name: string, type: string, wanted: string): Promise<true> =>
  until(
    `${name}: ${type} ${wanted}`,
    async () => {
      const { metadata, status } = await esvc(name);
      return status.observedGeneration === metadata.generation && (await condition(name, type)).startsWith(wanted);
    },
    { seen: async () => JSON.stringify((await esvc(name)).status) },
  );

it("becomes a Deployment and a Service with its node port, and has the status of its Deployment", async () => {
  await kube(["apply", "-n", namespace, "-f", "examples/samples/easyservice.yaml"]);
  await untilCondition(sample, "Ready", "True/Available: 2 of 2 pods are available");
  const owner = { kind: "EasyService", name: sample, controller: true };
  const container = { name: sample, image: "nginx:1.7.9", ports: [{ containerPort: 80 }] };
  expect(await deployment(sample)).toMatchObject({
    metadata: { ownerReferences: [owner] },
    spec: { replicas: 2, template: { spec: { containers: [container] } } },
    status: { availableReplicas: 2 },
  });
  const { metadata, spec } = await service(sample);
  expect(metadata.ownerReferences).toEqual([owner]);
  const ports = [{ port: 80, targetPort: 80, nodePort: 31002 }];
  expect(spec).toMatchObject({ type: "NodePort", selector: { app: sample }, ports });
  const { status } = await esvc(sample);
  expect(status).toMatchObject({ replicas: 2, readyReplicas: 2, availableReplicas: 2, selector: `app=${sample}` });
  expect(await condition(sample, "ServiceReady")).toBe(`True/Assigned: ${spec.clusterIP}: 80/TCP (node port 31002)`);
  expect(await condition(sample, "Available")).toContain("True/MinimumReplicasAvailable");
  expect(await condition(sample, "Progressing")).toContain("True/NewReplicaSetAvailable");
  const columns = (await kube(["get", "esvc", sample, "-n", namespace])).split("\n");
  expect(columns[0]).toMatch(/^NAME +SIZE +READY PODS +IMAGE +READY +AGE/);
  expect(columns[1]).toMatch(/^easyservice-sample +2 +2 +nginx:1\.7\.9 +True/);
});

it("is scaled by kubectl scale, and a change reaches both children, while cluster IP and node port stay", async () => {
  const { clusterIP } = (await service(sample)).spec;
  await kube(["scale", "esvc", sample, "-n", namespace, "--replicas=3"]);
  await untilCondition(sample, "Ready", "True/Available: 3 of 3");
  await patch(sample, { image: "nginx:1.27", ports: [{ port: 8080, targetPort: 80, nodePort: 31002 }] });
  await until("the new image", async () => (await imageOf(sample)) === "nginx:1.27");
  await untilCondition(sample, "ServiceReady", `True/Assigned: ${clusterIP}: 8080/TCP (node port 31002)`);
  await untilCondition(sample, "Ready", "True/Available: 3 of 3");
});

it("repairs its children when they are edited or deleted, and says what was taken back from whom", async () => {
  await kube(["set", "image", `deployment/${sample}`, `${sample}=nginx:edited`, "-n", namespace]);
  await cluster.untilEvent(namespace, sample, /^Warning TakenBack Deployment .*image.* from kubectl-set/);
  await until("the image is back", async () => (await imageOf(sample)) === "nginx:1.27");
  await cluster.patch(namespace, serviceKind, sample, { spec: { selector: { app: "other" } } });
  await until("the selector is back", async () => (await service(sample)).spec.selector.app === sample);
  const before = [(await deployment(sample)).metadata.uid, (await service(sample)).metadata.uid];
  for (const child of [cluster.deployment, serviceKind]) await api.delete(cluster.pathOf(child, namespace, sample));
  await until("there are new ones", async () => {
    const after = [(await deployment(sample)).metadata.uid, (await service(sample)).metadata.uid];
    return after.every((uid, index) => uid !== before[index]);
  });
  await untilCondition(sample, "Ready", "True/Available: 3 of 3");
  expect((await service(sample)).spec.ports).toMatchObject([{ nodePort: 31002 }]);
});

it("takes its children along when it is deleted", async () => {
  await cluster.remove(namespace, kind, sample);
  for (const child of [cluster.deployment, serviceKind]) {
    const path = cluster.pathOf(child, namespace, sample);
    await until(`${path} is gone`, async () => (await api.find(path)) === undefined);
  }
});
