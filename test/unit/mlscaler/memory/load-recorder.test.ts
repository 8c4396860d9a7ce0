import { beforeEach, describe, expect, it, vi } from "vitest";
import { CoarseGrid } from "../../../../capabilities/mlscaler/history/coarse-grid";
import { slotMilliseconds } from "../../../../capabilities/mlscaler/history/retention";
import { Backfill } from "../../../../capabilities/mlscaler/memory/backfill";
import { Histories, LoadRecorder } from "../../../../capabilities/mlscaler/memory/load-recorder";
import { loadId, Memory, memoryOf } from "../../../../capabilities/mlscaler/memory/memory";
import { TargetLoad } from "../../../../capabilities/mlscaler/scaling/loads";
import { leadersOf } from "../../../../capabilities/mlscaler/metrics/leading";
import { Metric, metricNamed } from "../../../../capabilities/mlscaler/metrics/registry";
import { Spec, specSchema } from "../../../../capabilities/mlscaler/schema";
import { start } from "../../time";
import { inTurn } from "../../context";

const period = 30_000;
const target = { type: "AverageValue" as const, averageValue: "1" };
const queue: Metric = { type: "External", external: { metric: { name: "queue" }, target } };
const cpu = metricNamed("cpu", 10);
const query: Metric = { type: "Prometheus", prometheus: { query: "sum(up)", server: "main", target } };

const specOf = (fields: object): Spec => specSchema.parse({ target_deployment: "web", max_replicas: 10, ...fields });
const short = specOf({ metric: "cpu", history_size: 5 });
const long = specOf({ metrics: [queue, query] });

const memoryFor = (spec: Spec): Memory => memoryOf(undefined, "shop/web", "uid-web", spec);
const loadFor = (metric: Metric, load?: number): TargetLoad => ({ metric, load, capacity: 1 });

const gridOf = (memory: Memory, spec: Spec, metric: Metric): CoarseGrid => {
  const grid = memory.grids.get(loadId(spec, metric));
  if (!grid) throw new Error("the load is not forecast");
  return grid;
};

describe("the loads of a sync", () => {
  const range = vi.fn(() => Promise.resolve<[number, number][]>([[start.getTime() - slotMilliseconds, 7]]));
  let recorder: LoadRecorder;
  let backfill: Backfill;

  beforeEach(() => {
    range.mockClear();
    backfill = new Backfill({ range }, () => undefined);
    recorder = new LoadRecorder(backfill);
  });

  /** Records the loads of a sync, so many milliseconds after the first. */
  const record = (spec: Spec, memory: Memory, loads: TargetLoad[], after = 0): Promise<Histories> => {
    const now = new Date(start.getTime() + after);
    const scaler = { key: "shop/web", spec, now, record: () => Promise.resolve(), log: () => undefined, turn: inTurn };
    return recorder.record(scaler, memory, loads);
  };

  it("go into a new series where a line is fitted, and leave that of the memory as it was", async () => {
    const memory = memoryFor(short);
    const { series, grids, backfilled } = await record(short, memory, [loadFor(cpu, 0.5)]);
    expect(series.values).toEqual([0.5]);
    expect(memory.state.series.values).toEqual([]);
    expect(grids).toEqual([{ id: loadId(short, cpu), grid: gridOf(memory, short, cpu) }]);
    expect(backfilled).toBe(false);
  });

  it("go into the grid of their own metric, for two periods at most", async () => {
    const memory = memoryFor(long);
    const loads = [loadFor(query, 6), loadFor(queue, 5)];
    for (let at = 0; at <= slotMilliseconds; at += 2 * period) await record(long, memory, loads, at);
    expect([...gridOf(memory, long, queue).loads()]).toEqual([5]);
    expect([...gridOf(memory, long, query).loads()]).toEqual([6]);
    // From here on nothing is known for more than half of the slot.
    await record(long, memory, loads, 2 * slotMilliseconds);
    expect([...gridOf(memory, long, queue).loads()]).toEqual([5, NaN]);
  });

  it("go into a grid of their own where they lead, once where they are a load as well", async () => {
    const leading = [{ prometheus: { query: "gateway" } }, { prometheus: { query: "sum(up)" } }];
    const spec = specOf({ metrics: [query], forecast: { leading } });
    const memory = memoryFor(spec);
    const [gateway, same] = leadersOf(spec);
    if (!gateway || !same) throw new Error("the spec has no leaders");
    expect(memory.grids.size).toBe(2);
    const scaler = {
      key: "shop/web",
      spec,
      now: start,
      record: () => Promise.resolve(),
      log: () => undefined,
      turn: inTurn,
    };
    const leaders = [
      { metric: gateway, load: 9 },
      { metric: same, load: 1 },
    ];
    const { grids, leaders: led } = await recorder.record(scaler, memory, [loadFor(query, 1)], leaders);
    expect(grids.map(found => found?.id)).toEqual([loadId(spec, query)]);
    expect(led.map(({ id }) => id)).toEqual([loadId(spec, gateway), loadId(spec, query)]);
    expect(new Set([...led, ...grids].map(found => found?.grid)).size).toBe(2);
  });

  it("are not remembered where they lead and no regression takes them", () => {
    const leading = [{ prometheus: { query: "gateway" } }];
    for (const model of ["off", "holt"])
      expect(memoryFor(specOf({ metrics: [query], forecast: { model, leading } })).grids.size).toBe(
        model === "off" ? 0 : 1,
      );
  });

  it("have their past filled in from Prometheus where a load is known", async () => {
    const memory = memoryFor(long);
    expect((await record(long, memory, [loadFor(queue, 1), loadFor(query, 1)])).backfilled).toBe(false);
    await backfill.settled();
    expect(range).toHaveBeenCalledWith(
      "shop",
      "main",
      "sum(up)",
      expect.anything(),
      expect.anything(),
      expect.anything(),
    );
    expect((await record(long, memory, [loadFor(queue, 1), loadFor(query, 1)], period)).backfilled).toBe(true);
  });
});
