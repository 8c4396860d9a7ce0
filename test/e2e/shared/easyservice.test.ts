import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import * as cluster from "../cluster";

const { api, kube, until } = cluster;

const kind: cluster.Kind = { apiVersion: "app.kubebuilder.io/v1", kind: "EasyService" };
const serviceKind: cluster.Kind = { apiVersion: "v1", kind: "Service" };
const children = [cluster.deployment, serviceKind];
const name = "easyservice-sample";

let namespace: string;

beforeAll(async () => {
  namespace = await cluster.createNamespace("easyservice");
});

afterAll(() => cluster.leaveNamespace(namespace));

const read = (of: cluster.Kind): Promise<unknown> => api.get(cluster.pathOf(of, namespace, name));

const serviceSchema = z.object({ spec: z.object({ clusterIP: z.string(), selector: z.object({ app: z.string() }) }) });
const service = async (): Promise<z.infer<typeof serviceSchema>["spec"]> =>
  serviceSchema.parse(await read(serviceKind)).spec;

const deploymentSchema = z.object({
  spec: z.object({
    template: z.object({ spec: z.object({ containers: z.tuple([z.object({ image: z.string() })]) }) }),
  }),
});
const image = async (): Promise<string> =>
  deploymentSchema.parse(await read(cluster.deployment)).spec.template.spec.containers[0].image;

const uidSchema = z.object({ metadata: z.object({ uid: z.string() }) });
const uids = (): Promise<string[]> =>
  Promise.all(children.map(async child => uidSchema.parse(await read(child)).metadata.uid));

/** Waits until a condition is True with this reason and text. */
const untilTrue = (type: string, reason: string, text: string): Promise<true> =>
  cluster.untilCondition(namespace, name, type, `True/${reason}`, text, kind);

it("becomes a Deployment and a Service with its node port, and has the status of its Deployment", async () => {
  await kube(["apply", "-n", namespace, "-f", "examples/samples/easyservice.yaml"]);
  await untilTrue("Ready", "Available", "2 of 2 pods are available");
  const metadata = { ownerReferences: [{ kind: "EasyService", name, controller: true }] };
  const container = { name, image: "nginx:1.7.9", ports: [{ containerPort: 80 }] };
  expect(await read(cluster.deployment)).toMatchObject({
    ...{ metadata, status: { availableReplicas: 2 } },
    spec: { replicas: 2, template: { spec: { containers: [container] } } },
  });
  const ports = [{ port: 80, targetPort: 80, nodePort: 31002 }];
  expect(await read(serviceKind)).toMatchObject({
    metadata,
    spec: { type: "NodePort", selector: { app: name }, ports },
  });
  expect(await read(kind)).toMatchObject({
    status: { replicas: 2, readyReplicas: 2, availableReplicas: 2, selector: `app=${name}` },
  });
  await untilTrue("ServiceReady", "Assigned", `${(await service()).clusterIP}: 80/TCP (node port 31002)`);
  await untilTrue("Available", "MinimumReplicasAvailable", "");
  await untilTrue("Progressing", "NewReplicaSetAvailable", "");
  const columns = (await kube(["get", "esvc", name, "-n", namespace])).split("\n");
  expect(columns[0]).toMatch(/^NAME +SIZE +READY PODS +IMAGE +READY +AGE/);
  expect(columns[1]).toMatch(/^easyservice-sample +2 +2 +nginx:1\.7\.9 +True/);
});

it("is scaled by kubectl scale, and a change reaches both children, while cluster IP and node port stay", async () => {
  const { clusterIP } = await service();
  await kube(["scale", "esvc", name, "-n", namespace, "--replicas=3"]);
  await untilTrue("Ready", "Available", "3 of 3");
  const spec = { image: "nginx:1.27", ports: [{ port: 8080, targetPort: 80, nodePort: 31002 }] };
  await cluster.patch(namespace, kind, name, { spec });
  await until("the new image", async () => (await image()) === "nginx:1.27");
  await untilTrue("ServiceReady", "Assigned", `${clusterIP}: 8080/TCP (node port 31002)`);
  await untilTrue("Ready", "Available", "3 of 3");
});

it("repairs its children when they are edited or deleted, and says what was taken back from whom", async () => {
  await kube(["set", "image", `deployment/${name}`, `${name}=nginx:edited`, "-n", namespace]);
  await cluster.untilEvent(namespace, name, /^Warning TakenBack Deployment .*image.* from kubectl-set/);
  await until("the image is back", async () => (await image()) === "nginx:1.27");
  await cluster.patch(namespace, serviceKind, name, { spec: { selector: { app: "other" } } });
  await until("the selector is back", async () => (await service()).selector.app === name);
  const before = await uids();
  for (const child of children) await api.delete(cluster.pathOf(child, namespace, name));
  await until("there are new ones", async () => {
    const after = await uids();
    return after.every((uid, index) => uid !== before[index]);
  });
  await untilTrue("Ready", "Available", "3 of 3");
  expect(await read(serviceKind)).toMatchObject({ spec: { ports: [{ nodePort: 31002 }] } });
});

it("takes its children along when it is deleted", async () => {
  await cluster.remove(namespace, kind, name);
  for (const child of children) {
    const path = cluster.pathOf(child, namespace, name);
    await until(`${path} is gone`, async () => (await api.find(path)) === undefined);
  }
});
