import { setTimeout as delay } from "node:timers/promises";
import { KubeConfig } from "@kubernetes/client-node";
import { status, type PodReport } from "../../sandbox/api";
import type { ComponentName } from "../../sandbox/components";
import { get } from "../../sandbox/get";
import { total } from "../prometheus";
import { usageOf, type Usage } from "../usage";
import { sandbox } from "./sandbox";

/** The control plane without kwok, which simulates the nodes. */
const components = ["etcd", "apiserver", "controller-manager", "scheduler", "metrics-server"] as const;

const roles = ["watcher", "admission"] as const;

/** The observed parts: processes of the control plane, and the module's pods of one role. */
export const parts = [...components, ...roles] as const;

export type Part = (typeof parts)[number];

/** A series of a part's own /metrics, or its samples with these labels. */
export interface Series {
  name: string;
  labels: Record<string, string>;
}

interface Look {
  at: number;
  used: Map<Part, Usage & { pids: number[] }>;
  metrics: Map<Part, string>;
}

/** The changes between two observations. */
export class Observation {
  constructor(
    readonly before: Look,
    readonly after: Look,
  ) {}

  get seconds(): number {
    return this.after.at - this.before.at;
  }

  /** CPU of a part in percent of one core; 0 when there is no such part. */
  cpuPercent(part: Part): number {
    const [before, after] = [this.before.used.get(part), this.after.used.get(part)];
    if (String(before?.pids) !== String(after?.pids)) throw new Error(`${part} was restarted while it was observed`);
    return before && after ? (100 * (after.cpuSeconds - before.cpuSeconds)) / this.seconds : 0;
  }

  /** Memory of a part in bytes at the end (proportional set size); 0 when there is no such part. */
  bytes(part: Part): number {
    return this.after.used.get(part)?.proportionalBytes ?? 0;
  }

  /** The increase of a counter of a part. */
  added(part: Part, { name, labels }: Series): number {
    const of = ({ metrics }: Look): number => total(metrics.get(part) ?? "", name, labels);
    return of(this.after) - of(this.before);
  }

  /**
   * Requests/s with one of the verbs. Includes those for metrics of pods, which the API server forwards without
   * counting.
   */
  requestsPerSecond(verbs: string[], labels: Record<string, string> = {}): number {
    const series = verbs.map(verb => ({ name: "apiserver_request_total", labels: { ...labels, verb } }));
    const counts = series.flatMap(one => [this.added("apiserver", one), this.added("metrics-server", one)]);
    return counts.reduce((sum, count) => sum + count, 0) / this.seconds;
  }
}

/** Observes, waits some seconds, and observes again. Throws when an observed part does not run. */
export async function observe(seconds: number, signal: AbortSignal): Promise<Observation> {
  const before = await look();
  await delay(seconds * 1000, undefined, { signal });
  return new Observation(before, await look());
}

async function look(): Promise<Look> {
  const { components: all = [], pods = [] } = await status(sandbox);
  const used = new Map<Part, Usage & { pids: number[] }>();
  const metrics = new Map<Part, string>();
  const module = pods.filter(({ namespace }) => namespace === "pepr-system");
  const podsOf = (role: (typeof roles)[number]): PodReport[] =>
    module.filter(({ name }) => name.includes("watcher") === (role === "watcher"));
  const portOf = (name: ComponentName): number => all.find(one => one.name === name)?.port ?? NaN;
  for (const name of ["apiserver", "controller-manager", "metrics-server"] as const)
    metrics.set(name, await scrape(portOf(name)));
  if (module.length > 0) metrics.set("watcher", await scrape(onePort(podsOf("watcher"))));
  const at = performance.now() / 1000;
  for (const name of components) {
    const pid = all.find(one => one.name === name)?.pid;
    if (pid === undefined) throw new Error(`${name} does not run`);
    used.set(name, { ...usageOf([pid]), pids: [pid] });
  }
  for (const role of module.length > 0 ? roles : []) {
    const pids = podsOf(role).flatMap(({ processes }) => processes.map(({ pid }) => pid));
    pids.sort((one, other) => one - other);
    used.set(role, { ...usageOf(pids), pids });
  }
  return { at, used, metrics };
}

function onePort(watchers: PodReport[]): number {
  const ports = watchers.flatMap(({ port }) => port ?? []);
  const [port] = ports;
  if (port === undefined || ports.length > 1) throw new Error(`expected one watcher, found ${ports.length}`);
  return port;
}

/** Reads /metrics of a process of the sandbox as its administrator. */
async function scrape(port: number): Promise<string> {
  const kubeConfig = new KubeConfig();
  kubeConfig.loadFromDefault();
  const { certData = "", keyData = "" } = kubeConfig.getCurrentUser() ?? {};
  const identity = { cert: Buffer.from(certData, "base64"), key: Buffer.from(keyData, "base64") };
  const { status: code, body } = await get(port, "/metrics", { timeoutMilliseconds: 30_000, ...identity });
  if (code !== 200) throw new Error(`port ${port} answered /metrics with HTTP ${code}: ${body.slice(0, 200)}`);
  return body;
}
