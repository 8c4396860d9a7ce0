import { afterAll, beforeAll, expect, it } from "vitest";
import { spreadLoad } from "../../sandbox/pod-load";
import { api } from "../e2e/cluster";
import * as fleet from "./fleet";
import * as running from "../e2e/module";
import * as measure from "./measure";

const { figure, megabytes } = measure;

const scalerCount = 100;
const namespaceCount = 4;
const periodSeconds = 30;
const warmUpSeconds = 150;
const soakSeconds = 600;

/** Maximum growth of memory between two thirds of the soak. Garbage collection alone causes a few megabytes. */
const mostGrowthBytes = 10e6;
const mostResidentBytes = 300e6;
const mostSockets = 40;
const mostSocketGrowth = 2;
const mostLagSeconds = 0.5;

/** Maximum time between two syncs: a period, and the delay of timers and a slow write. */
const longestGapSeconds = 1.5 * periodSeconds;

/** A slow wave of load for each Deployment, each with another phase: 0.05 to 0.25 cores, 1 to 3 pods. */
const waveSeconds = 600;
const loadAt = (index: number, now: number): number =>
  0.15 + 0.1 * Math.sin(2 * Math.PI * (now / 1000 / waveSeconds + index / scalerCount));

let namespaces: string[] = [];
let targets: fleet.Item[] = [];
const stopped = new AbortController();
let waves: Promise<void>;

beforeAll(async () => {
  await measure.freshPods();
  await measure.footprint("idle");
  namespaces = await fleet.createNamespaces("soak", namespaceCount);
  targets = fleet.spread(namespaces, "web", scalerCount);
  await fleet.createDeployments(targets, 1);
  await fleet.untilAvailable(namespaces, scalerCount, 120);
  waves = keepWaves();
});

afterAll(async () => {
  stopped.abort();
  await waves;
  await fleet.deleteNamespaces(namespaces);
}, 600_000);

it(
  `${scalerCount} MLScalers for ${soakSeconds / 60} minutes: memory and sockets flat, every one on time, no error`,
  async () => {
    const watcher = await running.theWatcher();
    const beganAt = Date.now();
    await fleet.createScalers(targets, {
      min_replicas: 1,
      max_replicas: 10,
      metric: "cpu",
      history_size: 5,
      sync_period_seconds: periodSeconds,
    });
    await fleet.untilCondition(namespaces, scalerCount, "Ready", "True/Synced", 180);
    await measure.pause(warmUpSeconds);

    const since = Date.now();
    const soak = await measure.observed(watcher.port, soakSeconds);
    const until = Date.now();
    const { samples } = soak;

    const third = Math.floor(samples.length / 3);
    const thirds = [0, 1, 2].map(number => samples.slice(number * third, (number + 1) * third));
    const [, middle = NaN, last = NaN] = thirds.map(part => measure.mean(part.map(sample => sample.residentBytes)));
    const [, middleSockets = NaN, lastSockets = NaN] = thirds.map(part =>
      Math.max(...part.map(sample => sample.sockets)),
    );
    const lines = measure.logLines(watcher, beganAt);
    const gaps = longestGaps(lines, since, until);
    const rescales = lines.filter(({ reason, time }) => reason === "SuccessfulRescale" && time >= since).length;
    await measure.footprint(`${scalerCount} MLScalers, after ${soakSeconds / 60} minutes`);
    figure(
      "resident by thirds of the soak",
      thirds.map(part => megabytes(measure.mean(part.map(sample => sample.residentBytes)))).join(", "),
      "MB",
    );
    measure.observation("soak", soak);
    figure("longest time between two syncs of one MLScaler", Math.max(...gaps.values()).toFixed(1), "s");
    figure("targets scaled", rescales, "times");

    expect(fleet.conditions(await fleet.scalers(namespaces), "Ready")).toEqual({ "True/Synced": scalerCount });
    expect(rescales).toBeGreaterThan(scalerCount / 2);
    expect(last - middle).toBeLessThanOrEqual(mostGrowthBytes);
    expect(Math.max(...samples.map(({ residentBytes }) => residentBytes))).toBeLessThanOrEqual(mostResidentBytes);
    expect(lastSockets).toBeLessThanOrEqual(mostSockets);
    expect(lastSockets - middleSockets).toBeLessThanOrEqual(mostSocketGrowth);
    expect(soak.p95).toBeLessThanOrEqual(mostLagSeconds);
    expect(gaps.size).toBe(scalerCount);
    expect([...gaps].filter(([, gap]) => gap > longestGapSeconds)).toEqual([]);
    expect(lines.filter(({ level }) => level >= measure.errorLevel)).toEqual([]);
    expect((await running.theWatcher()).pid).toBe(watcher.pid);
  },
  20 * 60_000,
);

/** The longest time without a sync for each MLScaler, in seconds. Every sync logs its decision. */
function longestGaps(lines: measure.LogLine[], since: number, until: number): Map<string, number> {
  const synced = new Map<string, number[]>();
  for (const { namespace, name, level, time } of lines) {
    if (namespace === undefined || name === undefined || level >= measure.errorLevel || time < since) continue;
    const key = `${namespace}/${name}`;
    synced.set(key, [...(synced.get(key) ?? [since]), time]);
  }
  return new Map(
    [...synced].map(([key, times]) => {
      const ends = [...times, until];
      return [key, Math.max(...ends.slice(1).map((time, index) => (time - (ends[index] ?? time)) / 1000))];
    }),
  );
}

/** Makes the load of every Deployment follow its wave. */
async function keepWaves(): Promise<void> {
  const items = targets.map((target, index) => ({ ...target, index, written: new Map<string, string>() }));
  while (!stopped.signal.aborted) {
    const pass = fleet.inParallel(
      items,
      ({ namespace, name, index, written }) =>
        spreadLoad(api, namespace, `app=${name}`, loadAt(index, Date.now()), written).catch(() => undefined),
      4,
    );
    await Promise.all([pass, measure.pause(15)]);
  }
}
