import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CoarseGrid } from "../../../capabilities/mlscaler/history/coarse";
import {
  heldOf,
  keepMilliseconds,
  Memory,
  memoryOf,
  recall,
  remember,
} from "../../../capabilities/mlscaler/history/memory";
import { emptySeries, record } from "../../../capabilities/mlscaler/history/series";
import { Decision } from "../../../capabilities/mlscaler/scaling/decide";
import { Spec, specSchema } from "../../../capabilities/mlscaler/schema";

const now = 1_767_225_600_000;
const window = 300_000;
const period = 15;

const spec = (fields: object = {}): Spec =>
  specSchema.parse({ target_deployment: "web", max_replicas: 10, metric: "cpu", history_size: 5, ...fields });

const decision = (final: number, recommended?: number): Decision => ({
  recommended,
  final,
  basis: "Load",
  ableToScale: "ReadyForNewScale",
  scalingLimited: "DesiredWithinRange",
  paused: false,
});

const memory = (fields: Partial<Memory> = {}): Memory => ({
  uid: "uid-web",
  of: "cpu",
  series: emptySeries(period * 1000, 0, 8),
  coarse: new Map(),
  recommendations: [],
  scaleEvents: [],
  ...fields,
});

/** A memory of recommendations, each so many seconds ago. */
function recommended(past: { seconds: number; replicas: number }[], fields: Partial<Memory> = {}): Memory {
  const made = memory();
  for (const { seconds, replicas } of past)
    remember(made, decision(replicas, replicas), replicas, false, new Date(now - seconds * 1000));
  return Object.assign(made, fields);
}

const agesOf = ({ recommendations }: Memory): [seconds: number, replicas: number][] =>
  recommendations.map(({ at, replicas }) => [(now - at) / 1000, replicas]);

const count = fc.integer({ min: 0, max: 12 });

describe("memoryOf", () => {
  it("keeps what there is of the same object and spec, and nothing of another object", () => {
    const first = memoryOf(undefined, "shop/web", "a", spec());
    expect(memoryOf(first, "shop/web", "a", spec({ max_replicas: 20 }))).toBe(first);
    remember(first, decision(3, 3), 2, true, new Date(now));
    const other = memoryOf(first, "shop/web", "b", spec());
    expect(other).toMatchObject({ uid: "b", recommendations: [], scaleEvents: [] });
    expect(other.lastScaled).toBeUndefined();
  });

  it.each([
    ["metric", { metric: "memory" }],
    ["step", { sync_period_seconds: 60 }],
    [
      "target",
      { target_deployment: undefined, target_ref: { apiVersion: "apps/v1", kind: "StatefulSet", name: "web" } },
    ],
    ["metrics", { metric: undefined, history_size: undefined, metrics: [{ type: "Resource" }] }],
  ])("begins the series anew with another %s, and keeps the rest", (_, change) => {
    const before = memoryOf(undefined, "shop/web", "a", spec());
    record(before.series, now, 1);
    remember(before, decision(3, 3), 2, true, new Date(now));
    const after = memoryOf(before, "shop/web", "a", spec(change));
    expect(after.series.values).toEqual([]);
    expect(after.recommendations).toEqual(before.recommendations);
    expect(after.scaleEvents).toEqual(before.scaleEvents);
  });

  it("makes room for a longer history, the loads and their times as they were", () => {
    const before = memoryOf(undefined, "shop/web", "a", spec());
    record(before.series, now, 1);
    const after = memoryOf(before, "shop/web", "a", spec({ history_size: 100 }));
    expect(after.series).toEqual({ ...before.series, capacity: 103 });
  });
});

describe("coarse grids", () => {
  const resource = (name: string, target: object): object => ({ type: "Resource", resource: { name, target } });
  const cpu = resource("cpu", { type: "Utilization", averageUtilization: 80 });
  const queue = (type: string, selector?: object): object => ({
    type: "External",
    external: { metric: { name: "queue", selector }, target: { type, averageValue: "5" } },
  });
  const long = (metrics: object[], model: string): Spec => {
    const made = spec({ metric: undefined, history_size: undefined, metrics });
    // As it will be once the long form has more models than "off".
    return { ...made, forecast: { model } } as Spec;
  };

  it("are kept for each load that is forecast", () => {
    const of = (made: Spec): string[] => [...memoryOf(undefined, "shop/web", "a", made).coarse.keys()];
    expect(of(spec())).toEqual(["cpu of Deployment.apps/web every 300 s"]);
    expect(of(spec({ forecast: { model: "off" } }))).toEqual([]);
    expect(of(long([cpu], "off"))).toEqual([]);
    expect(of(long([cpu, queue("AverageValue"), queue("Value", { matchLabels: { target: "a" } })], "auto"))).toEqual([
      'Resource {"name":"cpu"} of Deployment.apps/web every 300 s',
      'External {"metric":{"name":"queue"}} of Deployment.apps/web every 300 s',
    ]);
  });

  it("tell metrics apart by all but what is wanted of them", () => {
    const id = (metric: object): string =>
      [...memoryOf(undefined, "k", "a", long([metric], "auto")).coarse.keys()].join();
    expect(id(resource("cpu", { type: "AverageValue", averageValue: "1" }))).toBe(id(cpu));
    expect(id(resource("memory", { type: "Utilization", averageUtilization: 80 }))).not.toBe(id(cpu));
    const labelled = (target: string): object => queue("AverageValue", { matchLabels: { target } });
    expect(id(labelled("a"))).not.toBe(id(labelled("b")));
  });

  it("go on with another period or history size, and end with the forecast", () => {
    const grids = (before: Memory, made: Spec): CoarseGrid[] => [...memoryOf(before, "k", "a", made).coarse.values()];
    const before = memoryOf(undefined, "k", "a", spec());
    const [grid] = before.coarse.values();
    for (const change of [{ sync_period_seconds: 60 }, { history_size: 100 }, { max_replicas: 20 }])
      expect(grids(before, spec(change))[0], JSON.stringify(change)).toBe(grid);
    expect(grids(before, spec({ metric: "memory" }))[0]).not.toBe(grid);
    const off = memoryOf(before, "k", "a", spec({ forecast: { model: "off" } }));
    expect(off).toMatchObject({ series: before.series });
    expect(off.coarse.size).toBe(0);
    expect(grids(off, spec())).toHaveLength(1);
  });

  it("of one metric stay when another is added or removed", () => {
    const before = memoryOf(undefined, "k", "a", long([cpu], "auto"));
    const both = memoryOf(before, "k", "a", long([cpu, queue("AverageValue")], "auto"));
    expect([...both.coarse.values()][0]).toBe([...before.coarse.values()][0]);
    const after = memoryOf(both, "k", "a", long([queue("AverageValue")], "auto"));
    expect([...after.coarse.values()]).toEqual([[...both.coarse.values()][1]]);
  });
});

describe("remember", () => {
  it("keeps scalings, the count and when it was", () => {
    const made = memory();
    remember(made, decision(5, 5), 3, true, new Date(now));
    remember(made, decision(4, 4), 5, false, new Date(now + 1000));
    expect(made).toMatchObject({ scaleEvents: [{ at: now, change: 2 }], replicas: 5, lastSync: now + 1000 });
    expect(made.lastScaled).toEqual(new Date(now));
  });

  it("keeps no recommendation where nothing was recommended", () => {
    const made = memory();
    remember(made, decision(5), 5, false, new Date(now));
    expect(made.recommendations).toEqual([]);
  });

  it("only moves the time of one that stays", () => {
    expect(agesOf(recommended([30, 15, 0].map(seconds => ({ seconds, replicas: 4 }))))).toEqual([[0, 4]]);
  });

  it("forgets no highest or lowest of any window, and little is left", () => {
    fc.assert(
      fc.property(fc.array(count, { minLength: 1, maxLength: 80 }), fc.nat(90), (counts, seconds) => {
        const past = counts.map((replicas, index) => ({ seconds: counts.length - 1 - index, replicas }));
        const made = recommended(past);
        const within = past.filter(one => one.seconds <= seconds).map(({ replicas }) => replicas);
        const left = agesOf(made).flatMap(([age, replicas]) => (age <= seconds ? [replicas] : []));
        expect(Math.max(...left)).toBe(Math.max(...within));
        expect(Math.min(...left)).toBe(Math.min(...within));
        expect(left.length).toBeLessThanOrEqual(13);
      }),
    );
  });
});

describe("recall", () => {
  it("counts the count as it is where nothing is known: HPA's rule after a start", () => {
    const made = memory();
    recall(made, 7, period, now, window);
    expect(agesOf(made)).toEqual([[0, 7]]);
  });

  it.each([
    ["long ago", [{ seconds: 301, replicas: 3 }], [[0, 7]]],
    ["in the future, as the clock was put back", [{ seconds: -5, replicas: 3 }], [[0, 7]]],
    ["not long ago", [{ seconds: 299, replicas: 3 }], [[299, 3]]],
  ])("with the newest recommendation %s", (_, past, left) => {
    const made = recommended(past);
    recall(made, 7, period, now, window);
    expect(agesOf(made)).toEqual(left);
  });

  it("counts the count as it is at the end of an outage, however long it was", () => {
    const made = recommended([{ seconds: 1000, replicas: 3 }]);
    for (let seconds = 985; seconds >= 0; seconds -= period) recall(made, 7, period, now - seconds * 1000, window);
    recall(made, 7, period, now, window);
    expect(agesOf(made)).toEqual([[0, 7]]);
  });

  it("forgets what is older than what is looked back on", () => {
    const made = recommended([
      { seconds: 500, replicas: 9 },
      { seconds: 100, replicas: 3 },
    ]);
    made.scaleEvents = [500, 100].map(seconds => ({ at: now - seconds * 1000, change: 1 }));
    const longer = structuredClone(made);
    recall(made, 3, period, now, window);
    expect(agesOf(made)).toEqual([[100, 3]]);
    expect(made.scaleEvents).toEqual([{ at: now - 100_000, change: 1 }]);
    recall(longer, 3, period, now, 3_600_000);
    expect(agesOf(longer)).toEqual([
      [500, 9],
      [100, 3],
    ]);
    expect(longer.scaleEvents).toHaveLength(2);
  });

  describe("after it was stored", () => {
    const stored = (seconds: number, fields: Partial<Memory> = {}): Memory =>
      recommended([{ seconds, replicas: 6 }], { replicas: 6, storedAt: now - seconds * 1000, ...fields });

    it("takes what was held for held until now, once", () => {
      const made = stored(100);
      recall(made, 6, period, now, window);
      expect(agesOf(made)).toEqual([[0, 6]]);
      recall(made, 6, period, now + 10_000, window);
      expect(agesOf(made)).toEqual([[0, 6]]);
    });

    it("takes it for held no longer than until the next write was due", () => {
      const made = stored(1000);
      recall(made, 6, period, now, 3_600_000);
      expect(agesOf(made)).toEqual([[1000 - keepMilliseconds / 1000 - 2 * period, 6]]);
    });

    it("does not let what was held long ago scale anything up again", () => {
      const made = stored(7200, { replicas: 2 });
      recall(made, 2, period, now, window);
      expect(agesOf(made)).toEqual([[0, 2]]);
    });

    it("counts another count than the stored as recommended: a scale-up may have been lost", () => {
      const made = stored(10);
      recall(made, 9, period, now, window);
      expect(agesOf(made)).toEqual([
        [0, 6],
        [0, 9],
      ]);
      expect(made.scaleEvents).toEqual([]);
    });

    it("counts a lower count than the stored as scaled down now", () => {
      const made = stored(10);
      recall(made, 4, period, now, window);
      expect(made.scaleEvents).toEqual([{ at: now, change: -2 }]);
      expect(Math.max(...made.recommendations.map(({ replicas }) => replicas))).toBe(6);
    });
  });
});

describe("heldOf", () => {
  it("is the highest of the minute up to the newest recommendation", () => {
    expect(heldOf(memory())).toEqual({});
    expect(heldOf(recommended([{ seconds: 1000, replicas: 3 }]))).toEqual({ highest: 3 });
    const falls = [
      { seconds: 90, replicas: 8 },
      { seconds: 40, replicas: 5 },
      { seconds: 20, replicas: 3 },
    ];
    expect(heldOf(recommended(falls))).toEqual({ highest: 5 });
    expect(heldOf(recommended([...falls, { seconds: 0, replicas: 6 }]))).toEqual({ highest: 6 });
  });

  it("is the lowest of it, too, where a scale-up waits for that", () => {
    const dips = [
      { seconds: 90, replicas: 1 },
      { seconds: 40, replicas: 4 },
      { seconds: 20, replicas: 8 },
    ];
    expect(heldOf({ ...recommended(dips), waitsForLowest: true })).toEqual({ highest: 8, lowest: 4 });
  });

  it("is that of all recommendations, whatever was dropped", () => {
    const some = fc.array(fc.record({ wait: fc.nat(40), replicas: count }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(some, steps => {
        let seconds = 0;
        const past = [...steps].reverse().map(({ wait, replicas }) => {
          const one = { seconds, replicas };
          seconds += wait;
          return one;
        });
        const held = past.filter(one => one.seconds < 60).map(({ replicas }) => replicas);
        expect(heldOf({ ...recommended(past.reverse()), waitsForLowest: true })).toEqual({
          highest: Math.max(...held),
          lowest: Math.min(...held),
        });
      }),
    );
  });
});
