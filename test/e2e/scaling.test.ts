import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Status } from "../../capabilities/mlscaler/schema";
import { placeMilliseconds } from "../../capabilities/operator/place";
import { slotLeadMilliseconds } from "../../capabilities/mlscaler/memory/memory";
import * as cluster from "./cluster";
import { MetricsAdapter } from "./metrics-adapter";

const { kube, shortForm, until } = cluster;

/** A metric that the tests set exactly and at once. metrics-server has a sample only every 10 s. */
const metric = "busy";

let namespace: string;
let adapter: MetricsAdapter;
let cpu: cluster.Load;
/** The total of the metric over the pods of a Deployment, by its name. */
const totals = new Map<string, number>();

/** The metric of a pod: an equal share of its Deployment's total. */
function shareOf(pod: string, pods: string[]): string | undefined {
  const total = [...totals].find(([name]) => pod.startsWith(`${name}-`))?.[1];
  return total === undefined ? undefined : `${Math.round((total / pods.length) * 1e9)}n`;
}

const condition = (name: string, type: string): Promise<string | undefined> => cluster.condition(namespace, name, type);

const message = async (name: string, type: string): Promise<string> =>
  (await cluster.scaler(namespace, name)).status.conditions?.find(entry => entry.type === type)?.message ?? "";

const untilCondition = (name: string, type: string, wanted: string, seconds = 60): Promise<true> =>
  until(`${name}: ${type} ${wanted}`, async () => (await condition(name, type)) === wanted || undefined, {
    seconds,
    seen: async () => JSON.stringify((await cluster.scaler(namespace, name)).status),
  });

/** Waits until the controller has observed the latest spec. */
const untilObserved = (name: string): Promise<true> =>
  until(
    `${name}: its newest generation is observed`,
    async () => {
      const { status, metadata } = await cluster.scaler(namespace, name);
      return status.observedGeneration === metadata.generation || undefined;
    },
    { seconds: 20 },
  );

beforeAll(async () => {
  namespace = await cluster.createNamespace("scaling");
  adapter = await MetricsAdapter.start();
  adapter.setPods(namespace, metric, shareOf);
});

afterAll(async () => {
  await cpu?.stop();
  await adapter.stop();
  await kube(["delete", "namespace", namespace, "--timeout=180s"]);
});

describe.concurrent("independent of each other", () => {
  describe("a Deployment under an MLScaler", () => {
    it("follows its load, and is held to its bounds, from its first sync to its end", async () => {
      await cluster.createDeployment(namespace, "web", 1);
      totals.set("web", 0.55);
      await cluster.applyScaler(namespace, "web", { target_deployment: "web", ...shortForm, metric });
      await kube(["wait", "--for=condition=Ready", "mls/web", "-n", namespace, "--timeout=180s"]);
      await cluster.untilReplicas(namespace, "web", 6);
      await untilCondition("web", "ForecastReady", "True/Fitted");
      // The module writes the scale before the status.
      const { status, metadata } = await until("its status has the 6 replicas", async () => {
        const found = await cluster.scaler(namespace, "web");
        return found.status.decision?.final === 6 && found;
      });
      expect(status.observedGeneration).toBe(metadata.generation);
      expect(metadata.finalizers).toEqual(["mlscaler.example.com/finalizer"]);
      expect(status.last_scale_time).toBeDefined();
      expect(status.forecast).toMatchObject({ model: "linear", samples: 3, horizon_seconds: 5 });
      await untilCondition("web", "AbleToScale", "True/ReadyForNewScale");
      expect(await condition("web", "ScalingActive")).toBe("True/ValidMetricFound");
      expect(await condition("web", "ScalingLimited")).toBe("False/DesiredWithinRange");
      expect(await condition("web", "Scaled")).toMatch(/^True\/(LoadBased|PredictionBased)$/);
      await cluster.untilEvent(namespace, "web", /Normal SuccessfulRescale \d → \d.* 10 replicas per busy/);

      const table = await kube(["get", "mls", "web", "-n", namespace]);
      expect(table).toMatch(/NAME +TARGET +LOAD +FORECAST +MIN +MAX +CURRENT +DESIRED +MODEL +TRUST +READY +AGE/);
      expect(table).toMatch(/web +Deployment\/web +0\.\d+ +0\.\d+ +1 +20 +\d +6 +linear +Fitted +True/);
      expect(await kube(["get", "mls", "web", "-n", namespace, "-o", "wide"])).toMatch(/MODE +HORIZON/);

      // The load goes, but the replicas stay, because the highest recommendation of the last 300 s counts.
      totals.set("web", 0.15);
      await untilCondition("web", "AbleToScale", "True/ScaleDownStabilized");
      expect(await cluster.replicas(namespace, "web")).toBeGreaterThanOrEqual(6);

      // Scaled to 0, it stays there. The next periodic sync is minutes away, so the following changes are due to
      // events.
      const patch = (spec: object): Promise<string> => cluster.patchScaler(namespace, "web", spec);
      await kube(["scale", "deploy/web", "-n", namespace, "--replicas=0"]);
      await patch({ sync_period_seconds: 3600 });
      await untilCondition("web", "ScalingActive", "False/ScalingDisabled");
      await untilObserved("web");
      expect(await cluster.replicas(namespace, "web")).toBe(0);
      // The spec changed.
      await patch({ max_replicas: 5 });
      await untilObserved("web");
      expect(await cluster.replicas(namespace, "web")).toBe(0);
      // Edited by hand.
      await kube(["scale", "deploy/web", "-n", namespace, "--replicas=30"]);
      await cluster.untilReplicas(namespace, "web", 5, 20);
      const outside = "30 → 5: outside min_replicas 1 to max_replicas 5";
      await cluster.untilEvent(namespace, "web", outside);

      // Deleted: the target goes to its minimum.
      await patch({ min_replicas: 2 });
      await kube(["delete", "mls", "web", "-n", namespace, "--timeout=180s"]);
      expect(await cluster.replicas(namespace, "web")).toBe(2);
    });
  });

  describe("the forecast", () => {
    it("makes 0.60 and 6 replicas of 0.1 0.2 0.3 0.4 0.5", async () => {
      const name = "history";
      const period = 15;
      // The count for the last load. The stabilization of 300 s holds it, so the line cannot change it earlier.
      await cluster.createDeployment(namespace, name, 5);
      // The load rises from one slot of the MLScaler to the next, five times. A sync in between, after an event,
      // changes nothing.
      const place = placeMilliseconds(`${namespace}/${name}`, period) - slotLeadMilliseconds;
      const slot = (): number => Math.floor((Date.now() - place) / (1000 * period));
      let first: number | undefined;
      adapter.setPods(namespace, "rising", (_, pods) => {
        first ??= slot();
        return `${Math.round((0.1 * Math.min(5, slot() - first + 1) * 1e9) / pods.length)}n`;
      });
      await cluster.applyScaler(namespace, name, {
        ...shortForm,
        target_deployment: name,
        max_replicas: 10,
        metric: "rising",
        history_size: 5,
        sync_period_seconds: period,
      });
      const learning = async (): Promise<boolean> =>
        /^Learning [1-4] of 5 samples$/.test(await message(name, "ForecastReady"));
      await until("it learns", learning);
      expect(await condition(name, "Ready")).toBe("True/Synced");
      let status: Status = {};
      const fitted = async (): Promise<boolean> => {
        status = (await cluster.scaler(namespace, name)).status;
        return status.forecast?.samples === 5;
      };
      const seen = (): Promise<string> => Promise.resolve(JSON.stringify(status));
      await until("its status has the forecast", fitted, { seconds: 180, seen });
      expect(status).toMatchObject({ predicted_replicas: 6, forecast: { model: "linear", samples: 5 } });
      expect(Number(status.forecast?.load)).toBeCloseTo(0.6, 9);
      expect(status.conditions).toContainEqual(
        expect.objectContaining({ type: "Scaled", reason: "PredictionBased", message: "Predicted load: 0.60" }),
      );
      expect(await cluster.replicas(namespace, name)).toBe(6);
      await cluster.untilEvent(
        namespace,
        name,
        "5 → 6: forecast 0.60 rising in 15 s (linear over 5 samples), 10 replicas per rising",
      );
    }, 330_000);
  });

  describe("what is not there", () => {
    it("is a condition and a retry: the Deployment", async () => {
      await cluster.applyScaler(namespace, "early", { target_deployment: "late", ...shortForm });
      await untilCondition("early", "AbleToScale", "False/FailedGetScale");
      expect(await condition("early", "Ready")).toBe("False/FailedGetScale");
      await cluster.untilEvent(namespace, "early", /Warning FailedGetScale Deployment late is not in namespace/);
      await cluster.createDeployment(namespace, "late", 3);
      await untilCondition("early", "Ready", "True/Synced", 90);
      await kube(["delete", "mls", "early", "-n", namespace, "--timeout=180s"]);
      // The MLScaler has never scaled it, so it does not change it.
      expect(await cluster.replicas(namespace, "late")).toBe(3);
    });
  });

  describe("mode, pause and on_delete", () => {
    it("Observe reports and never writes", async () => {
      await cluster.createDeployment(namespace, "watched", 1);
      // metrics-server has slight errors: the load gives 6 replicas, or more when the line rises.
      cpu = new cluster.Load(namespace, "watched", 0.55);
      await cpu.settled();
      await cluster.applyScaler(namespace, "watched", { target_deployment: "watched", ...shortForm, mode: "Observe" });
      await until(
        "more replicas are asked for",
        async () => ((await cluster.scaler(namespace, "watched")).status.predicted_replicas ?? 0) > 1,
        {
          seconds: 90,
        },
      );
      expect(await cluster.replicas(namespace, "watched")).toBe(1);
      await cluster.patchScaler(namespace, "watched", { mode: "Active", pause: "Up" });
      await untilCondition("watched", "ScalingActive", "False/Paused");
      expect(await cluster.replicas(namespace, "watched")).toBe(1);
      await cluster.patchScaler(namespace, "watched", { pause: "None" });
      const count = (): Promise<number> => cluster.replicas(namespace, "watched");
      await until("it has what its load asks for", async () => (await count()) >= 6);
      await cluster.patchScaler(namespace, "watched", { on_delete: "Keep" });
      await kube(["delete", "mls", "watched", "-n", namespace, "--timeout=180s"]);
      expect(await count()).toBeGreaterThanOrEqual(6);
    });
  });

  describe("a namespace that is deleted", () => {
    it("is not held up by finalizers", async () => {
      const doomed = await cluster.createNamespace("doomed");
      await cluster.createDeployment(doomed, "web", 1);
      await cluster.applyScaler(doomed, "web", { target_deployment: "web", ...shortForm, min_replicas: 3 });
      await cluster.untilReplicas(doomed, "web", 3);
      await kube(["delete", "namespace", doomed, "--timeout=180s"]);
    });
  });
});

describe("two MLScalers on one target, past admission", () => {
  it("the older acts, the other stands back, and takes over when the older goes", async () => {
    await cluster.createDeployment(namespace, "contested", 2);
    const spec = { target_deployment: "contested", ...shortForm };
    await cluster.applyScaler(namespace, "older", { ...spec, min_replicas: 3 });
    await cluster.untilReplicas(namespace, "contested", 3);
    await cluster.withoutWebhook(async () => {
      const created = await kube([
        "get",
        "mls",
        "older",
        "-n",
        namespace,
        "-o",
        "jsonpath={.metadata.creationTimestamp}",
      ]);
      await until("creationTimestamps differ", () => Promise.resolve(Date.now() - Date.parse(created) > 1500));
      await cluster.applyScaler(namespace, "younger", { ...spec, min_replicas: 7 });
    });
    await untilCondition("younger", "AbleToScale", "False/AmbiguousTarget");
    await cluster.untilEvent(namespace, "younger", `already scaled by MLScaler ${namespace}/older`);
    expect(await cluster.replicas(namespace, "contested")).toBe(3);
    await kube(["delete", "mls", "older", "-n", namespace, "--timeout=180s"]);
    await cluster.untilReplicas(namespace, "contested", 7, 15);
    await kube(["delete", "mls", "younger", "-n", namespace, "--timeout=180s"]);
  });
});
