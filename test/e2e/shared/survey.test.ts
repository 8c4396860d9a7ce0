import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { projectRoot, sandboxPaths } from "../../../sandbox/paths";
import { prometheusUrl } from "../../../sandbox/prometheus";
import { madeUpLoad } from "../../made-up-loads";
import { createScaler, hpaManifest, record, RecordedWorkload, serveScaledObjects } from "../../recorded-workload";
import type { Answer } from "../../run";
import { run } from "../../unit/cli/built";
import * as cluster from "../cluster";
import { PrometheusLoad } from "../prometheus";
import { sandbox } from "../sandbox";

const days = 6;

let namespace: string;
let folder: string;
let prometheus: PrometheusLoad;
let survey: (...options: string[]) => Promise<Answer>;

interface Output {
  totals: { verdicts: Record<string, number> };
  workloads: {
    workload: string;
    scaler: string;
    verdict: string;
    load: Record<string, number>;
    average_replicas: { recorded: number };
  }[];
  faults: string[];
}

beforeAll(async () => {
  namespace = await cluster.createNamespace("survey");
  folder = mkdtempSync(join(tmpdir(), "survey-"));
  prometheus = await PrometheusLoad.start();
  const batch: RecordedWorkload = { namespace, name: "batch", scaler: "HPA", load: madeUpLoad("batch", days) };
  batch.node = { wait: 150, later: 20 };
  const noise: RecordedWorkload = { namespace, name: "noise", scaler: "HPA", load: madeUpLoad("noise", days) };
  // It waited for room on a node that there was.
  noise.node = { wait: 150, later: -20 };
  const shift = madeUpLoad("shift", days);
  const orders: RecordedWorkload = { namespace, name: "orders", scaler: "ScaledObject", load: shift };
  await serveScaledObjects(cluster.api);
  const now = Date.now();
  for (const workload of [batch, noise, orders]) {
    await record(prometheus, workload, now);
    await createScaler(cluster.api, workload);
  }
  // One with a metric that nobody knows the load of.
  const queue = { type: "External", external: { metric: { name: "queue" }, target: { type: "Value", value: "1" } } };
  const { spec, ...rest } = hpaManifest(batch) as { spec: object };
  const unknown = { ...rest, metadata: { name: "queue" }, spec: { ...spec, metrics: [queue] } };
  await cluster.api.create(`/apis/autoscaling/v2/namespaces/${namespace}/horizontalpodautoscalers`, unknown);
  // The CLI is one file that needs no other.
  const cli = join(folder, "mlscaler.js");
  copyFileSync(join(projectRoot, "dist/cli/mlscaler.js"), cli);
  const url = prometheusUrl(sandboxPaths(sandbox));
  survey = (...options) =>
    run(cli, ["survey", "--prometheus", url, "-n", namespace, "--weeks", "1", ...options], { cwd: folder });
});

afterAll(async () => {
  await cluster.api.delete("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/scaledobjects.keda.sh");
  prometheus.stop();
  await cluster.leaveNamespace(namespace);
  rmSync(folder, { recursive: true });
});

describe("mlscaler survey", () => {
  it("ranks the HPAs and ScaledObjects of a namespace by what Prometheus knows of their load", async () => {
    const { code, stdout, stderr } = await survey("--json", "--html", "survey.html", "--write", "mlscalers");
    // One has no verdict.
    expect(code, stderr).toBe(1);
    const { totals, workloads, faults } = JSON.parse(stdout) as Output;
    // The HPA that KEDA makes of the ScaledObject is not surveyed beside it.
    expect(workloads.map(({ scaler, workload, verdict }) => [scaler, workload, verdict])).toEqual([
      ["HPA", `${namespace}/batch`, "gains"],
      ["ScaledObject", `${namespace}/orders`, "gains"],
      ["HPA", `${namespace}/noise`, "no gain"],
    ]);
    expect(totals.verdicts).toEqual({ gains: 2, "no gain": 1, unsure: 0 });
    expect(workloads.map(({ load }) => load.start_up_seconds)).toEqual([480, 600, 480]);
    expect(workloads.map(({ load }) => load.node_seconds)).toEqual([150, undefined, undefined]);
    for (const { load, average_replicas: replicas } of workloads) {
      expect(load.days).toBeCloseTo(days, 0);
      expect(replicas.recorded).toBe(10);
    }
    expect(faults).toEqual([expect.stringContaining(`HPA queue: no load of queue is known`)]);
    expect(readFileSync(join(folder, "survey.html"), "utf8")).toContain(`${namespace}/batch`);
  });

  it("writes MLScalers that assist, and that the cluster takes, for those that gain", async () => {
    const files = readdirSync(join(folder, "mlscalers"));
    expect(files).toEqual([`${namespace}.batch.hpa.yaml`, `${namespace}.orders.scaledobject.yaml`]);
    for (const [index, target] of ["batch", "orders"].entries()) {
      const text = readFileSync(join(folder, "mlscalers", files[index] ?? ""), "utf8");
      const manifest = parse(text) as cluster.Manifest;
      expect(manifest).toMatchObject({ spec: { mode: "Assist", target_deployment: target } });
      expect(await cluster.refusal(namespace, manifest)).toBe("");
    }
  });
});
