import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { sandboxPaths } from "../../sandbox/paths";
import { prometheusUrl } from "../../sandbox/prometheus";
import { madeUpLoads } from "../made-up-loads";
import { hpaManifest, record, RecordedWorkload } from "../recorded-workload";
import { buildInto, Ended, run } from "../unit/cli/built";
import * as cluster from "./cluster";
import { PrometheusLoad } from "./prometheus";
import { sandbox } from "./sandbox";

const { kube } = cluster;
const days = 6;

let namespace: string;
let folder: string;
let prometheus: PrometheusLoad;
let survey: (...options: string[]) => Promise<Ended>;

interface Output {
  totals: { verdicts: Record<string, number> };
  workloads: {
    workload: string;
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
  const wanted = ["batch", "noise"];
  const workloads = madeUpLoads(days, 1).flatMap(load => {
    const [kind = ""] = load.name.split("-");
    return wanted.includes(kind) ? [{ namespace, name: kind, load } satisfies RecordedWorkload] : [];
  });
  const now = Date.now();
  for (const workload of workloads) await record(prometheus, workload, now);
  const manifests = workloads.map(hpaManifest);
  // One with a metric that nobody knows the load of.
  const queue = { type: "External", external: { metric: { name: "queue" }, target: { type: "Value", value: "1" } } };
  const [first] = manifests as { metadata: object; spec: object }[];
  const unknown = { ...first, metadata: { name: "queue" }, spec: { ...first?.spec, metrics: [queue] } };
  await kube(
    ["apply", "-n", namespace, "-f", "-"],
    JSON.stringify({ apiVersion: "v1", kind: "List", items: [...manifests, unknown] }),
  );
  const cli = await buildInto(folder);
  const url = prometheusUrl(sandboxPaths(sandbox));
  survey = (...options) =>
    run(cli, ["survey", "--prometheus", url, "-n", namespace, "--weeks", "1", ...options], { cwd: folder });
});

afterAll(() => {
  prometheus?.stop();
  if (folder) rmSync(folder, { recursive: true });
});

describe("mlscaler survey", () => {
  it("ranks the HPAs of a namespace by what Prometheus knows of their load", async () => {
    const { code, stdout, stderr } = await survey("--json", "--html", "survey.html", "--write", "mlscalers");
    // One has no verdict.
    expect(code, stderr).toBe(1);
    const { totals, workloads, faults } = JSON.parse(stdout) as Output;
    expect(workloads.map(({ workload }) => workload)).toEqual([`${namespace}/batch`, `${namespace}/noise`]);
    expect(workloads.map(({ verdict }) => verdict)).toEqual(["gains", "do not"]);
    expect(totals.verdicts).toEqual({ gains: 1, same: 0, "do not": 1 });
    expect(workloads[0]?.load).toMatchObject({ days: expect.closeTo(days, 0) as number, start_up_seconds: 480 });
    expect(workloads[0]?.average_replicas.recorded).toBe(10);
    expect(faults).toEqual([expect.stringContaining(`HPA queue: no load of queue is known`)]);
    expect(readFileSync(join(folder, "survey.html"), "utf8")).toContain(`${namespace}/batch`);
  });

  it("writes MLScalers in Observe that the cluster takes, for those that gain", async () => {
    const files = readdirSync(join(folder, "mlscalers"));
    expect(files).toEqual([`${namespace}.batch.hpa.yaml`]);
    const path = join(folder, "mlscalers", files[0] ?? "");
    expect(parse(readFileSync(path, "utf8"))).toMatchObject({ spec: { mode: "Observe", target_deployment: "batch" } });
    await kube(["apply", "--dry-run=server", "-f", path]);
  });

  it("prints a table", async () => {
    const { stdout } = await survey();
    expect(stdout).toContain("1 of 2 gain, 0 stay the same, 1 do better without.");
    expect(stdout).toMatch(new RegExp(`${namespace}/batch .*gains`));
  });

  it("says what is wrong with a server that does not answer", async () => {
    const { code, stderr } = await survey("--prometheus", "http://127.0.0.1:1");
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^--prometheus: 127\.0\.0\.1:1 cannot be reached/)]);
  });
});
