import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import * as cluster from "../cluster";
import { runningPods, system, theWatcher, untilAnotherActs, watcherDeployment as watcher } from "../module";

const { api, kube, shortForm, until } = cluster;

const windowSeconds = 120;

const spec = {
  target_deployment: "web",
  ...shortForm,
  // A forecast of a rise could exceed the load and be held.
  forecast: { model: "off" },
  behavior: { scaleDown: { stabilizationWindowSeconds: windowSeconds } },
};

const stateSchema = z.object({
  recommendations: z.array(z.object({ at: z.number(), replicas: z.number() })),
  replicas: z.number(),
});

const configMapSchema = z.object({
  metadata: z.object({ labels: z.record(z.string(), z.string()), annotations: z.record(z.string(), z.string()) }),
  data: z.object({ state: z.string() }),
});

const markedSchema = z.object({ metadata: z.object({ annotations: z.record(z.string(), z.string()) }) });

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

const state = async (): Promise<z.infer<typeof stateSchema>> =>
  stateSchema.parse(JSON.parse((await stored()).data.state));

/** The time since which a ConfigMap belongs to no MLScaler; undefined when it is not marked. */
const unownedSince = async (name: string): Promise<string | undefined> =>
  markedSchema.parse(await api.get(`/api/v1/namespaces/${system}/configmaps/${name}`)).metadata.annotations[
    "mlscaler.example.com/unowned-since"
  ];

const exists = async (name: string): Promise<boolean> =>
  (await api.find(`/api/v1/namespaces/${system}/configmaps/${name}`)) !== undefined;

/**
 * Waits until the stored state has had no higher recommendation for a minute. The regular write every ten minutes may
 * come earlier, with the previous state.
 */
const untilStored = (replicas: number): Promise<true> =>
  until(
    `${replicas} replicas are stored as recommended`,
    async () => {
      const { recommendations } = await state();
      const newest = recommendations.at(-1);
      const minute = recommendations.filter(({ at }) => newest && at > newest.at - 60_000);
      return newest?.replicas === replicas && Math.max(...minute.map(one => one.replicas)) === replicas;
    },
    { seconds: 100, seen: async () => (await stored()).data.state },
  );

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
});

afterAll(async () => {
  await traffic.stop();
  await kube(["delete", "namespace", namespace, "--timeout=180s"]);
});

describe("what is remembered", () => {
  it("is in a ConfigMap of the module's namespace, which says whose it is", async () => {
    await until("it is stored", async () => (await state()).replicas === 6);
    expect((await stored()).metadata).toEqual({
      labels: {
        "app.kubernetes.io/managed-by": "mlscaler",
        "mlscaler.example.com/uid": configMap.replace("mlscaler-state-", ""),
        "mlscaler.example.com/heir": expect.stringMatching(/^[0-9a-f]{32}$/) as string,
      },
      annotations: {
        "mlscaler.example.com/namespace": namespace,
        "mlscaler.example.com/name": "web",
        "mlscaler.example.com/target": "Deployment.apps/web",
      },
    });
  });

  it("outlives the watcher: the window of a high recommendation goes on, and no new one begins", async () => {
    await untilStored(6);
    const before = await theWatcher();
    const lowered = Date.now();
    traffic.cores = 0.15;
    await untilAsked(2);
    const asked = Date.now();
    // A decrease is stored after it has lasted a minute.
    await untilStored(2);
    expect(await cluster.replicas(namespace, "web")).toBe(6);
    await kube(["delete", "pod", before.name, "-n", system, "--wait=false"]);
    await untilAnotherActs(before.name);
    const acting = Date.now();
    await cluster.untilReplicas(namespace, "web", 2, windowSeconds);
    const fell = Date.now();
    // When scaling down, the highest recommendation of the window counts, from the last sync with the previous load.
    const seconds = (from: number): number => (fell - from) / 1000;
    expect(seconds(lowered)).toBeGreaterThanOrEqual(windowSeconds - shortForm.sync_period_seconds);
    expect(seconds(asked)).toBeLessThan(windowSeconds + 30);
    // HPA does not store the window and would have restarted it.
    expect(seconds(acting)).toBeLessThan(windowSeconds - 10);
  }, 300_000);

  it("waits for the right to read it: nothing is scaled down or overwritten until then", async () => {
    traffic.cores = 0.55;
    await cluster.untilReplicas(namespace, "web", 6);
    await untilStored(6);
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
  }, 300_000);

  it("may be garbage: that is told, nothing is scaled down, and a copy is kept; an orphan is swept", async () => {
    traffic.cores = 0.55;
    await cluster.untilReplicas(namespace, "web", 6);
    const orphan = "mlscaler-state-of-nobody";
    const before = await theWatcher();
    await kube(["scale", watcher, "-n", system, "--replicas=0"]);
    try {
      await until("no watcher runs", async () => (await runningPods("watcher")).length === 0);
      await kube([
        ...["patch", "configmap", configMap, "-n", system, "--type", "merge"],
        ...["-p", JSON.stringify({ data: { state: "garbage" } })],
      ]);
      const labels = { "app.kubernetes.io/managed-by": "mlscaler", "mlscaler.example.com/uid": "of-nobody" };
      // Another sweep, an hour later, removes it.
      const annotations = { "mlscaler.example.com/unowned-since": "2999-01-01T00:00:00Z" };
      const manifest = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: orphan, labels, annotations } };
      await kube(["apply", "-n", system, "-f", "-"], JSON.stringify(manifest));
      traffic.cores = 0.15;
      await traffic.settled();
    } finally {
      await kube(["scale", watcher, "-n", system, "--replicas=1"]);
    }
    await untilAnotherActs(before.name);
    await cluster.untilEvent(namespace, "web", /^Warning StateUnreadable /);
    await until("the count that holds is stored", async () => (await state()).replicas === 6);
    await untilAsked(2);
    expect(await cluster.replicas(namespace, "web")).toBe(6);
    await until("the orphan is marked", async () => Date.parse((await unownedSince(orphan)) ?? "") < Date.now(), {
      seconds: 100,
    });
    expect(await exists(`${configMap}-unreadable`)).toBe(true);
    expect(await exists(configMap)).toBe(true);
  });

  it("is deleted by hand: it is written anew", async () => {
    await kube(["delete", "configmap", configMap, "-n", system]);
    traffic.cores = 0.75;
    await until("it is scaled up, and that is stored", async () => (await state()).replicas >= 8);
  });

  it("stays for a day after its MLScaler, and is taken over by one in its place", async () => {
    await kube(["delete", "mls", "web", "-n", namespace, "--timeout=180s"]);
    expect(await unownedSince(configMap)).toBeDefined();
    await cluster.applyScaler(namespace, "web", spec);
    await until("it is taken over", async () => !(await exists(configMap)));
    const uid = await kube(["get", "mls", "web", "-n", namespace, "-o", "jsonpath={.metadata.uid}"]);
    expect(await exists(`mlscaler-state-${uid}`)).toBe(true);
  });
});
