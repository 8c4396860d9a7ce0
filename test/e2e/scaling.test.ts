import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { startComponent, stopComponent } from "../../sandbox/api";
import { placeMilliseconds } from "../../capabilities/common/scheduler";
import * as cluster from "./cluster";
import { sandbox } from "./setup";

const { kube, kubectl, shortForm, until } = cluster;

let namespace: string;
const loads: cluster.Load[] = [];

/** Puts a load on a Deployment, which ends with the test. */
function load(name: string, cores: number): cluster.Load {
  const made = new cluster.Load(namespace, name, cores);
  loads.push(made);
  return made;
}

const condition = (name: string, type: string): Promise<string | undefined> => cluster.condition(namespace, name, type);

const untilCondition = (name: string, type: string, wanted: string, seconds = 60): Promise<true> =>
  until(`${name}: ${type} ${wanted}`, async () => (await condition(name, type)) === wanted || undefined, {
    seconds,
    seen: async () => JSON.stringify((await cluster.scaler(namespace, name)).status),
  });

beforeAll(async () => {
  namespace = await cluster.createNamespace("scaling");
});

afterEach(async () => {
  await Promise.all(loads.splice(0).map(made => made.stop()));
});

afterAll(async () => {
  await kube(["delete", "namespace", namespace, "--timeout=60s"]);
});

describe("a Deployment under an MLScaler", () => {
  it("follows its load up and down, and says why", async () => {
    await cluster.createDeployment(namespace, "web", 1);
    await cluster.applyScaler(namespace, "web", { target_deployment: "web", ...shortForm });
    const traffic = load("web", 0.55);
    await kube(["wait", "--for=condition=Ready", "mls/web", "-n", namespace, "--timeout=90s"]);
    await cluster.untilReplicas(namespace, "web", 6);
    await untilCondition("web", "ForecastReady", "True/Fitted");

    const { status, metadata } = await cluster.scaler(namespace, "web");
    expect(status.observedGeneration).toBe(metadata.generation);
    expect(metadata.finalizers).toEqual(["mlscaler.example.com/finalizer"]);
    expect(status.last_scale_time).toBeDefined();
    expect(status.decision?.final).toBe(6);
    expect(status.forecast).toMatchObject({ model: "linear", samples: 3, horizon_seconds: 5 });
    await untilCondition("web", "AbleToScale", "True/ReadyForNewScale");
    expect(await condition("web", "ScalingActive")).toBe("True/ValidMetricFound");
    expect(await condition("web", "ScalingLimited")).toBe("False/DesiredWithinRange");
    expect(await condition("web", "Scaled")).toMatch(/^True\/(LoadBased|PredictionBased)$/);
    expect((await cluster.events(namespace, "web")).join("\n")).toMatch(
      /Normal SuccessfulRescale \d → \d.* 10 replicas per core/,
    );

    const table = await kube(["get", "mls", "web", "-n", namespace]);
    expect(table).toMatch(/NAME +TARGET +LOAD +FORECAST +MIN +MAX +REPLICAS +MODEL +READY +AGE/);
    expect(table).toMatch(/web +web +0\.\d+ +0\.\d+ +1 +20 +6 +linear +True/);
    expect(await kube(["get", "mls", "web", "-n", namespace, "-o", "wide"])).toMatch(/MODE +HORIZON/);

    // The load goes, the replicas stay: the highest recommendation of the last 300 s counts.
    traffic.cores = 0.15;
    await untilCondition("web", "AbleToScale", "True/ScaleDownStabilized");
    expect(await cluster.replicas(namespace, "web")).toBeGreaterThanOrEqual(6);
  });

  it("is answered at once when it is edited by hand, and when the spec changes", async () => {
    await kube(["scale", "deploy/web", "-n", namespace, "--replicas=30"]);
    await cluster.untilReplicas(namespace, "web", 20, 4);
    await until(
      "TooManyReplicas or stabilised",
      async () => (await cluster.scaler(namespace, "web")).status.current_replicas !== 30,
    );
    await kube([
      "patch",
      "mls",
      "web",
      "-n",
      namespace,
      "--type",
      "merge",
      "-p",
      '{"spec":{"sync_period_seconds":300}}',
    ]);
    await until("the new generation is observed", async () => {
      const { status, metadata } = await cluster.scaler(namespace, "web");
      return status.observedGeneration === metadata.generation;
    });
    await kube(["patch", "mls", "web", "-n", namespace, "--type", "merge", "-p", '{"spec":{"max_replicas":15}}']);
    await cluster.untilReplicas(namespace, "web", 15, 4);
    expect((await cluster.events(namespace, "web")).join("\n")).toContain(
      "20 → 15: outside min_replicas 1 to max_replicas 15",
    );
  });

  it("stays at 0 when it was scaled to 0", async () => {
    await kube(["scale", "deploy/web", "-n", namespace, "--replicas=0"]);
    await untilCondition("web", "ScalingActive", "False/ScalingDisabled");
    expect(await cluster.replicas(namespace, "web")).toBe(0);
    await kube(["scale", "deploy/web", "-n", namespace, "--replicas=2"]);
    await until(
      "scaling is on again",
      async () => (await condition("web", "ScalingActive")) !== "False/ScalingDisabled",
    );
  });

  it("goes to its minimum when the MLScaler is deleted", async () => {
    await kube(["patch", "mls", "web", "-n", namespace, "--type", "merge", "-p", '{"spec":{"min_replicas":2}}']);
    await kube(["scale", "deploy/web", "-n", namespace, "--replicas=5"]);
    await kube(["delete", "mls", "web", "-n", namespace, "--timeout=30s"]);
    expect(await cluster.replicas(namespace, "web")).toBe(2);
  });
});

describe("the forecast", () => {
  it("makes 0.60 and 6 replicas of 0.1 0.2 0.3 0.4 0.5", async () => {
    const name = "history";
    const period = 40;
    await cluster.createDeployment(namespace, name, 1);
    const traffic = load(name, 0.1);
    const spec = {
      ...shortForm,
      target_deployment: name,
      min_replicas: 1,
      history_size: 5,
      sync_period_seconds: period,
    };
    await cluster.applyScaler(namespace, name, spec);
    // Each level is held for one slot: set as the slot begins, settled (two scrapes of 10 s) when its last sample is taken.
    const step = period * 1000;
    const origin = placeMilliseconds(`${namespace}/${name}`, period) - step / 4;
    const slot = (): number => Math.floor((Date.now() - origin) / step);
    await until("metrics", async () => (await condition(name, "Ready")) === "True/Synced");
    const first = slot() + 1;
    const learned: string[] = [];
    for (const [index, cores] of [0.1, 0.2, 0.3, 0.4, 0.5].entries()) {
      traffic.cores = cores;
      await until(`slot ${index}`, () => Promise.resolve(slot() > first + index), { seconds: 2 * period });
      const message = (await cluster.scaler(namespace, name)).status.conditions?.find(
        ({ type }) => type === "ForecastReady",
      )?.message;
      learned.push(message ?? "");
    }
    expect(learned[1]).toMatch(/^Learning [23] of 5 samples$/);
    expect(learned[2]).toMatch(/^Learning [34] of 5 samples$/);
    await cluster.untilReplicas(namespace, name, 6, period);
    const { status } = await cluster.scaler(namespace, name);
    expect(status.decision?.reason ?? (await cluster.events(namespace, name)).join()).toMatch(
      /forecast 0\.60 cores|6:/,
    );
    expect((await cluster.events(namespace, name)).join("\n")).toContain("→ 6: forecast 0.6");
    expect(await condition(name, "Scaled")).toBe("True/PredictionBased");
  }, 330_000);
});

describe("what is not there", () => {
  it("is a condition and a retry: the Deployment", async () => {
    await cluster.applyScaler(namespace, "early", { target_deployment: "late", ...shortForm });
    await untilCondition("early", "AbleToScale", "False/FailedGetScale");
    expect(await condition("early", "Ready")).toBe("False/FailedGetScale");
    expect((await cluster.events(namespace, "early")).join("\n")).toMatch(
      /Warning FailedGetScale Deployment late is not in namespace/,
    );
    await cluster.createDeployment(namespace, "late", 3);
    await untilCondition("early", "Ready", "True/Synced", 90);
    await kube(["delete", "mls", "early", "-n", namespace, "--timeout=30s"]);
    // It never scaled it, so it leaves it alone.
    expect(await cluster.replicas(namespace, "late")).toBe(3);
  });

  it("is a condition and never a scale-down: metrics", async () => {
    await cluster.createDeployment(namespace, "blind", 4);
    load("blind", 0.35);
    await cluster.applyScaler(namespace, "blind", { target_deployment: "blind", ...shortForm });
    await untilCondition("blind", "Ready", "True/Synced", 90);
    await stopComponent("metrics-server", sandbox);
    try {
      await untilCondition("blind", "ScalingActive", "False/FailedGetResourceMetric", 90);
      expect(await condition("blind", "Ready")).toBe("False/FailedGetResourceMetric");
      expect(await cluster.replicas(namespace, "blind")).toBe(4);
      expect((await cluster.events(namespace, "blind")).join("\n")).toContain("Warning FailedGetResourceMetric");
      // Bounds need no metrics.
      await kube(["scale", "deploy/blind", "-n", namespace, "--replicas=25"]);
      await cluster.untilReplicas(namespace, "blind", 20, 15);
    } finally {
      await startComponent("metrics-server", sandbox);
    }
    await untilCondition("blind", "Ready", "True/Synced", 120);
    expect(await cluster.replicas(namespace, "blind")).toBeGreaterThanOrEqual(4);
    await kube(["delete", "mls", "blind", "-n", namespace, "--timeout=30s"]);
  });
});

describe("mode, pause and on_delete", () => {
  it("Observe reports and never writes", async () => {
    await cluster.createDeployment(namespace, "watched", 1);
    load("watched", 0.55);
    await cluster.applyScaler(namespace, "watched", { target_deployment: "watched", ...shortForm, mode: "Observe" });
    await until(
      "6 replicas are asked for",
      async () =>
        (await cluster.scaler(namespace, "watched")).status.predicted_replicas === 4 ||
        (await cluster.scaler(namespace, "watched")).status.predicted_replicas === 6,
      { seconds: 90 },
    );
    expect(await cluster.replicas(namespace, "watched")).toBe(1);
    await kube([
      "patch",
      "mls",
      "watched",
      "-n",
      namespace,
      "--type",
      "merge",
      "-p",
      '{"spec":{"mode":"Active","pause":"Up"}}',
    ]);
    await untilCondition("watched", "ScalingActive", "False/Paused");
    expect(await cluster.replicas(namespace, "watched")).toBe(1);
    await kube(["patch", "mls", "watched", "-n", namespace, "--type", "merge", "-p", '{"spec":{"pause":"None"}}']);
    await cluster.untilReplicas(namespace, "watched", 6);
    await kube(["patch", "mls", "watched", "-n", namespace, "--type", "merge", "-p", '{"spec":{"on_delete":"Keep"}}']);
    await kube(["delete", "mls", "watched", "-n", namespace, "--timeout=30s"]);
    expect(await cluster.replicas(namespace, "watched")).toBe(6);
  });
});

describe("two MLScalers on one target, past admission", () => {
  it("the older acts, the other stands back, and takes over when the older goes", async () => {
    const webhook = await kube(["get", "validatingwebhookconfiguration", "pepr-mlscaler", "-o", "json"]);
    await cluster.createDeployment(namespace, "contested", 2);
    const spec = { target_deployment: "contested", ...shortForm };
    await cluster.applyScaler(namespace, "older", { ...spec, min_replicas: 3 });
    await cluster.untilReplicas(namespace, "contested", 3);
    await kube(["delete", "validatingwebhookconfiguration", "pepr-mlscaler"]);
    try {
      await until("creationTimestamps differ", async () => {
        const { stdout } = await kubectl([
          "get",
          "mls",
          "older",
          "-n",
          namespace,
          "-o",
          "jsonpath={.metadata.creationTimestamp}",
        ]);
        return Date.now() - Date.parse(stdout) > 1500;
      });
      await cluster.applyScaler(namespace, "younger", { ...spec, min_replicas: 7 });
    } finally {
      const { metadata, ...rest } = JSON.parse(webhook) as { metadata: { name: string } };
      await kube(["apply", "-f", "-"], JSON.stringify({ ...rest, metadata: { name: metadata.name } }));
    }
    await untilCondition("younger", "AbleToScale", "False/AmbiguousTarget");
    expect((await cluster.events(namespace, "younger")).join("\n")).toContain(
      `already scaled by MLScaler ${namespace}/older`,
    );
    expect(await cluster.replicas(namespace, "contested")).toBe(3);
    await kube(["delete", "mls", "older", "-n", namespace, "--timeout=30s"]);
    await cluster.untilReplicas(namespace, "contested", 7, 15);
    await kube(["delete", "mls", "younger", "-n", namespace, "--timeout=30s"]);
  });
});

describe("a namespace that is deleted", () => {
  it("is not held up by finalizers", async () => {
    const doomed = await cluster.createNamespace("doomed");
    await cluster.createDeployment(doomed, "web", 1);
    await cluster.applyScaler(doomed, "web", { target_deployment: "web", ...shortForm, min_replicas: 3 });
    await cluster.untilReplicas(doomed, "web", 3);
    await kube(["delete", "namespace", doomed, "--timeout=60s"]);
  });
});
