import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import pMap from "p-map";
import { Api } from "../../capabilities/kubernetes/api";
import { buildCli } from "../../build/cli";
import { sandboxPaths } from "../../sandbox/paths";
import { PrometheusLoad } from "../../sandbox/prometheus-load";
import { prometheusUrl } from "../../sandbox/prometheus";
import type { Row } from "../../cli/survey/judge";
import { madeUpLoads } from "../made-up-loads";
import { createScaler, record, serveScaledObjects, type RecordedWorkload } from "../recorded-workload";
import { sandbox, withSandbox } from "./sandbox";

/** Options of the command line. */
export interface SurveySettings {
  count: number;
  scaledObjects: number;
}

const days = 14;
const namespace = "default";

/** What the survey took. */
interface Effort {
  seconds: number;
  cpuSeconds: number;
  /** The most resident memory, in MB. */
  memory: number;
  stdout: string;
  stderr: string;
}

/**
 * Brings up a sandbox with HPAs and ScaledObjects whose load Prometheus has for two weeks, surveys them with the built
 * CLI, and takes it down. Returns a table.
 */
export async function measureSurvey(
  { count, scaledObjects }: SurveySettings,
  say: (text: string) => void,
  signal: AbortSignal,
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "survey-"));
  return withSandbox(false, signal, async () => {
    const workloads = workloadsFor(count, scaledObjects);
    const api = new Api();
    if (scaledObjects > 0) await serveScaledObjects(api);
    await pMap(workloads, workload => createScaler(api, workload), { concurrency: 16, signal });
    say(`${count} HPAs and ${scaledObjects} ScaledObjects; writing ${days} days of load for each`);
    const prometheus = await PrometheusLoad.start(sandbox);
    const now = Date.now();
    await pMap(workloads, workload => record(prometheus, workload, now), { concurrency: 4, signal });
    prometheus.stop();
    const cli = join(folder, "mlscaler.js");
    await buildCli(cli);
    say("surveying");
    const html = join(folder, "survey.html");
    const url = prometheusUrl(sandboxPaths(sandbox));
    const effort = await measured([cli, "survey", "--prometheus", url, "-A", "--json", "--html", html], signal);
    say(effort.stderr.trim());
    if (!existsSync(html)) throw new Error("the survey wrote no page");
    return tableOf(effort, workloads, statSync(html).size);
  }).finally(() => rmSync(folder, { recursive: true }));
}

/** The workloads, with the ScaledObjects spread among the kinds of loads. */
function workloadsFor(count: number, scaledObjects: number): RecordedWorkload[] {
  const total = count + scaledObjects;
  const before = (index: number): number => Math.floor((index * scaledObjects) / total);
  const kinds = madeUpLoads(1, 1).length;
  return madeUpLoads(days, Math.ceil(total / kinds))
    .slice(0, total)
    .map((load, index) => {
      const scaler = before(index + 1) > before(index) ? "ScaledObject" : "HPA";
      return { namespace, name: load.name, scaler, load };
    });
}

/** Runs a program of Node to its end, and looks at its effort twice a second. */
async function measured(args: string[], signal: AbortSignal): Promise<Effort> {
  const started = performance.now();
  const child = spawn(process.execPath, args, { signal });
  const effort = { cpuSeconds: 0, memory: 0 };
  const look = setInterval(() => {
    try {
      const [, highest = ""] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${child.pid}/status`, "utf8")) ?? [];
      effort.memory = Math.max(effort.memory, Number(highest) / 1024);
      // utime and stime, in hundredths of a second, after the name in brackets.
      const fields = readFileSync(`/proc/${child.pid}/stat`, "utf8")
        .replace(/^.*\) /, "")
        .split(" ");
      effort.cpuSeconds = (Number(fields[11]) + Number(fields[12])) / 100;
    } catch {
      // It has just ended.
    }
  }, 500);
  const ended = new Promise<void>((resolve, reject) => child.on("error", reject).on("close", () => resolve()));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  clearInterval(look);
  return { ...effort, seconds: (performance.now() - started) / 1000, stdout, stderr };
}

function tableOf(
  { seconds, cpuSeconds, memory, stdout }: Effort,
  workloads: RecordedWorkload[],
  bytes: number,
): string {
  const { workloads: rows } = JSON.parse(stdout) as { workloads: Row[] };
  const truths = new Map(workloads.map(({ namespace, name, load }) => [`${namespace}/${name}`, load.truth]));
  const known = rows.filter(({ workload }) => truths.get(workload) !== undefined);
  const right = known.filter(({ workload, verdict }) => (truths.get(workload) === "gains") === (verdict === "gains"));
  return [
    "| figure | |",
    "|---|---|",
    `| workloads with a verdict | ${rows.length} of ${workloads.length} |`,
    `| time | ${seconds.toFixed(0)} s |`,
    `| processor time | ${cpuSeconds.toFixed(0)} s |`,
    `| memory | ${memory.toFixed(0)} MB |`,
    `| page | ${(bytes / 1e6).toFixed(1)} MB |`,
    `| right where the truth is known | ${right.length} of ${known.length} |`,
  ].join("\n");
}
