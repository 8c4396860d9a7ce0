import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import https from "node:https";
import { status, type PodReport } from "../../sandbox/api";
import { kube, until } from "../e2e/cluster";
import { sandbox } from "../e2e/setup";

export const system = "pepr-system";

/** What the processes of pods use, taken together: parent and child of each. */
export interface Usage {
  /** Resident memory. What processes share (Node's own code) counts once for each. */
  residentBytes: number;
  /** The same, what is shared counted in parts: what a container is charged with. */
  proportionalBytes: number;
  sockets: number;
  /** CPU time since they started. */
  cpuSeconds: number;
}

export type Role = "admission" | "watcher";

/** The module's pods of one role. */
export async function pods(role: Role): Promise<PodReport[]> {
  const { pods: all = [] } = await status(sandbox);
  return all.filter(({ name, namespace }) => namespace === system && name.includes("watcher") === (role === "watcher"));
}

/** The one watcher there is. Throws when there is none, or more. */
export async function theWatcher(): Promise<PodReport & { pid: number; port: number }> {
  const [one, ...others] = await pods("watcher");
  if (one?.pid === undefined || one.port === undefined || others.length > 0) {
    throw new Error(`there is not exactly one watcher running, there are ${others.length + (one ? 1 : 0)}`);
  }
  return { ...one, pid: one.pid, port: one.port };
}

/** A watcher that has just started, holds the Lease and has come to rest: what ran before does not count. */
export async function freshWatcher(): Promise<void> {
  await kube(["rollout", "restart", "deploy/pepr-mlscaler-watcher", "-n", system]);
  await kube(["rollout", "status", "deploy/pepr-mlscaler-watcher", "-n", system, "--timeout=120s"]);
  await until(
    "the fresh watcher acts",
    async () => value(await metrics((await theWatcher()).port), "mlscaler_leader") === 1,
    { seconds: 90 },
  );
  await pause(20);
}

/** What the pods of a role use now. Throws where there is no /proc. */
export async function usage(role: Role): Promise<Usage> {
  const processes = (await pods(role)).flatMap(pod => pod.processes);
  if (processes.length === 0) throw new Error(`no process of ${role} is running`);
  const sum = (measure: (pid: number) => number): number =>
    processes.reduce((total, { pid }) => total + measure(pid), 0);
  return {
    residentBytes: processes.reduce((total, { residentBytes }) => total + residentBytes, 0),
    proportionalBytes: sum(proportionalBytes),
    sockets: sum(socketCount),
    cpuSeconds: sum(cpuSeconds),
  };
}

function proportionalBytes(pid: number): number {
  return Number(/^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1]) * 1024;
}

function socketCount(pid: number): number {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).filter(name => {
    try {
      return readlinkSync(`${folder}/${name}`).startsWith("socket:");
    } catch {
      // Closed in the meantime.
      return false;
    }
  }).length;
}

const ticksPerSecond = 100;

function cpuSeconds(pid: number): number {
  // The second field is the command's name in brackets, which may hold anything; utime and stime are the 14th and 15th.
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** The module's own /metrics, as Prometheus scrapes it: HTTPS with a certificate that nobody knows. */
export function metrics(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    https
      .get({ host: "127.0.0.1", port, path: "/metrics", rejectUnauthorized: false, agent: false }, response => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => (text += chunk));
        response.on("end", () => resolve(text));
      })
      .on("error", reject);
  });
}

interface Sample {
  labels: Record<string, string>;
  value: number;
}

/** The samples of one series in Prometheus' text format. */
export function series(text: string, name: string): Sample[] {
  return text.split("\n").flatMap(line => {
    const [, found, labels = "", sample] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (found !== name) return [];
    const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = "", text = ""]) => [key, text] as const);
    return [{ labels: Object.fromEntries(pairs), value: Number(sample) }];
  });
}

/** The one sample of a series without labels; NaN when there is none. */
export const value = (text: string, name: string): number => series(text, name)[0]?.value ?? NaN;

/**
 * The upper bound of the bucket in which the quantile of a histogram lies, from what was added between two scrapes.
 * NaN when nothing was.
 */
export function quantile(before: string, after: string, name: string, share: number): number {
  const buckets = new Map<number, number>();
  const add = (text: string, sign: 1 | -1): void => {
    for (const { labels, value } of series(text, `${name}_bucket`)) {
      const bound = labels.le === "+Inf" ? Infinity : Number(labels.le);
      buckets.set(bound, (buckets.get(bound) ?? 0) + sign * value);
    }
  };
  add(after, 1);
  add(before, -1);
  const total = buckets.get(Infinity) ?? 0;
  const sorted = [...buckets].sort(([one], [other]) => one - other);
  return total === 0 ? NaN : (sorted.find(([, count]) => count >= share * total)?.[0] ?? NaN);
}

/** Requests that the API server has taken from the module: no other ServiceAccount outside kube-system makes any. */
export async function moduleRequests(): Promise<number> {
  const text = await kube(["get", "--raw", "/metrics"]);
  return series(text, "apiserver_flowcontrol_dispatched_requests_total")
    .filter(({ labels }) => labels.flow_schema === "service-accounts")
    .reduce((total, { value }) => total + value, 0);
}

/** A line of the module's log. */
export interface LogLine {
  level: number;
  time: number;
  msg: string;
  namespace?: string;
  name?: string;
  reason?: string;
}

export const warnLevel = 40;
export const errorLevel = 50;

/** The lines that a pod's module has logged since `since` (epoch milliseconds). */
export function logLines({ log }: Pick<PodReport, "log">, since: number): LogLine[] {
  return readFileSync(log, "utf8")
    .split("\n")
    .filter(line => line.startsWith("{"))
    .map(line => JSON.parse(line) as LogLine)
    .filter(({ time }) => time >= since);
}

/** Takes a sample every `everySeconds` for `seconds`. */
export async function sampled<T>(seconds: number, everySeconds: number, take: () => Promise<T>): Promise<T[]> {
  const samples: T[] = [];
  const end = Date.now() + seconds * 1000;
  while (Date.now() < end) {
    samples.push(await take());
    await pause(everySeconds);
  }
  return samples;
}

export const mean = (numbers: number[]): number =>
  numbers.reduce((sum, number) => sum + number, 0) / Math.max(1, numbers.length);

export const pause = (seconds: number): Promise<void> => new Promise(resolve => setTimeout(resolve, seconds * 1000));

/** Bytes as megabytes (10^6). */
export const megabytes = (bytes: number): number => Math.round(bytes / 1e5) / 10;

/** Prints a figure, for docs/footprint.md. */
export const figure = (what: string, ...found: (string | number)[]): void =>
  console.log(`figure: ${what}: ${found.join(" ")}`);

/** A line of figures on the module's pods as they are now. */
export async function footprint(what: string): Promise<void> {
  for (const role of ["watcher", "admission"] as const) {
    const used = await usage(role);
    const count = (await pods(role)).length;
    figure(
      `${what}, ${role} (${count} pod${count > 1 ? "s" : ""})`,
      `${megabytes(used.residentBytes)} MB resident,`,
      `${megabytes(used.proportionalBytes)} MB proportional,`,
      `${used.sockets} sockets`,
    );
  }
}
