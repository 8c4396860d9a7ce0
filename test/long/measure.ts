import { readFileSync } from "node:fs";
import type { PodReport } from "../../sandbox/api";
import { kube, until } from "../e2e/cluster";
import { metrics, pods, system, theWatcher, type Role } from "../e2e/module";
import { quantile, total, value } from "../prometheus";
import { usageOf, type Usage as ProcessUsage } from "../usage";

/** The usage of the processes of pods, parent and child of each together. */
interface Usage extends ProcessUsage {
  /** Resident memory in bytes. Shared memory (Node's code) counts once per process. */
  residentBytes: number;
}

const restMilliseconds = 10_000;

const deployments = ["deploy/pepr-mlscaler", "deploy/pepr-mlscaler-watcher"];

/**
 * Restarts the pods of the module and waits until the watcher holds the Lease and is idle, so that earlier tests do
 * not count.
 */
export async function freshPods(): Promise<void> {
  for (const deployment of deployments) {
    await kube(["rollout", "restart", deployment, "-n", system]);
    await kube(["rollout", "status", deployment, "-n", system, "--timeout=120s"]);
  }
  await untilItActs();
  await untilAtRest();
}

/** Waits until the number of the watcher's sockets is constant. The sockets of its start close gradually. */
export async function untilAtRest(): Promise<void> {
  let seen = { sockets: NaN, since: 0 };
  await until(
    `the watcher has had as many sockets for ${restMilliseconds / 1000} s`,
    async () => {
      const { sockets } = await usage("watcher");
      if (sockets !== seen.sockets) seen = { sockets, since: Date.now() };
      return Date.now() - seen.since >= restMilliseconds;
    },
    { seconds: 180, seen: () => Promise.resolve(`${seen.sockets} sockets`) },
  );
}

/** Waits until the watcher holds the Lease. */
export async function untilItActs(): Promise<void> {
  await until(
    "the one watcher acts",
    async () => value(await metrics((await theWatcher()).port), "mlscaler_leader") === 1,
    { seconds: 90 },
  );
}

/** The current usage of the pods of a role. Throws without /proc. */
export async function usage(role: Role): Promise<Usage> {
  const processes = (await pods(role)).flatMap(pod => pod.processes);
  return {
    ...usageOf(processes.map(({ pid }) => pid)),
    residentBytes: processes.reduce((total, { residentBytes }) => total + residentBytes, 0),
  };
}

/** Requests of the module to the API server. No other ServiceAccount outside kube-system sends any. */
async function moduleRequests(): Promise<number> {
  const text = await kube(["get", "--raw", "/metrics"]);
  return total(text, "apiserver_flowcontrol_dispatched_requests_total", { flow_schema: "service-accounts" });
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

/** The lines in the log of a pod since `since` (epoch milliseconds). */
export function logLines({ log }: Pick<PodReport, "log">, since: number): LogLine[] {
  return readFileSync(log, "utf8")
    .split("\n")
    .filter(line => line.startsWith("{"))
    .map(line => JSON.parse(line) as LogLine)
    .filter(({ time }) => time >= since);
}

/** The activity of the watcher over a time, from the outside. */
interface Observation {
  samples: Usage[];
  cpuPercent: number;
  requestsPerSecond: number;
  syncsPerSecond: number;
  objects: number;
  /** Upper bounds of the sync lag in seconds, by share of the syncs. */
  lag: [share: number, bound: number][];
  p95: number;
}

/** Observes the watcher that listens on `port` for some seconds. */
export async function observed(port: number, forSeconds: number): Promise<Observation> {
  const [before, requestsBefore, usedBefore, since] = [
    await metrics(port),
    await moduleRequests(),
    await usage("watcher"),
    Date.now(),
  ];
  const samples = await sampled(forSeconds, 5, () => usage("watcher"));
  const seconds = (Date.now() - since) / 1000;
  const used = await usage("watcher");
  const requests = (await moduleRequests()) - requestsBefore;
  const after = await metrics(port);
  const lag = "mlscaler_sync_lag_seconds";
  const bound = (share: number): number => quantile(before, after, lag, share);
  return {
    samples,
    cpuPercent: (100 * (used.cpuSeconds - usedBefore.cpuSeconds)) / seconds,
    requestsPerSecond: requests / seconds,
    syncsPerSecond: (total(after, `${lag}_count`) - total(before, `${lag}_count`)) / seconds,
    objects: value(after, "mlscaler_objects"),
    lag: [0.5, 0.95, 0.99].map(share => [share, bound(share)]),
    p95: bound(0.95),
  };
}

/** Prints an observation. */
export function observation(what: string, { cpuPercent, requestsPerSecond, syncsPerSecond, lag }: Observation): void {
  figure(`${what}: CPU`, `${cpuPercent.toFixed(1)} % of one core`);
  figure(`${what}: a second`, `${requestsPerSecond.toFixed(1)} API requests, ${syncsPerSecond.toFixed(1)} syncs`);
  figure(`${what}: sync lag at most`, lag.map(([share, bound]) => `p${100 * share} ${bound} s`).join(", "));
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

/** Bytes in megabytes (10^6). */
export const megabytes = (bytes: number): number => Math.round(bytes / 1e5) / 10;

/** Prints a figure for docs/explanation/sizing.md. */
export const figure = (what: string, ...found: (string | number)[]): void =>
  console.log(`figure: ${what}: ${found.join(" ")}`);

/** Prints the current figures of the module's pods. */
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
