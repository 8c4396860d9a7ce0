import { afterAll, beforeAll, expect, it } from "vitest";
import * as cluster from "../cluster";

const { api, kube, kubectl } = cluster;

const kind: cluster.Kind = { apiVersion: "fraim.co.jp/v1", kind: "Hello" };

let namespace: string;

beforeAll(async () => {
  namespace = await cluster.createNamespace("hello");
});

afterAll(() => cluster.leaveNamespace(namespace));

const untilCondition = (type: string, wanted: string, text: string, name = "hello"): Promise<true> =>
  cluster.untilCondition(namespace, name, type, wanted, text, kind);

it("becomes a Deployment of example-operator, and reports when its pods are Ready", async () => {
  await kube(["apply", "-n", namespace, "-f", "examples/samples/hello.yaml"]);
  await untilCondition("Ready", "True/Available", "3 of 3 pods are Ready");
  const selector = "app.kubernetes.io/name=hello";
  expect(await api.get(cluster.pathOf(kind, namespace, "hello"))).toMatchObject({
    metadata: { finalizers: ["fraim.co.jp/example-operator"] },
    status: { observedGeneration: 1, replicas: 3, ready: 3, selector },
  });
  const [header = "", row = ""] = (await kube(["get", "hlo", "-n", namespace])).split("\n");
  expect(header).toMatch(/^NAME +REPLICAS +READY PODS +READY +AGE/);
  expect(row).toMatch(/^hello +3 +3 +True +\d+/);
  const labels = { "app.kubernetes.io/name": "hello", "operator.fraim.co.jp/managed-by": "example-operator" };
  const applied: unknown = expect.objectContaining({ manager: "example-operator", operation: "Apply" });
  expect(await api.get(cluster.pathOf(cluster.deployment, namespace, "hello"))).toMatchObject({
    metadata: {
      ...{ labels, ownerReferences: [{ ...kind, name: "hello", controller: true }] },
      managedFields: expect.arrayContaining([applied]) as unknown,
    },
    spec: { replicas: 3, selector: { matchLabels: { "app.kubernetes.io/name": "hello" } } },
  });
});

it("puts its Deployment right when it was changed by hand, and says by whom", async () => {
  expect(await kubectl(["scale", "deploy/hello", "-n", namespace, "--replicas=7"])).toMatchObject({ code: 0 });
  const message = "spec.replicas was set by kubectl, it is 3 again";
  await untilCondition("TakenBack", "True/FieldsTakenBack", message);
  await cluster.untilEvent(namespace, "hello", `Warning FieldsTakenBack ${message}`);
  await untilCondition("Ready", "True/Available", "3 of 3");
  expect(await cluster.replicas(namespace, "hello")).toBe(3);
});

it("is deleted after its Deployment, with an Event, and leaves it to those who ask for an orphan", async () => {
  await cluster.remove(namespace, kind, "hello");
  expect(await api.find(cluster.pathOf(cluster.deployment, namespace, "hello"))).toBeUndefined();
  await cluster.untilEvent(namespace, "hello", "Normal DeleteRequested Delete hello");
  await cluster.apply(namespace, { ...kind, metadata: { name: "left" }, spec: { replicas: 2 } });
  await untilCondition("Ready", "True/Available", "2 of 2", "left");
  await kube(["delete", "hlo", "left", "-n", namespace, "--cascade=orphan"]);
  const left = await api.get(cluster.pathOf(cluster.deployment, namespace, "left"));
  for (const field of ["deletionTimestamp", "ownerReferences"]) expect(left).not.toHaveProperty(["metadata", field]);
});
