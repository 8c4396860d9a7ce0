import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import * as cluster from "../cluster";
import { system, theWatcher, untilAnotherActs } from "../module";

const { api, kube, shortForm, until } = cluster;

const spec = {
  target_deployment: "web",
  ...shortForm,
  // A forecast of a rise could exceed the load and be held.
  forecast: { model: "off" },
};

const stateSchema = z.object({ replicas: z.number() });

const configMapSchema = z.object({
  data: z.object({ state: z.string() }),
});

/** A manifest as it can be created again. */
const withoutVersion = (manifest: string): string => {
  const { metadata, ...others } = z
    .looseObject({ metadata: z.looseObject({ name: z.string() }) })
    .parse(JSON.parse(manifest));
  return JSON.stringify({ ...others, metadata: { name: metadata.name } });
};

let namespace: string;
let traffic: cluster.Load;
let configMap: string;

const stored = async (): Promise<z.infer<typeof configMapSchema>> =>
  configMapSchema.parse(await api.get(`/api/v1/namespaces/${system}/configmaps/${configMap}`));

/** Waits until the current load needs a number of replicas. */
const untilAsked = (replicas: number): Promise<true> =>
  until(
    `the load asks for ${replicas} replicas`,
    async () => (await cluster.scaler(namespace, "web")).status.decision?.reactive === replicas,
  );

beforeAll(async () => {
  namespace = await cluster.createNamespace("restart");
  await cluster.createDeployment(namespace, "web", 1);
  traffic = new cluster.Load(namespace, "web", 0.55);
  await traffic.settled();
  await cluster.applyScaler(namespace, "web", spec);
  configMap = `mlscaler-state-${await kube(["get", "mls", "web", "-n", namespace, "-o", "jsonpath={.metadata.uid}"])}`;
  await cluster.untilReplicas(namespace, "web", 6);
  await until("it is stored", async () => stateSchema.parse(JSON.parse((await stored()).data.state)).replicas === 6);
});

afterAll(async () => {
  await traffic.stop();
  await kube(["delete", "namespace", namespace, "--timeout=15m"]);
});

describe("what is remembered", () => {
  it("is read by the next watcher, which until it may do so scales nothing down and overwrites nothing", async () => {
    const binding = await kube(["get", "rolebinding", "mlscaler-state", "-n", system, "-o", "json"]);
    const before = await theWatcher();
    await kube(["delete", "rolebinding", "mlscaler-state", "-n", system]);
    const { data } = await stored();
    try {
      await kube(["delete", "pod", before.name, "-n", system, "--wait=false"]);
      traffic.cores = 0.15;
      await traffic.settled();
      await untilAnotherActs(before.name);
      await until(
        "the condition says so",
        async () => (await cluster.condition(namespace, "web", "Ready")) === "False/StateUnreadable",
      );
      await untilAsked(2);
      expect(await cluster.replicas(namespace, "web")).toBe(6);
      expect((await stored()).data).toEqual(data);
    } finally {
      await kube(["apply", "-n", system, "-f", "-"], withoutVersion(binding));
    }
    await until("the state is read", async () =>
      (await cluster.condition(namespace, "web", "Ready"))?.startsWith("True/"),
    );
  });
});
