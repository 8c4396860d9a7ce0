import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import Table from "cli-table3";
import { z } from "zod";
import { Api } from "../../capabilities/kubernetes/api";
import { parsedPod } from "../../capabilities/mlscaler/metrics/pod-watch";
import { Prometheus } from "../../capabilities/mlscaler/metrics/prometheus/client";
import { podUsageSchema } from "../../capabilities/mlscaler/metrics/values";
import { servingCertificate } from "../e2e/serving-certificate";
import { Turns } from "./turns";

/** Options of the command line. */
export interface AnswersSettings {
  times: number;
}

/**
 * Measures how long one answer blocks the event loop: CPU time of its turns, of answers as large as their limits. The
 * baseline parses the largest one with JSON.parse in one turn.
 */
export async function measureAnswers({ times }: AnswersSettings): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "mlscaler-answers-"));
  const pem = await servingCertificate("127.0.0.1");
  const child = fork(join(__dirname, "answer-server.ts"));
  child.send(pem);
  try {
    const [port] = z
      .tuple([z.number()])
      .rest(z.unknown())
      .parse(await once(child, "message"));
    const kubeconfig = join(folder, "kubeconfig");
    const server = { server: `https://127.0.0.1:${port}`, "insecure-skip-tls-verify": true };
    const config = {
      ...{ apiVersion: "v1", kind: "Config", "current-context": "bench" },
      contexts: [{ name: "bench", context: { cluster: "bench", user: "bench" } }],
      clusters: [{ name: "bench", cluster: server }],
      users: [{ name: "bench", user: { token: "none" } }],
    };
    writeFileSync(kubeconfig, JSON.stringify(config));
    process.env.KUBECONFIG = kubeconfig;
    return await table(times);
  } finally {
    child.kill();
    rmSync(folder, { recursive: true });
  }
}

async function table(times: number): Promise<string> {
  const api = new Api();
  const prometheus = new Prometheus(api);
  const whole: unknown[] = [];
  await api.list("/usage", item => whole.push(item));
  const text = JSON.stringify(whole);
  const now = Date.now();
  const cases: [what: string, work: () => Promise<unknown>][] = [
    ["JSON.parse of a list of 16 MiB in one turn", () => Promise.resolve(JSON.parse(text))],
    ["list of pods, 16 MiB", () => api.list("/pods", item => parsedPod(item))],
    ["list of a metrics API, 16 MiB", () => api.list("/usage", item => podUsageSchema.parse(item))],
    ["one object, 2 MiB", () => api.get("/object")],
    ["failure with a page of 16 MiB", () => api.get("/failure").catch(() => undefined)],
    ["Prometheus, range of 1 MiB", () => prometheus.range("shop", "main", "load", now, now + 60_000, 1000)],
  ];
  const head = ["answer", "longest turn, median", "largest", "CPU time each"];
  const rows = new Table({ head, style: { head: [] } });
  for (const [what, work] of cases) {
    // The first ones are slower, because nothing is compiled.
    for (let warm = 0; warm < 3; warm++) await work();
    const turns = new Turns();
    const taken: { longest: number; total: number }[] = [];
    for (let time = 0; time < times; time++) {
      turns.taken();
      await work();
      await turn();
      taken.push(turns.taken());
    }
    turns.stop();
    const sorted = taken.map(({ longest }) => longest).sort((one, other) => one - other);
    const total = taken.reduce((sum, one) => sum + one.total, 0) / times;
    const figures = [sorted[Math.floor(times / 2)] ?? NaN, sorted.at(-1) ?? NaN, total];
    rows.push([what, ...figures.map(figure => `${figure.toFixed(1)} ms`)]);
  }
  return rows.toString();
}
