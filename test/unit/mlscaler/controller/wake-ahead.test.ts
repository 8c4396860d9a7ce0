import { setImmediate as turn } from "node:timers/promises";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { Prometheus } from "../../../../capabilities/mlscaler/metrics/prometheus/client";
import { MetricsError } from "../../../../capabilities/mlscaler/metrics/reading";
import { autoscaler, deployment } from "../../fake-cluster";
import { pass, start } from "../../time";
import { noise, replayed } from "../memory/remembered";
import { prometheusHas } from "./prometheus-loads";
import { cluster, longForm, setting, useSetting } from "./setting";

useSetting();

const minute = 60_000;
const day = 86_400_000;

/** Opens at 02:00 and closes at 12:00; 0 else. */
const openingHours = (at: number): number => {
  const minutes = Math.floor((at % day) / minute);
  return minutes >= 120 && minutes < 720 ? 400 + 20 * noise(at) : 0;
};

/** Ten minutes of load in each 85, which no day divides. */
const everyEightyFiveMinutes = (at: number): number => (Math.floor(at / (5 * minute)) % 17 < 2 ? 100 : 0);

/** The load that Prometheus has. */
let loadAt: (at: number) => number;

const prometheus = {
  type: "Prometheus",
  prometheus: { query: "sum(rate(requests[1m]))", target: { type: "AverageValue", averageValue: "100" } },
};

/** Syncs once a minute until a time of the first day, and the minutes at which the count changed. */
async function until(key: string, hours: number, each: () => void = () => undefined): Promise<Map<number, number>> {
  const changes = new Map<number, number>();
  let before = setting.replicas();
  while (Date.now() < start.getTime() + hours * 60 * minute) {
    each();
    await setting.sync(key);
    const now = setting.replicas();
    if (now !== before) changes.set((Date.now() - start.getTime()) / minute, now);
    before = now;
    await pass(60);
  }
  return changes;
}

/** An MLScaler whose history is read and replayed. */
async function create(spec: object): Promise<string> {
  const given = { min_replicas: 0, sync_period_seconds: 60, forecast: { model: "holt_winters" } };
  const key = cluster.create("web", longForm([prometheus], { ...given, ...spec }));
  await setting.sync(key);
  while (setting.woken.length < 1) await turn();
  await setting.sync(key);
  await replayed();
  await pass(60);
  return key;
}

beforeEach(() => {
  loadAt = openingHours;
  prometheusHas(at => loadAt(at));
});

describe("a target at 0 replicas with a load that returns after an idle time", () => {
  it("wakes before the load, and says how likely it is", async () => {
    loadAt = everyEightyFiveMinutes;
    cluster.deploy("web", 0);
    // Beyond the first replica only the current load decides.
    const key = await create({ scale_to_zero: {}, forecast: { model: "holt_winters", max_extra_percent: 0 } });
    const statuses: unknown[] = [];
    const changes = await until(key, 2, () => {
      if (setting.replicas() !== 0) statuses.push(cluster.stored(key).status?.decision);
    });
    const load = (at: number): number => loadAt(start.getTime() + at * minute);
    const loads = Array.from({ length: 120 }, (_, at) => at).filter(at => load(at) > 0 && load(at - 1) === 0);
    const counts = [0, ...changes.values()];
    const wakes = [...changes.keys()].filter((_, index) => counts[index] === 0);
    expect(loads.length).toBeGreaterThan(0);
    for (const first of loads) expect(wakes.some(at => at < first && at >= first - 15)).toBe(true);
    expect(wakes).toHaveLength(loads.length);
    const reason = expect.stringMatching(/woken ahead, the chance of .* above 0 is \d+ %/) as string;
    expect(statuses).toContainEqual(expect.objectContaining({ reason }));
  });
});

describe("a target at 0 replicas with opening hours", () => {
  it.each([
    [
      "scale_to_zero",
      {
        scale_to_zero: {
          activation: [{ ...prometheus, prometheus: { query: prometheus.prometheus.query, threshold: 1 } }],
        },
      },
    ],
    ["HPA's rule", {}],
  ])("wakes before they begin, and not long before, by %s", async (_, spec) => {
    cluster.deploy("web", 1);
    const key = await create(spec);
    const changes = await until(key, 1.5);
    if ("scale_to_zero" in spec) {
      const reason = expect.stringMatching(/^0: idle, .*; next load expected 02:00 UTC, 100 %$/) as string;
      expect(cluster.stored(key).status?.decision).toMatchObject({ reason });
    }
    for (const [at, count] of await until(key, 2)) changes.set(at, count);
    expect(cluster.condition(key, "ForecastReady")?.reason).toBe("Trusted");
    const [[wakes, replicas] = [NaN, NaN]] = [...changes].filter(([, count]) => count > 0);
    expect(replicas).toBeGreaterThan(0);
    expect(wakes).toBeGreaterThanOrEqual(105);
    expect(wakes).toBeLessThan(120);
  });

  it("a failure of the activation leaves the wake to the forecast", async () => {
    cluster.deploy("web", 0);
    const key = await create({ scale_to_zero: {} });
    vi.spyOn(Prometheus.prototype, "query").mockRejectedValue(new MetricsError("FailedGetPrometheusMetric", "away"));
    const changes = await until(key, 1);
    expect([...changes]).toEqual([]);
    expect(cluster.condition(key, "ScalingActive")?.reason).toBe("FailedGetPrometheusMetric");
  });
});

describe("an assisted ScaledObject whose target is at 0 replicas", () => {
  it("gets a minimum of 1 or more before the opening hours begin, and none long before", async () => {
    const owner = { apiVersion: "keda.sh/v1alpha1", kind: "ScaledObject", name: "web", uid: "so", controller: true };
    cluster.putScaledObject("web", {});
    cluster.putAutoscaler(autoscaler("keda-hpa-web", deployment, { ownerReferences: [owner] }));
    cluster.deploy("web", 0);
    setting.controller.start(new AbortController().signal);
    const key = await create({ mode: "Assist", min_replicas: undefined, max_replicas: undefined });
    const minimum = (): number => cluster.autoscaler("scaledobjects/web").spec.minReplicaCount ?? 0;
    const raised: number[] = [];
    await until(key, 2, () => {
      if (minimum() > 0) raised.push((Date.now() - start.getTime()) / minute);
    });
    expect(cluster.condition(key, "ForecastReady")?.reason).toBe("Trusted");
    expect(raised[0]).toBeGreaterThan(105);
    expect(raised[0]).toBeLessThan(120);
    expect([minimum() > 0, cluster.scaled]).toEqual([true, []]);
  });
});
