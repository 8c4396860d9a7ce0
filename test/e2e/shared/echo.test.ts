import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import * as cluster from "../cluster";

const { api, kube, kubectl, until } = cluster;

const kind: cluster.Kind = { apiVersion: "my-operator.dev/v1", kind: "Echo" };

const echoSchema = z.object({
  metadata: z.object({ uid: z.string(), generation: z.number() }),
  status: z
    .object({
      observedGeneration: z.number().optional(),
      current_replicas: z.number().optional(),
      is_ready: z.boolean().optional(),
      selector: z.string().optional(),
      conditions: z.array(z.object({ type: z.string(), status: z.string(), reason: z.string() })).default([]),
    })
    .default({ conditions: [] }),
});

const podsSchema = z.object({
  items: z.array(
    z.object({
      metadata: z.object({
        name: z.string(),
        labels: z.record(z.string(), z.string()).default({}),
        deletionTimestamp: z.string().optional(),
        generation: z.number().optional(),
        ownerReferences: z.array(z.object({ uid: z.string(), controller: z.boolean().optional() })).default([]),
      }),
      spec: z.object({ containers: z.array(z.object({ name: z.string(), image: z.string() })) }),
      status: z.object({
        phase: z.string().optional(),
        conditions: z.array(z.object({ type: z.string(), status: z.string() })).default([]),
      }),
    }),
  ),
});

type Pod = z.infer<typeof podsSchema>["items"][number];

let namespace: string;

const echoOf = async (name: string): Promise<z.infer<typeof echoSchema>> =>
  echoSchema.parse(await api.get(cluster.pathOf(kind, namespace, name)));

/** The pods of an Echo, except terminating ones. */
async function podsOf(name: string): Promise<Pod[]> {
  const { uid } = (await echoOf(name)).metadata;
  const { items } = podsSchema.parse(await api.get(`/api/v1/namespaces/${namespace}/pods`));
  return items.filter(
    ({ metadata }) => !metadata.deletionTimestamp && metadata.ownerReferences.some(owner => owner.uid === uid),
  );
}

/** Waits until the status is ready for the current generation, with `replicas` pods. */
const untilReady = (name: string, replicas: number): Promise<true> =>
  until(
    `${name} is ready with ${replicas} pods`,
    async () => {
      const { metadata, status } = await echoOf(name);
      const done = status.is_ready === true && status.observedGeneration === metadata.generation;
      return done && status.current_replicas === replicas && (await podsOf(name)).length === replicas;
    },
    { seen: async () => JSON.stringify((await echoOf(name)).status) },
  );

beforeAll(async () => {
  namespace = await cluster.createNamespace("echo");
});

afterAll(() => cluster.leaveNamespace(namespace));

describe("an Echo", () => {
  it("becomes the pods of examples/samples/echo.yaml, and its status says so", async () => {
    await kube(["apply", "-n", namespace, "-f", "examples/samples/echo.yaml"]);
    await untilReady("echo", 3);
    const { metadata, status } = await echoOf("echo");
    for (const pod of await podsOf("echo")) {
      expect(pod.metadata.name).toMatch(/^echo-[a-z0-9]{5}$/);
      expect(pod.metadata.labels).toMatchObject({ app: "echo", owner: metadata.uid });
      expect(pod.metadata.ownerReferences).toEqual([{ uid: metadata.uid, controller: true }]);
      expect(pod.spec.containers).toEqual([{ name: "nginx", image: "nginx:1.27" }]);
      // Only a change of the spec increases the generation. The detection of edited images relies on that.
      expect(pod.metadata.generation).toBe(1);
    }
    expect(status.selector).toBe(`app=echo,owner=${metadata.uid}`);
    const managers = await kube([
      ...["get", "echo", "echo", "-n", namespace, "--show-managed-fields"],
      ...["-o", "jsonpath={.metadata.managedFields[?(@.subresource=='status')].manager}"],
    ]);
    expect(managers).toBe("echo-operator");
    expect(await kube(["get", "echoes", "-n", namespace])).toMatch(/NAME\s+REPLICAS\s+CURRENT\s+IMAGE\s+READY\s+AGE/);
  });

  it("takes its pods with it, and leaves those of others", async () => {
    await kube(["run", "echo-other", "-n", namespace, "--image=nginx", "--labels=app=echo"]);
    const { uid } = (await echoOf("echo")).metadata;
    await cluster.remove(namespace, kind, "echo");
    await until("its pods are gone", async () => {
      const { items } = podsSchema.parse(
        await api.get(`/api/v1/namespaces/${namespace}/pods`, { query: { labelSelector: `owner=${uid}` } }),
      );
      return items.length === 0;
    });
    expect((await kubectl(["get", "pod", "echo-other", "-n", namespace])).code).toBe(0);
  });
});
