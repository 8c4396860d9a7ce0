import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CoarseGrid } from "../../../../capabilities/mlscaler/history/coarse-grid";
import {
  heldOf,
  keepMilliseconds,
  Memory,
  memoryOf,
  recall,
  remember,
  State,
  withAdopted,
  withStored,
} from "../../../../capabilities/mlscaler/memory/memory";
import { emptySeries, recorded } from "../../../../capabilities/mlscaler/history/series";
import { Past } from "../../../../capabilities/mlscaler/scaling/rule/behavior";
import { Decision } from "../../../../capabilities/mlscaler/scaling/decide";
import { Spec, specSchema } from "../../../../capabilities/mlscaler/schema";

const now = 1_767_225_600_000;
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

const memory = (state: Partial<State> = {}, session: Partial<Memory["session"]> = {}): Memory => ({
  uid: "uid-web",
  state: {
    ...{ of: "cpu", series: emptySeries(period * 1000, 0, 8), recommendations: [], scaleEvents: [], benefit: [] },
    ...state,
  },
  session,
  grids: new Map(),
  waitsForLowest: false,
});

/** The memory after a sync that made this decision. */
const decided = (before: Memory, made: Decision, current: number, scaled: boolean, at: number): Memory =>
  remember(before, {
    ...{ now: at, series: before.state.series, revision: {} },
    plan: { decision: made, past: before.state, failedSyncs: 0 },
    decided: { current, scaled },
  });

/** The memory after a sync that looked back at `at`, and broke off before it decided. */
const recalled = (before: Memory, current: number, at: number, fields: object = {}): Memory =>
  remember(before, {
    ...{ now: at, series: before.state.series, revision: {} },
    plan: {
      ...{ decision: decision(current, current), failedSyncs: 0 },
      past: recall(before, current, spec({ sync_period_seconds: period, ...fields }), at),
    },
  });

/** A memory of recommendations, each so many seconds ago. */
const recommended = (
  past: { seconds: number; replicas: number }[],
  state: Partial<State> = {},
  session: Partial<Memory["session"]> = {},
): Memory => {
  const made = past.reduce(
    (before, { seconds, replicas }) =>
      decided(before, decision(replicas, replicas), replicas, false, now - seconds * 1000),
    memory(),
  );
  return { ...made, state: { ...made.state, ...state }, session: { ...made.session, ...session } };
};

const agesOf = ({ recommendations }: Past): [seconds: number, replicas: number][] =>
  recommendations.map(({ at, replicas }) => [(now - at) / 1000, replicas]);

/** A spec that looks back on an hour. */
const hourBack = { behavior: { scaleDown: { stabilizationWindowSeconds: 3600 } } };

const count = fc.integer({ min: 0, max: 12 });

const withLoad = (before: Memory): Memory => ({
  ...before,
  state: { ...before.state, series: recorded(before.state.series, now, 1) },
});

const resource = (name: string, target: object): object => ({ type: "Resource", resource: { name, target } });
const cpu = resource("cpu", { type: "Utilization", averageUtilization: 80 });

describe("memoryOf", () => {
  it("keeps what there is of the same object and spec, and nothing of another object", () => {
    const first = memoryOf(undefined, "shop/web", "a", spec());
    const again = memoryOf(first, "shop/web", "a", spec({ max_replicas: 20 }));
    expect(again).toEqual(first);
    expect(again.grids).toBe(first.grids);
    const scaled = decided(first, decision(3, 3), 2, true, now);
    expect(memoryOf(scaled, "shop/web", "a", spec())).toEqual(scaled);
    const other = memoryOf(scaled, "shop/web", "b", spec());
    expect(other).toMatchObject({ uid: "b", state: { recommendations: [], scaleEvents: [] }, session: {} });
    expect(other.state.lastScaled).toBeUndefined();
  });

  it.each([
    ["metric", { metric: "memory" }],
    ["step", { sync_period_seconds: 60 }],
    [
      "target",
      { target_deployment: undefined, target_ref: { apiVersion: "apps/v1", kind: "StatefulSet", name: "web" } },
    ],
    ["metrics", { metric: undefined, history_size: undefined, metrics: [cpu] }],
  ])("begins the series anew with another %s, and keeps the rest", (_, change) => {
    const before = decided(withLoad(memoryOf(undefined, "shop/web", "a", spec())), decision(3, 3), 2, true, now);
    const after = memoryOf(before, "shop/web", "a", spec(change));
    expect(before.state.series.values).toEqual([1]);
    expect(after.state.series.values).toEqual([]);
    expect(after.state.recommendations).toEqual(before.state.recommendations);
    expect(after.state.scaleEvents).toEqual(before.state.scaleEvents);
  });

  it("makes room for a longer history, the loads and their times as they were", () => {
    const before = withLoad(memoryOf(undefined, "shop/web", "a", spec()));
    const after = memoryOf(before, "shop/web", "a", spec({ history_size: 100 }));
    expect(after.state.series).toEqual({ ...before.state.series, capacity: 103 });
  });

  it("waits for the lowest recommendation as soon as the spec has a window for scale-ups", () => {
    const before = memoryOf(undefined, "shop/web", "a", spec());
    const behavior = { scaleUp: { stabilizationWindowSeconds: 60 } };
    expect(before.waitsForLowest).toBe(false);
    expect(memoryOf(before, "shop/web", "a", spec({ behavior })).waitsForLowest).toBe(true);
  });
});

describe("coarse grids", () => {
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
    const of = (made: Spec): string[] => [...memoryOf(undefined, "shop/web", "a", made).grids.keys()];
    expect(of(spec())).toEqual(['Resource {"name":"cpu"} of Deployment.apps/web every 300 s']);
    expect(of(spec({ forecast: { model: "off" } }))).toEqual([]);
    expect(of(long([cpu], "off"))).toEqual([]);
    expect(of(long([cpu, queue("AverageValue"), queue("Value", { matchLabels: { target: "a" } })], "auto"))).toEqual([
      'Resource {"name":"cpu"} of Deployment.apps/web every 300 s',
      'External {"metric":{"name":"queue"}} of Deployment.apps/web every 300 s',
    ]);
  });

  it("go on with another period or history size, and end with the forecast", () => {
    const grids = (before: Memory, made: Spec): CoarseGrid[] => [...memoryOf(before, "k", "a", made).grids.values()];
    const before = memoryOf(undefined, "k", "a", spec());
    const [grid] = before.grids.values();
    for (const change of [{ sync_period_seconds: 60 }, { history_size: 100 }, { max_replicas: 20 }])
      expect(grids(before, spec(change))[0], JSON.stringify(change)).toBe(grid);
    expect(grids(before, spec({ metric: "memory" }))[0]).not.toBe(grid);
    const off = memoryOf(before, "k", "a", spec({ forecast: { model: "off" } }));
    expect(off.grids.size).toBe(0);
    expect(grids(off, spec())).toHaveLength(1);
  });
});

describe("remember", () => {
  it("keeps scalings, the count and when it was", () => {
    const scaled = decided(memory(), decision(5, 5), 3, true, now);
    const made = decided(scaled, decision(4, 4), 5, false, now + 1000);
    expect(made).toMatchObject({
      state: { scaleEvents: [{ at: now, change: 2 }], replicas: 5 },
      session: { lastSync: now + 1000 },
    });
    expect(made.state.lastScaled).toEqual(new Date(now));
    // So that a restart takes the count for nobody else's.
    expect(scaled.state.replicas).toBe(5);
  });

  it("takes the count that a first sync found above the bounds for recommended, as HPA does, and no later one", () => {
    const correction: Decision = { ...decision(10), basis: "Bounds" };
    const found = recalled(memory(), 12, now);
    const first = decided(found, correction, 12, true, now);
    expect(first.state.lastRecommended).toBe(now);
    expect(decided(first, correction, 12, true, now + 1000).state.lastRecommended).toBe(now);
  });

  it("keeps the loads and the rollout, and nothing of a decision, when the scale could not be written", () => {
    const before = decided(memory(), decision(5, 5), 3, true, now);
    const series = recorded(before.state.series, now, 1);
    const past = { recommendations: [{ at: now, replicas: 7 }], scaleEvents: [] };
    const revision = { from: "a", replacedAt: now };
    const plan = { decision: decision(7, 7), past, failedSyncs: 0 };
    const after = remember(before, { now: now + 1000, series, revision, plan });
    expect(after.state).toEqual({ ...before.state, ...past, series, revision: "a" });
    expect(after.session).toEqual({ ...before.session, replacedAt: now });
  });

  it("forgets no highest or lowest of any window, and little is left", () => {
    fc.assert(
      fc.property(fc.array(count, { minLength: 1, maxLength: 80 }), fc.nat(90), (counts, seconds) => {
        const past = counts.map((replicas, index) => ({ seconds: counts.length - 1 - index, replicas }));
        const made = recommended(past);
        const within = past.filter(one => one.seconds <= seconds).map(({ replicas }) => replicas);
        const left = agesOf(made.state).flatMap(([age, replicas]) => (age <= seconds ? [replicas] : []));
        expect(Math.max(...left)).toBe(Math.max(...within));
        expect(Math.min(...left)).toBe(Math.min(...within));
        expect(left.length).toBeLessThanOrEqual(13);
      }),
    );
  });
});

it("an MLScaler that replaces a deleted one gets its loads and none of its decisions", () => {
  const [before, after] = ["old", "new"].map(uid => memoryOf(undefined, "shop/web", uid, spec()));
  if (!before || !after) throw new Error("there is no memory");
  const { state } = decided(withLoad(before), decision(5, 5), 3, true, now);
  expect(withAdopted(after, state).state).toEqual({ ...after.state, series: state.series });
});

describe("recall", () => {
  it("counts the count as it is where nothing is known: HPA's rule after a start", () => {
    expect(agesOf(recalled(memory(), 7, now).state)).toEqual([[0, 7]]);
  });

  it.each([
    ["long ago", [{ seconds: 301, replicas: 3 }], [[0, 7]]],
    ["in the future, as the clock was put back", [{ seconds: -5, replicas: 3 }], [[0, 7]]],
    ["not long ago", [{ seconds: 299, replicas: 3 }], [[299, 3]]],
  ])("with the newest recommendation %s", (_, past, left) => {
    expect(agesOf(recalled(recommended(past), 7, now).state)).toEqual(left);
  });

  it.each([
    ["as long as two periods", 30, 30, [[0, 7]]],
    ["as long as two periods, within its last second", 30, 31, [[0, 7]]],
    ["shorter than two periods, which are no outage", 29, 30, []],
    ["shorter than two periods, which an outage is longer than", 29, 31, [[0, 7]]],
  ])("with a window %s", (_, window, seconds, left) => {
    const behavior = { scaleDown: { stabilizationWindowSeconds: window } };
    expect(agesOf(recalled(recommended([{ seconds, replicas: 3 }]), 7, now, { behavior }).state)).toEqual(left);
  });

  it("counts the count as it is at the end of an outage, however long it was", () => {
    let made = recommended([{ seconds: 1000, replicas: 3 }]);
    for (let seconds = 985; seconds >= 0; seconds -= period) made = recalled(made, 7, now - seconds * 1000);
    expect(agesOf(recalled(made, 7, now).state)).toEqual([[0, 7]]);
  });

  it("never looks back on nothing, whatever the window and the time since the newest recommendation", () => {
    const windows = fc.integer({ min: 2 * period, max: 3600 });
    const ages = fc.tuple(windows, fc.integer({ min: -2_000, max: 2_000 }));
    fc.assert(
      fc.property(ages, count, ([window, apart], replicas) => {
        const made = recommended([{ seconds: window + apart / 1000, replicas }]);
        const behavior = { scaleDown: { stabilizationWindowSeconds: window } };
        expect(recalled(made, 7, now, { behavior }).state.recommendations).toHaveLength(1);
      }),
    );
  });

  it("forgets what is older than what is looked back on", () => {
    const scaleEvents = [500, 100].map(seconds => ({ at: now - seconds * 1000, change: 1 }));
    const made = recommended(
      [
        { seconds: 500, replicas: 9 },
        { seconds: 100, replicas: 3 },
      ],
      { scaleEvents },
    );
    const shorter = recalled(made, 3, now).state;
    expect(agesOf(shorter)).toEqual([[100, 3]]);
    expect(shorter.scaleEvents).toEqual([{ at: now - 100_000, change: 1 }]);
    const longer = recalled(made, 3, now, hourBack).state;
    expect(agesOf(longer)).toEqual([
      [500, 9],
      [100, 3],
    ]);
    expect(longer.scaleEvents).toHaveLength(2);
  });

  describe("after it was stored", () => {
    const stored = (seconds: number, state: Partial<State> = {}): Memory =>
      withStored(
        memory(),
        recommended([{ seconds, replicas: 6 }], { replicas: 6, ...state }).state,
        now - seconds * 1000,
      );

    it("takes what was held for held until now, once", () => {
      const made = recalled(stored(100), 6, now);
      expect(agesOf(made.state)).toEqual([[0, 6]]);
      expect(agesOf(recalled(made, 6, now + 10_000).state)).toEqual([[0, 6]]);
    });

    it("takes it for held no longer than until the next write was due", () => {
      const made = recalled(stored(1000), 6, now, hourBack);
      expect(agesOf(made.state)).toEqual([[1000 - keepMilliseconds / 1000 - 2 * period, 6]]);
    });

    it("does not let what was held long ago scale anything up again", () => {
      expect(agesOf(recalled(stored(7200, { replicas: 2 }), 2, now).state)).toEqual([[0, 2]]);
    });

    it("counts another count than the stored as recommended: a scale-up may have been lost", () => {
      const { state } = recalled(stored(10), 9, now);
      expect(agesOf(state)).toEqual([
        [0, 6],
        [0, 9],
      ]);
      expect(state.scaleEvents).toEqual([]);
    });

    it("counts a lower count than the stored as scaled down now", () => {
      const { state } = recalled(stored(10), 4, now);
      expect(state.scaleEvents).toEqual([{ at: now, change: -2 }]);
      expect(Math.max(...state.recommendations.map(({ replicas }) => replicas))).toBe(6);
    });
  });
});

describe("heldOf", () => {
  it("is the highest of the minute up to the newest recommendation, and the lowest where a scale-up waits for it", () => {
    expect(heldOf(memory())).toEqual({});
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
        const [highest, lowest] = [Math.max(...held), Math.min(...held)];
        const made = recommended(past.reverse());
        expect(heldOf(made)).toEqual({ highest });
        expect(heldOf({ ...made, waitsForLowest: true })).toEqual({ highest, lowest });
      }),
    );
  });
});
