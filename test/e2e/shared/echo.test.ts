import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import * as cluster from "../cluster";

const { api, kube, kubectl, until } = cluster;

const kind: cluster.Kind = { apiVersion: "my-operator.dev/v1", kind: "Echo" };

const echoSchema = z.object({ metadata: z.object({ uid: z.string() }), status: z.unknown() });
const listSchema = z.object({ items: z.array(z.unknown()) });

let namespace: string;
let uid: string;

beforeAll(async () => {
  namespace = await cluster.createNamespace("echo");
});

afterAll(() => cluster.leaveNamespace(namespace));

async function podsOfEcho(): Promise<unknown[]> {
  const query = { labelSelector: `app=echo,owner=${uid}` };
  return listSchema.parse(await api.get(`/api/v1/namespaces/${namespace}/pods`, { query })).items;
}

describe("an Echo", () => {
  it("becomes the pods of examples/samples/echo.yaml, and its status says so", async () => {
    await kube(["apply", "-n", namespace, "-f", "examples/samples/echo.yaml"]);
    await cluster.untilCondition(namespace, "echo", "Ready", "True/PodsReady", "", kind);
    const { metadata, status } = echoSchema.parse(await api.get(cluster.pathOf(kind, namespace, "echo")));
    ({ uid } = metadata);
    expect(status).toMatchObject({ current_replicas: 3, is_ready: true, selector: `app=echo,owner=${uid}` });
    // Only a change of the spec increases the generation. The detection of edited images relies on that.
    const pod = { metadata: { generation: 1 }, spec: { containers: [{ name: "nginx", image: "nginx:1.27" }] } };
    expect(await podsOfEcho()).toMatchObject([pod, pod, pod]);
    const managers = await kube([
      ...["get", "echo", "echo", "-n", namespace, "--show-managed-fields"],
      ...["-o", "jsonpath={.metadata.managedFields[?(@.subresource=='status')].manager}"],
    ]);
    expect(managers).toBe("echo-operator");
    expect(await kube(["get", "echoes", "-n", namespace])).toMatch(/NAME\s+REPLICAS\s+CURRENT\s+IMAGE\s+READY\s+AGE/);
  });

  it("takes its pods with it, and leaves those of others", async () => {
    await kube(["run", "echo-other", "-n", namespace, "--image=nginx", "--labels=app=echo"]);
    await cluster.remove(namespace, kind, "echo");
    await until("its pods are gone", async () => (await podsOfEcho()).length === 0);
    expect((await kubectl(["get", "pod", "echo-other", "-n", namespace])).code).toBe(0);
  });
});
