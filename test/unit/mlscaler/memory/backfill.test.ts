import { setImmediate as turn } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { Backfill } from "../../../../capabilities/mlscaler/memory/backfill";
import { CoarseGrid, slotOf } from "../../../../capabilities/mlscaler/history/coarse-grid";
import { codeOf, loadOfCode } from "../../../../capabilities/mlscaler/history/compact-loads";
import { keptSlots, slotMilliseconds } from "../../../../capabilities/mlscaler/history/retention";
import { gapsOf } from "../../../../capabilities/mlscaler/history/gaps";
import { MetricsError } from "../../../../capabilities/mlscaler/metrics/reading";

const minute = 60_000;
const now = 1_767_225_600_000 + minute;
const week = keptSlots / 4;
const block = { query: "up", server: "main", target: { type: "AverageValue" as const, averageValue: 1 } };

type Range = (
  namespace: string,
  server: string,
  query: string,
  from: number,
  to: number,
  step: number,
) => Promise<[number, number][]>;

/** The load of a slot: one of its own, which a grid keeps as it is. */
const loadOf = (slot: number): number => loadOfCode(codeOf(1) + (slot % 20_000));

/** What Prometheus has since `since`: the load of its slot at each minute. */
const history =
  (since = -Infinity): Range =>
  (_namespace, _server, _query, from, to, step) => {
    const values: [number, number][] = [];
    for (let at = from; at <= to; at += step) if (at >= since) values.push([at, loadOf(slotOf(at))]);
    return Promise.resolve(values);
  };

interface Stage {
  backfill: Backfill;
  grid: CoarseGrid;
  range: ReturnType<typeof vi.fn<Range>>;
  woken: string[];
  told: string[];
  /** One sync, at which the load is observed, and what it sets going; whether anything was filled in. */
  sync(at: number, observed?: { load?: number; lasting?: number }): Promise<boolean>;
}

function stage(answer: Range, grid = new CoarseGrid()): Stage {
  const range = vi.fn(answer);
  const woken: string[] = [];
  const told: string[] = [];
  const backfill = new Backfill({ range }, key => void woken.push(key));
  const record = ({ reason, message }: { reason: string; message: string }): Promise<void> => {
    told.push(`${reason}: ${message}`);
    return Promise.resolve();
  };
  const scaler = { key: "shop/web", record, log: () => undefined };
  const sync = async (at: number, { load = 1, lasting = 30_000 } = {}): Promise<boolean> => {
    grid.record(at, load, lasting);
    const filled = backfill.fill(scaler, block, grid, at);
    await backfill.settled();
    return filled;
  };
  return { backfill, grid, range, woken, told, sync };
}

/** The slots that were asked for, in order. */
const asked = ({ range }: Stage): [from: number, end: number][] =>
  range.mock.calls.map(([, , , from, to]) => [slotOf(from), slotOf(to) + 1]);

describe("a load that is new", () => {
  it("gets its four weeks, a week at a time, the newest first, and is woken", async () => {
    const one = stage(history());
    expect(await one.sync(now)).toBe(false);
    const running = slotOf(now);
    expect(asked(one)).toEqual([1, 2, 3, 4].map(weeks => [running - weeks * week, running - (weeks - 1) * week]));
    expect(one.range.mock.calls[0]).toEqual(["shop", "main", "up", expect.anything(), expect.anything(), minute]);
    expect(one.woken).toEqual(["shop/web"]);
    expect(one.grid.loads()).toHaveLength(0);
    expect(await one.sync(now + 1000)).toBe(true);
    expect(one.grid.first).toBe(running - keptSlots);
    // The oldest slot began more than four weeks ago.
    expect([...one.grid.loads()].slice(1)).toEqual(
      Array.from({ length: keptSlots - 1 }, (_, slot) => loadOf(running - keptSlots + 1 + slot)),
    );
  });

  it("is not asked for again, whatever came", async () => {
    const one = stage(history(now - 3 * 86_400_000));
    await one.sync(now);
    await one.sync(now + 1000);
    await one.sync(now + 15_000);
    await one.sync(now + slotMilliseconds);
    expect(one.range).toHaveBeenCalledTimes(4);
    expect(one.woken).toHaveLength(1);
    const empty = stage(history(Infinity));
    await empty.sync(now);
    await empty.sync(now + 1000);
    expect(empty.range).toHaveBeenCalledTimes(4);
    expect(empty.woken).toEqual([]);
  });
});

describe("a gap", () => {
  /** A grid that has been recorded every minute for an hour and a week, up to `now`. */
  const recorded = async (): Promise<Stage> => {
    const one = stage(history());
    for (let at = now - 3_600_000; at < now; at += minute) one.grid.record(at, 7);
    await one.sync(now, { load: 7 });
    await one.sync(now + 1000, { load: 7 });
    one.range.mockClear();
    return one;
  };

  it("of more than ten minutes is filled in when the load is observed again", async () => {
    const one = await recorded();
    const later = now + 4 * slotMilliseconds;
    await one.sync(later, { load: 7 });
    await one.sync(later + 1000, { load: 7 });
    const running = slotOf(later);
    expect(asked(one)).toEqual([[running - 4, running]]);
    const loads = [...one.grid.loads()];
    expect(loads.slice(-4)).toEqual([-4, -3, -2, -1].map(slots => loadOf(running + slots)));
    // What was observed stays.
    expect(loads.slice(-15, -5)).toEqual(Array.from({ length: 10 }, () => 7));
  });
});

describe("what fails", () => {
  const failing = (): Promise<never> =>
    Promise.reject(new MetricsError("FailedGetPrometheusMetric", "Prometheus metric up: server main is away"));

  it("is told, what came before counts, and the rest is tried again later, after longer each time", async () => {
    const steady = { lasting: 4 * slotMilliseconds };
    const one = stage((...question) => (one.range.mock.calls.length > 1 ? failing() : history()(...question)));
    await one.sync(now, steady);
    expect(one.range).toHaveBeenCalledTimes(2);
    expect(one.told).toEqual([
      "FailedGetPrometheusMetric: the history could not be read, it is tried again in 5 min: Prometheus metric up: server main is away",
    ]);
    expect(one.woken).toEqual(["shop/web"]);
    await one.sync(now + 15_000, steady);
    expect(one.grid.loads()).toHaveLength(week);
    await one.sync(now + slotMilliseconds - 1, steady);
    expect(one.range).toHaveBeenCalledTimes(2);
    await one.sync(now + slotMilliseconds, steady);
    expect(one.range).toHaveBeenCalledTimes(3);
    expect(one.told[1]).toContain("in 10 min");
    await one.sync(now + 3 * slotMilliseconds - 1, steady);
    expect(one.range).toHaveBeenCalledTimes(3);
    one.range.mockImplementation(history());
    await one.sync(now + 3 * slotMilliseconds, steady);
    expect(one.range).toHaveBeenCalledTimes(6);
    await one.sync(now + 3 * slotMilliseconds + 1000, steady);
    expect(one.grid.first).toBe(slotOf(now) - keptSlots + 3);
  });
});

it("is asked for one by one in a namespace, and in another one at once, whatever the first waits for", async () => {
  let [open, most] = [0, 0];
  const one = stage(async (...question) => {
    const [namespace] = question;
    if (namespace === "blog") return history()(...question);
    most = Math.max(most, ++open);
    do await turn();
    while (!one.woken.includes("blog/0"));
    open--;
    return history()(...question);
  });
  const keys = ["shop/0", "shop/1", "shop/2", "blog/0"];
  for (const key of keys) {
    const grid = new CoarseGrid();
    grid.record(now, 1);
    one.backfill.fill({ key, record: () => Promise.resolve(), log: () => undefined }, block, grid, now);
  }
  await one.backfill.settled();
  expect(one.woken).toEqual(["blog/0", "shop/0", "shop/1", "shop/2"]);
  expect(most).toBe(1);
});

describe("gapsOf", () => {
  it("finds all gaps of more than two slots, the newest first, and no other slots", () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 60 }), fc.nat(60), (known, since) => {
        const begin = slotOf(now);
        const grid = new CoarseGrid();
        const slots = known.map(one => (one ? 1 : NaN));
        grid.fill(begin, slots, (begin + known.length) * slotMilliseconds);
        const gaps = gapsOf(grid, begin + since);
        const from = begin + since - 2;
        const inGap = (slot: number): boolean => gaps.some(gap => slot >= gap.from && slot < gap.end);
        const isKnown = (slot: number): boolean => known[slot - begin] ?? false;
        for (let slot = from; slot < begin + known.length; slot++) {
          const run = [-2, -1, 0].some(first =>
            [0, 1, 2].every(
              step =>
                slot + first + step >= from &&
                slot + first + step < begin + known.length &&
                !isKnown(slot + first + step),
            ),
          );
          expect(inGap(slot)).toBe(run);
        }
        const starts = gaps.map(gap => gap.from);
        expect(starts).toEqual([...starts].sort((one, other) => other - one));
      }),
    );
  });

  it("are none of a grid in which nothing was recorded", () => {
    expect(gapsOf(new CoarseGrid(), -Infinity)).toEqual([]);
  });
});
