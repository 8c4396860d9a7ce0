import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { deploymentSchema } from "../../../capabilities/hello/status";
import { hello as resource } from "../../../capabilities/hello/schema";
import * as cluster from "../cluster";

const { api, kube, kubectl, until } = cluster;

const kind: cluster.Kind = { apiVersion: "fraim.co.jp/v1", kind: "Hello" };

const helloSchema = z.object({
  metadata: z.object({ generation: z.number(), finalizers: z.array(z.string()).default([]) }),
  spec: z.object({ replicas: z.number() }),
  status: resource.status.default({}),
});

const appliedSchema = deploymentSchema.extend({
  metadata: deploymentSchema.shape.metadata.extend({
    managedFields: z.array(z.object({ manager: z.string(), operation: z.string() })),
  }),
});

let namespace: string;

beforeAll(async () => {
  namespace = await cluster.createNamespace("hello");
});

afterAll(() => cluster.leaveNamespace(namespace));

const hello = async (name = "hello"): Promise<z.infer<typeof helloSchema>> =>
  helloSchema.parse(await api.get(cluster.pathOf(kind, namespace, name)));

const deployment = async (name = "hello"): Promise<z.infer<typeof appliedSchema>> =>
  appliedSchema.parse(await api.get(cluster.pathOf(cluster.deployment, namespace, name)));

/** One condition of a Hello as "status/reason: message"; undefined when it is missing. */
async function condition(type: string, name = "hello"): Promise<string | undefined> {
  const found = (await hello(name)).status.conditions?.find(entry => entry.type === type);
  return found && `${found.status}/${found.reason}: ${found.message}`;
}

/** Waits until a condition of a Hello starts with `wanted`. */
const untilCondition = (type: string, wanted: string, name = "hello"): Promise<true> =>
  until(`${name}: ${type} ${wanted}`, async () => (await condition(type, name))?.startsWith(wanted), {
    seen: async () => JSON.stringify((await hello(name)).status),
  });

const scale = (what: string, replicas: number): Promise<cluster.Answer> =>
  kubectl(["scale", what, "-n", namespace, `--replicas=${replicas}`]);

it("becomes a Deployment of example-operator, and reports when its pods are Ready", async () => {
  await kube(["apply", "-n", namespace, "-f", "examples/samples/hello.yaml"]);
  await untilCondition("Ready", "True/Available: 3 of 3 pods are Ready");
  const { status, metadata } = await hello();
  const selector = "app.kubernetes.io/name=hello";
  expect(status).toMatchObject({ observedGeneration: metadata.generation, replicas: 3, ready: 3, selector });
  expect(metadata.finalizers).toEqual(["fraim.co.jp/example-operator"]);
  const [header = "", row = ""] = (await kube(["get", "hlo", "-n", namespace])).split("\n");
  expect(header).toMatch(/^NAME +REPLICAS +READY PODS +READY +AGE/);
  expect(row).toMatch(/^hello +3 +3 +True +\d+/);
  const labels = { "app.kubernetes.io/name": "hello", "operator.fraim.co.jp/managed-by": "example-operator" };
  expect(await api.get(cluster.pathOf(cluster.deployment, namespace, "hello"))).toMatchObject({
    metadata: { labels, ownerReferences: [{ ...kind, name: "hello", controller: true }] },
    spec: { replicas: 3, selector: { matchLabels: { "app.kubernetes.io/name": "hello" } } },
  });
  const { managedFields } = (await deployment()).metadata;
  expect(managedFields).toContainEqual({ manager: "example-operator", operation: "Apply" });
});

it("puts its Deployment right when it was changed by hand, and says by whom", async () => {
  expect(await scale("deploy/hello", 7)).toMatchObject({ code: 0 });
  const message = "spec.replicas was set by kubectl, it is 3 again";
  await untilCondition("TakenBack", `True/FieldsTakenBack: ${message}`);
  await cluster.untilEvent(namespace, "hello", `Warning FieldsTakenBack ${message}`);
  await untilCondition("Ready", "True/Available: 3 of 3");
  expect(await cluster.replicas(namespace, "hello")).toBe(3);
});

it("is deleted after its Deployment, with an Event, and leaves it to those who ask for an orphan", async () => {
  await cluster.remove(namespace, kind, "hello");
  expect(await api.find(cluster.pathOf(cluster.deployment, namespace, "hello"))).toBeUndefined();
  await cluster.untilEvent(namespace, "hello", "Normal DeleteRequested Delete hello");
  await cluster.apply(namespace, { ...kind, metadata: { name: "left" }, spec: { replicas: 2 } });
  await untilCondition("Ready", "True/Available: 2 of 2", "left");
  await kube(["delete", "hlo", "left", "-n", namespace, "--cascade=orphan"]);
  const { metadata } = await deployment("left");
  expect([metadata.deletionTimestamp, metadata.ownerReferences]).toEqual([undefined, []]);
});
