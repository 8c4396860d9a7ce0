import { setImmediate as turn } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import { pass, start } from "../../time";
import { daily, replayed } from "../memory/remembered";
import { prometheusHas } from "./prometheus-loads";
import { cluster, longForm, setting, useSetting } from "./setting";

useSetting();

const minute = 60_000;
const promQl = "sum(rate(requests[1m]))";

let query: ReturnType<typeof prometheusHas>["query"];
let range: ReturnType<typeof prometheusHas>["range"];

beforeEach(() => {
  ({ query, range } = prometheusHas(daily, -Infinity));
});

const metric = (type: "AverageValue" | "Value" = "AverageValue"): object => ({
  type: "Prometheus",
  prometheus: { query: promQl, server: "main", target: { type, [type === "Value" ? "value" : "averageValue"]: "100" } },
});

const create = (spec: object = {}, metrics = [metric()]): string =>
  cluster.createOn(5, longForm(metrics, { forecast: { model: "holt_winters" }, ...spec }));

/** Waits for backfills that syncs have begun, until so many have come. */
async function backfilled(times: number): Promise<void> {
  while (setting.woken.length < times) await turn();
}

describe("a load that Prometheus has", () => {
  it("is scaled on, its history read at once, and its forecast trusted within the first minute", async () => {
    const key = create();
    await setting.sync(key);
    expect(cluster.condition(key, "ScalingActive")?.status).toBe("True");
    expect(cluster.condition(key, "ForecastReady")?.reason).toBe("Learning");
    await backfilled(1);
    expect(setting.woken).toEqual(["MLScaler shop/web"]);
    await pass(2);
    // What is filled in is replayed, for which it is looked again sooner than a period later.
    expect(await setting.sync(key)).toMatchObject({ next: "soon", afterSeconds: 10 });
    await replayed();
    await pass(10);
    expect(await setting.sync(key)).toMatchObject({ next: "sync" });
    expect(setting.condition(key, "ForecastReady")).toBe("True/Trusted");
    expect(Date.now() - start.getTime()).toBeLessThan(minute);
    await setting.course(key, 4 * 27);
    expect(setting.replicas()).toBeGreaterThanOrEqual(7);
    expect(cluster.events.find(({ reason }) => reason === "SuccessfulRescale")?.message).toMatch(
      /^5 → \d: forecast p90 \d+\.\d+ sum\(rate\(requests\[1m\]\)\) in 110 s \(model .+\), target 100$/,
    );
    expect(cluster.stored(key).status?.metrics).toMatchObject([{ name: promQl, type: "Prometheus", target: "100" }]);
    expect(range).toHaveBeenCalledTimes(4);
  });

  it("is kept, and asked for again only as far as it came while nobody looked", async () => {
    const key = create();
    await setting.course(key, 1);
    await backfilled(1);
    await setting.course(key, 1);
    await setting.controller.flush();
    await pass(3600);
    setting.restart();
    range.mockClear();
    await setting.course(key, 1);
    await backfilled(2);
    expect(range).toHaveBeenCalledTimes(1);
    const [, , , from = NaN, to = NaN] = range.mock.calls[0] ?? [];
    expect((to - from) / minute).toBeGreaterThanOrEqual(59);
    expect((to - from) / minute).toBeLessThanOrEqual(65);
  });
});

describe("a value that is no total", () => {
  it("is scaled on and neither forecast nor backfilled", async () => {
    const key = create({}, [metric("Value")]);
    query.mockResolvedValue({ value: 200 });
    await setting.course(key, 1);
    expect(setting.replicas()).toBe(10);
    expect(cluster.condition(key, "ForecastReady")?.reason).toBe("NoTotal");
    expect(cluster.stored(key).status).not.toHaveProperty("forecast");
    expect(range).not.toHaveBeenCalled();
  });
});

describe("a server whose clock differs", () => {
  const hour = 3_600_000;
  const skew = { server: "Prometheus server main", milliseconds: -hour };
  const shows = (at: number): void =>
    cluster.api.clock.observe({ date: new Date(at).toUTCString() }, performance.now());

  it("may raise the count and not lower it, and this is told until it is over", async () => {
    const key = create({ behavior: { scaleDown: { stabilizationWindowSeconds: 0 } } });
    query.mockResolvedValue({ value: 100, skew });
    // A backtest of a load of ours is not looked at here.
    range.mockResolvedValue([]);
    await setting.course(key, 3);
    expect(setting.replicas()).toBe(5);
    const message =
      "the clock of Prometheus server main is 60 min behind that of the API server; correct it, until then its " +
      "values lower nothing";
    expect(cluster.condition(key, "ClockSkewed")).toMatchObject({ status: "True", reason: "ClockSkewed", message });
    expect(cluster.condition(key, "Ready")).toMatchObject({ status: "False", reason: "ClockSkewed", message });
    expect(cluster.stored(key).status?.decision).toMatchObject({
      reason: expect.stringContaining("scale-down held: a metric has no usable timestamp") as string,
    });
    expect(cluster.events.at(-1)).toMatchObject({ type: "Warning", reason: "ClockSkewed", message });
    query.mockResolvedValue({ value: 800, skew });
    await setting.course(key, 1);
    expect(setting.replicas()).toBe(8);
    query.mockResolvedValue({ value: 100 });
    await setting.course(key, 1);
    expect(cluster.condition(key, "ClockSkewed")).toBeUndefined();
    expect(cluster.condition(key, "Ready")?.status).toBe("True");
    expect(setting.replicas()).toBe(1);
  });

  it("that is the API server's is told, and lowers what values of a known age ask for", async () => {
    const key = create({ behavior: { scaleDown: { stabilizationWindowSeconds: 0 } } });
    query.mockResolvedValue({ value: 100 });
    range.mockResolvedValue([]);
    shows(Date.now() + hour);
    expect(await setting.sync(key)).toMatchObject({ next: "sync" });
    expect(setting.replicas()).toBe(1);
    expect(cluster.condition(key, "ClockSkewed")?.message).toBe(
      "the clock of the API server is 60 min ahead of that of MLScaler; correct the clock of its node",
    );
    expect(cluster.condition(key, "Ready")?.reason).toBe("ClockSkewed");
    shows(Date.now());
    await setting.course(key, 1);
    expect(cluster.condition(key, "ClockSkewed")).toBeUndefined();
  });

  it("is the one by which samples of pods are fresh or not", async () => {
    const spec = { behavior: { scaleDown: { stabilizationWindowSeconds: 0 } } };
    const cpu = { type: "Resource", resource: { name: "cpu", target: { type: "AverageValue", averageValue: "1" } } };
    const key = create(spec, [cpu]);
    // Ours is an hour behind, so the samples, which have our time in this cluster, are an hour old.
    shows(Date.now() + hour);
    await setting.course(key, 1);
    expect(cluster.condition(key, "ScalingActive")?.message).toContain("too old");
    shows(Date.now() - hour);
    await setting.course(key, 1);
    expect(cluster.condition(key, "ScalingActive")?.message).toContain("may not lower the count");
    expect(setting.replicas()).toBe(5);
  });
});
