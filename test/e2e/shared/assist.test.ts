import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { noteIn } from "../../../capabilities/mlscaler/target/note";
import { projectRoot } from "../../../sandbox/paths";
import type { Answer } from "../../run";
import { run } from "../../unit/cli/built";
import * as cluster from "../cluster";

const { api, kube, until } = cluster;

const hpa: cluster.Kind = { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler" };

let namespace: string;
let folder: string;
let loads: cluster.Load[] = [];

beforeAll(async () => {
  namespace = await cluster.createNamespace("assist");
  folder = mkdtempSync(join(tmpdir(), "assist-"));
});

afterAll(async () => {
  await Promise.all(loads.map(load => load.stop()));
  loads = [];
  rmSync(folder, { recursive: true });
  await cluster.leaveNamespace(namespace);
});

/** A Deployment at one replica with a load in cores, and an HPA on it that wants one replica for up to 2 cores. */
async function deploy(name: string, cores: number): Promise<void> {
  await cluster.createDeployment(namespace, name, 1);
  loads.push(new cluster.Load(namespace, name, cores));
  await cluster.apply(namespace, hpaOn(name));
}

const hpaOn = (name: string, minReplicas = 1): cluster.Manifest & { spec: object } => ({
  ...hpa,
  metadata: { name },
  spec: {
    ...{ scaleTargetRef: { ...cluster.deployment, name }, minReplicas, maxReplicas: 10 },
    metrics: [{ type: "Resource", resource: { name: "cpu", target: { type: "AverageValue", averageValue: "2" } } }],
  },
});

/** Ten replicas a core by a line over three samples: the forecast that is trusted soonest. */
const line = { metric: "cpu", history_size: 3, sync_period_seconds: 5, mode: "Assist" };

const hpaSchema = z.object({
  metadata: z.object({ annotations: z.record(z.string(), z.string()).default({}) }),
  spec: z.object({ minReplicas: z.number() }),
});

/** The minimum of an HPA, and the one that its user set where the MLScaler raised it. */
async function minimumOf(name: string): Promise<{ minimum: number; own?: number }> {
  const path = cluster.pathOf(hpa, namespace, name);
  const { metadata, spec } = hpaSchema.parse(await api.get(path));
  return { minimum: spec.minReplicas, own: noteIn(metadata.annotations)?.own };
}

/** Waits until an HPA has this own minimum under a raised one, or alone. */
const untilMinimum = (name: string, own: number, isRaised: boolean): Promise<true> =>
  until(
    `HPA ${name} has its minimum ${own}${isRaised ? ", and a raised one" : ""}`,
    async () => {
      const found = await minimumOf(name);
      return isRaised ? found.own === own && found.minimum >= 5 : found.own === undefined && found.minimum === own;
    },
    { seen: async () => JSON.stringify(await minimumOf(name)) },
  );

describe.concurrent("an HPA that an MLScaler assists", () => {
  it("scales its target to the raised minimum; the user's is kept, changed and put back", async () => {
    await deploy("web", 0.55);
    await cluster.applyScaler(namespace, "web", { target_deployment: "web", ...line });
    await untilMinimum("web", 1, true);
    await until("the HPA has scaled the target", async () => (await cluster.replicas(namespace, "web")) >= 5);
    await cluster.untilCondition(namespace, "web", "AbleToScale", "True/MinimumRaised");
    await cluster.untilEvent(namespace, "web", /Normal MinimumRaised minReplicas of HPA web 1 → \d+, target/);
    await cluster.untilEvent(
      namespace,
      "web",
      /MinimumRaised MLScaler web raised minReplicas from 1 to \d+ by its forec/,
    );
    expect((await cluster.events(namespace, "web")).join("\n")).not.toContain("MLScaler SuccessfulRescale");
    const row = (): Promise<string> => kube(["get", "mls", "web", "-n", namespace, "--no-headers"]);
    await until(
      "its line has the HPA and both minima",
      async () => /^web +hpa\/web \(Assist\) .* 1→\d+ +10 /.test(await row()),
      {
        seen: row,
      },
    );

    // The user's file is applied again, with another minimum, client-side and then server-side.
    await kube(["apply", "-n", namespace, "-f", "-"], JSON.stringify(hpaOn("web", 2)));
    await untilMinimum("web", 2, true);
    const onServer = ["apply", "-n", namespace, "--server-side", "-f", "-"];
    const refused = await cluster.kubectl(onServer, JSON.stringify(hpaOn("web", 3)));
    expect(refused.stderr).toContain('conflict with "mlscaler" using autoscaling/v2: .spec.minReplicas');
    await kube([...onServer, "--force-conflicts"], JSON.stringify(hpaOn("web", 3)));
    await untilMinimum("web", 3, true);

    await cluster.patchScaler(namespace, "web", { pause: "All" });
    await untilMinimum("web", 3, false);
    await cluster.patchScaler(namespace, "web", { pause: "None" });
    await untilMinimum("web", 3, true);
    await cluster.patchScaler(namespace, "web", { mode: "Observe", max_replicas: 10 });
    await untilMinimum("web", 3, false);
    await cluster.patchScaler(namespace, "web", { mode: "Assist" });
    await untilMinimum("web", 3, true);
    await cluster.remove(namespace, cluster.mlscaler, "web");
    expect(await minimumOf("web")).toEqual({ minimum: 3 });
    // Nobody owns it any more.
    await kube(onServer, JSON.stringify(hpaOn("web", 4)));
  });

  it("gives the MLScaler its metrics and bounds, and is waited for, with a warning", async () => {
    const manifest = cluster.scalerManifest("bare", { target_deployment: "bare", mode: "Assist" });
    await cluster.createDeployment(namespace, "bare", 1);
    await cluster.untilTold(
      namespace,
      JSON.stringify(manifest),
      /Warning: .*no HPA or ScaledObject scales Deployment bare/,
    );
    await cluster.apply(namespace, manifest);
    await cluster.untilCondition(namespace, "bare", "AbleToScale", "False/NoAutoscaler");
    await cluster.apply(namespace, hpaOn("bare"));
    await cluster.untilCondition(namespace, "bare", "AbleToScale", "True/MinimumKept");
    const { status } = await cluster.scaler(namespace, "bare");
    expect(status).toMatchObject({ min_replicas: "1", max_replicas: 10, metrics: [{ name: "cpu", target: "2" }] });
  });

  it("gives way to an MLScaler by mlscaler take-over, without a lower count, and comes back", async () => {
    await deploy("taken", 0.55);
    await cluster.applyScaler(namespace, "taken", { target_deployment: "taken", ...line });
    await untilMinimum("taken", 1, true);
    await until("the HPA has scaled the target", async () => (await cluster.replicas(namespace, "taken")) >= 5);
    const before = await cluster.replicas(namespace, "taken");
    const file = join(folder, "taken.yaml");
    const takeOver = (...options: string[]): Promise<Answer> =>
      run(
        join(projectRoot, "dist/cli/mlscaler.js"),
        ["take-over", "taken", "-n", namespace, "--yes", "-f", file, ...options],
        {
          cwd: folder,
        },
      );

    expect(await takeOver()).toMatchObject({
      ...{ code: 0, stdout: expect.stringContaining("MLScaler taken scales Deployment taken") as string },
    });
    const { spec, status } = await cluster.scaler(namespace, "taken");
    expect(spec).toMatchObject({ mode: "Active", take_over: true, max_replicas: 10 });
    expect(status.target).toBe("Deployment/taken");
    expect(await cluster.replicas(namespace, "taken")).toBeGreaterThanOrEqual(before);

    expect(await takeOver("--back")).toMatchObject({
      ...{ code: 0, stdout: expect.stringContaining("MLScaler taken assists it") as string },
    });
    await untilMinimum("taken", 1, true);
    expect((await cluster.scaler(namespace, "taken")).spec).toMatchObject({ mode: "Assist" });
    expect(await cluster.replicas(namespace, "taken")).toBeGreaterThanOrEqual(before);
  });
});
