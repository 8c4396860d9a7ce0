import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { setImmediate as turn, setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { parse } from "yaml";
import { Namespaces } from "../../../../capabilities/kubernetes/namespaces";
import { answer } from "../../../../capabilities/webhook/admission";
import { Admission, backtestMilliseconds } from "../../../../capabilities/mlscaler/admission/admission";
import { Prometheus } from "../../../../capabilities/mlscaler/metrics/prometheus/client";
import { MetricsError } from "../../../../capabilities/mlscaler/metrics/reading";
import { mlscaler } from "../../../../capabilities/mlscaler/schema";
import { textOf } from "../../../../capabilities/mlscaler/admission/what-if";
import * as backtest from "../../../../capabilities/mlscaler/backtest/last-day";
import { Turns } from "../../../../capabilities/operator/turns";
import { broken, Call } from "../../fake-api";
import { FakeCluster } from "../../fake-cluster";
import { validateRequest } from "../../validate-request";
import { noise, storeHistory } from "../memory/remembered";

const metrics = [
  { type: "Resource", resource: { name: "cpu", target: { type: "AverageValue", averageValue: "100m" } } },
];
/** A model that learns the leap in a tenth of the time of auto. */
const model = "holt_winters";
const longForm = {
  ...{ target_deployment: "web", min_replicas: 1, max_replicas: 20, mode: "Active", metrics },
  sync_period_seconds: 60,
  forecast: { model },
};
const dayMilliseconds = 86_400_000;

/** A leap for an hour of each day, half a day ago and every day before. */
const leap = (at: number): number =>
  (Math.abs(((at - began) % dayMilliseconds) + dayMilliseconds / 2) < dayMilliseconds / 48 ? 0.9 : 0.3) *
  (0.95 + 0.1 * noise(at));
const began = Date.now();

let cluster: FakeCluster;
let admission: Admission;
let calls: () => string[];

// No test waits for less, or for longer, because the machine is busy.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

beforeEach(() => {
  cluster = new FakeCluster();
  cluster.deploy("web", 3);
  admission = new Admission(cluster.api, new Namespaces(), new Turns());
  calls = () => cluster.api.calls.map(({ path }) => path.split("/").at(-1) ?? "");
});

/** Stores an MLScaler and five days of its history. */
async function stored(spec: object = longForm, days = 5): Promise<object> {
  cluster.create("web", { metric: undefined, history_size: undefined, ...spec });
  await storeHistory(cluster, "shop/web", days, [leap]);
  cluster.api.calls.length = 0;
  return { metadata: { uid: "uid-web" }, spec };
}

/** The warnings that are answered to an update to `spec`. */
async function updated(before: object, spec: object): Promise<string[]> {
  const request = validateRequest({ object: { metadata: { uid: "uid-web" }, spec }, before });
  const { allowed, warnings } = await answer(mlscaler, request, review => admission.review(review));
  expect(allowed).toBe(true);
  return warnings ?? [];
}

const figures =
  /^backtest 24h: under-provisioned (\d+\.\d)% \(HPA (\d+\.\d)%\), (\d+) replica-hours \(HPA (\d+)\), \d+ scalings$/;

describe("an update", () => {
  it("gets a backtest of the last day", async () => {
    const before = await stored();
    const [text = "", ...others] = await updated(before, {
      ...longForm,
      max_replicas: 19,
      forecast: { model, max_extra_percent: 300 },
    });
    expect(others).toEqual([]);
    const [, ours, hpa, hours, hoursOfHpa] = (figures.exec(text) ?? []).map(Number);
    expect(text).toMatch(figures);
    expect(ours).toBeLessThan(hpa ?? NaN);
    expect(hours).toBeGreaterThan(hoursOfHpa ?? NaN);
  });

  it("of the short form is judged by its line, or by its forecast block", async () => {
    const shortForm = {
      target_deployment: "web",
      min_replicas: 1,
      max_replicas: 20,
      mode: "Active",
      metric: "cpu",
      history_size: 5,
      sync_period_seconds: 60,
    };
    const before = await stored(shortForm);
    expect(await updated(before, { ...shortForm, max_replicas: 19 })).toEqual([expect.stringMatching(figures)]);
    expect(await updated(before, { ...shortForm, forecast: { model } })).toEqual([expect.stringMatching(figures)]);
  });

  it("that changes the target load of a replica uses the same history", async () => {
    const before = await stored();
    const [resource] = metrics;
    const target = { type: "AverageValue", averageValue: "200m" };
    const twice = { ...longForm, metrics: [{ ...resource, resource: { name: "cpu", target } }] };
    const hours = async (spec: object): Promise<number> =>
      Number(figures.exec((await updated(before, spec))[0] ?? "")?.[4]);
    expect(await hours(twice)).toBeLessThan(0.8 * (await hours({ ...longForm, max_replicas: 19 })));
  });

  it("is answered the same again at once, without a look at the history", async () => {
    const before = await stored();
    const spec = { ...longForm, max_replicas: 19 };
    const first = await updated(before, spec);
    cluster.api.calls.length = 0;
    expect(await updated(before, spec)).toEqual(first);
    expect(calls()).toEqual([]);
  });

  it("has time of its own to read the target, whatever is left of the time for an answer", async () => {
    const before = await stored();
    expect(await updated(before, { ...longForm, max_replicas: 19 })).toEqual([expect.stringMatching(figures)]);
    const reads = cluster.api.calls.filter(({ path }) => /\/(scale|pods)$/.test(path));
    expect(reads.slice(-2).map(({ timeoutSeconds }) => timeoutSeconds)).toEqual([5, 5]);
  });

  it("is answered without where nothing is stored, or less than a day, and nothing is computed", async () => {
    const work = vi.spyOn(backtest, "lastDay");
    expect(await updated({ metadata: { uid: "uid-web" }, spec: longForm }, { ...longForm, max_replicas: 19 })).toEqual(
      [],
    );
    expect(work).not.toHaveBeenCalled();
    expect(await updated(await stored(longForm, 0.5), { ...longForm, max_replicas: 18 })).toEqual([]);
    work.mockRestore();
  });

  it("is answered without where nothing is forecast", async () => {
    const before = await stored();
    expect(await updated(before, { ...longForm, forecast: { model: "off" } })).toEqual([]);
    expect(calls()).not.toContain("pods");
  });

  it("is answered without, and as ever, where the history cannot be read", async () => {
    const before = await stored();
    cluster.fail("GET", "mlscaler-state-uid-web", broken());
    expect(await updated(before, { ...longForm, max_replicas: 19 })).toEqual([]);
    cluster.heal();
    const unreadable = { data: { version: "1", of: "something else" } };
    for (const name of cluster.configMaps.keys()) cluster.configMaps.set(name, unreadable);
    expect(await updated(before, { ...longForm, max_replicas: 18 })).toEqual([]);
  });

  it("of many at once one gets a backtest, the others answers without", async () => {
    const before = await stored();
    const all = await Promise.all([15, 16, 17, 18, 19].map(max => updated(before, { ...longForm, max_replicas: max })));
    expect(all.filter(warnings => warnings.length > 0)).toHaveLength(1);
  });

  it("rests between the slices of its work while others ask, and only then", async () => {
    vi.useRealTimers();
    const before = await stored();
    const timers = vi.spyOn(globalThis, "setTimeout");
    const rests = (): number => timers.mock.calls.filter(([, milliseconds]) => milliseconds === 10).length;
    const alone = { ...longForm, max_replicas: 19 };
    let answer = await updated(before, alone);
    expect(rests()).toBe(0);
    // On a busy machine a backtest may take longer than the 1.5 s of its review. It continues, and blocks others.
    while (answer.length === 0) {
      await pause(50);
      answer = await updated(before, alone);
    }
    timers.mockClear();
    let answered = false;
    const asked = updated(before, { ...longForm, max_replicas: 18 }).finally(() => (answered = true));
    while (!answered) {
      await updated(before, { ...longForm, forecast: { model: "off" } });
      await turn();
    }
    await asked;
    expect(rests()).toBeGreaterThan(0);
    timers.mockRestore();
  });

  it("waits at most 1.5 s for it, and a repeated review gets it", async () => {
    const before = await stored();
    const { answer: ask } = cluster.api;
    let release: () => void = () => undefined;
    const held = new Promise<void>(resolve => (release = resolve));
    Object.assign(cluster.api, {
      answer: async (call: Call) => {
        if (call.path.endsWith("mlscaler-state-uid-web")) await held;
        return ask(call);
      },
    });
    const spec = { ...longForm, max_replicas: 19 };
    let warnings: string[] | undefined;
    const asked = updated(before, spec).then(found => (warnings = found));
    for (let turn = 0; turn < 20; turn++) await vi.advanceTimersByTimeAsync(0);
    await vi.advanceTimersByTimeAsync(1400);
    expect(warnings).toBeUndefined();
    await vi.advanceTimersByTimeAsync(100);
    expect(warnings).toEqual([]);
    vi.useRealTimers();
    await asked;
    release();
    let repeated: string[] = [];
    while (repeated.length === 0) {
      // The work rests while others ask.
      await pause(50);
      repeated = await updated(before, spec);
    }
    expect(repeated).toEqual([expect.stringMatching(figures)]);
  });
});

describe("an answer", () => {
  it("takes half of the time that the API server waits for one at most, however the module was installed", () => {
    const read = (path: string): string => readFileSync(resolve(__dirname, "../../../..", path), "utf8");
    const seconds = 3;
    expect(JSON.parse(read("package.json"))).toMatchObject({ pepr: { webhookTimeout: seconds } });
    expect(parse(read("charts/mlscaler/values.yaml"))).toMatchObject({ admission: { timeoutSeconds: seconds } });
    expect(backtestMilliseconds).toBeLessThanOrEqual((1000 * seconds) / 2);
  });
});

describe("a new MLScaler", () => {
  it("has no history of its own, and asks for none", async () => {
    const { allowed, warnings } = await answer(
      mlscaler,
      validateRequest({ object: { spec: { ...longForm, mode: "Observe" } } }),
      review => admission.review(review),
    );
    expect({ allowed, warnings }).toEqual({ allowed: true, warnings: [] });
    expect(calls()).toEqual(["v1", "scale"]);
  });
});

describe("a new MLScaler by a Prometheus server", () => {
  const target = { type: "AverageValue", averageValue: "100m" };
  const spec = {
    ...longForm,
    metrics: [{ type: "Prometheus", prometheus: { query: "sum(load)", target, server: "main" } }],
  };
  const created = async (): Promise<string[]> => {
    const request = validateRequest({ object: { spec: { ...spec, mode: "Observe" } } });
    return (await answer(mlscaler, request, review => admission.review(review))).warnings ?? [];
  };

  it("gets a backtest by two weeks of load from the server", async () => {
    const range = vi
      .spyOn(Prometheus.prototype, "range")
      .mockImplementation((_namespace, _server, _query, from, to, step) => {
        const times = Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, slot) => from + slot * step);
        return Promise.resolve(times.map((at): [number, number] => [at, leap(at)]));
      });
    expect(await created()).toContainEqual(expect.stringMatching(figures));
    const [namespace, server, query, from = 0, to = 0, step] = range.mock.calls[0] ?? [];
    const days = (to - from) / dayMilliseconds;
    expect([namespace, server, query, days, step]).toEqual(["shop", "main", "sum(load)", 14, 300_000]);
    range.mockRestore();
  });

  it("passes without a backtest when the server fails", async () => {
    const range = vi.spyOn(Prometheus.prototype, "range").mockRejectedValue(new MetricsError("X", "no such server"));
    expect((await created()).filter(warning => warning.startsWith("backtest"))).toEqual([]);
    range.mockRestore();
  });
});

describe("textOf", () => {
  it("is one line of at most 256 characters, and tells when the forecast was not trusted", () => {
    const figures = { underProvisionedPercent: 100, replicaHours: 24 * (2 ** 31 - 1), scalings: 5760 };
    const mlscaler = { underProvisionedPercent: 0.34, replicaHours: 9.94, scalings: 31 };
    expect(textOf({ mlscaler, hpa: figures, trusted: 0.999 })).toBe(
      "backtest 24h: under-provisioned 0.3% (HPA 100.0%), 9.9 replica-hours (HPA 51539607528), 31 scalings; forecast trusted 99% of the time",
    );
    expect(textOf({ mlscaler: figures, hpa: figures, trusted: 0 }).length).toBeLessThan(256);
    const held = textOf({ mlscaler, hpa: figures, trusted: 1, rises: { all: 3, heldBack: 2 } });
    expect(held).toMatch(/; max_extra_percent held it back in 2 of 3 rises$/);
  });

  it("tells that leading loads are left out", () => {
    const figures = { underProvisionedPercent: 1, replicaHours: 24, scalings: 5 };
    expect(textOf({ mlscaler: figures, hpa: figures }, true)).toMatch(/ 5 scalings; without forecast\.leading$/);
  });
});
