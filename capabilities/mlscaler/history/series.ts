/** Loads of slots without a long gap: those up to number `last`, oldest first; NaN is a gap. */
export interface Run {
  readonly last: number;
  readonly values: number[];
}

/**
 * The newest loads on a grid of one slot a step. A slot without a sample is a gap, never 0. Times are epoch
 * milliseconds. The loads are kept in the order of their arrival, so that a clock that jumps takes nothing away: the
 * newest run is `last` and `values`, and a long gap or a jump of the clock begins a new run.
 */
export interface Series extends Run {
  /** Milliseconds from one slot to the next. */
  readonly step: number;
  /** Slot n starts at `origin` + n × `step`. */
  readonly origin: number;
  /** The most slots that the series keeps, in all runs. */
  readonly capacity: number;
  /** The runs before the newest one, oldest first. */
  readonly before: readonly Run[];
}

/** The longest gap in slots that a fit bridges. A longer gap cuts the history. */
export const longestBridge = 3;

/** The most runs before the newest one. More would be a clock that jumps all the time. */
const mostRuns = 64;

/** An empty series. Its grid has slots of `step` ms, one of which starts at `origin`. */
export const emptySeries = (step: number, origin: number, capacity: number): Series => ({
  step,
  origin,
  capacity,
  last: -Infinity,
  values: [],
  before: [],
});

/**
 * The series with the load at the time `at` in its slot. The first load of a slot counts: extra syncs do not change the
 * spacing of loads, and a retry fills the slot of a failed sync. Ignores loads that are negative or not finite. A time
 * shortly before the newest slot only fills a gap. After a long gap, and after a jump of the clock, a new run begins;
 * the oldest arrivals leave as new ones come.
 */
export function recorded(series: Series, at: number, load: number): Series {
  const { step, origin } = series;
  return Number.isFinite(load) && load >= 0 ? withLoad(series, Math.floor((at - origin) / step), load) : series;
}

/**
 * The series with the loads of a newer series added. Both have the same slots. A run that both have is there once:
 * twice, it would take the room of loads that only one of them has.
 */
export const joined = (older: Series, newer: Series): Series =>
  [...newer.before, newer].reduce<Series>(
    (series, run) => {
      const both = united(series, run);
      return both ? trimmed({ ...series, ...both }) : withRun(series, run);
    },
    trimmed({ ...older, capacity: newer.capacity }),
  );

/** Two runs as one, if they share slots and have the same loads there. A gap in one of them has that of the other. */
function united(one: Run, other: Run): Run | undefined {
  if (one.values.length === 0 || other.values.length === 0) return undefined;
  const first = ({ last, values }: Run): number => last - values.length + 1;
  const at = (run: Run, slot: number): number => run.values[slot - first(run)] ?? NaN;
  const from = Math.max(first(one), first(other));
  const to = Math.min(one.last, other.last);
  if (from > to) return undefined;
  for (let slot = from; slot <= to; slot++) {
    const [load, same] = [at(one, slot), at(other, slot)];
    if (load !== same && !Number.isNaN(load) && !Number.isNaN(same)) return undefined;
  }
  const begin = Math.min(first(one), first(other));
  const last = Math.max(one.last, other.last);
  const values = Array.from({ length: last - begin + 1 }, (_, index) => {
    const load = at(one, begin + index);
    return Number.isNaN(load) ? at(other, begin + index) : load;
  });
  return { last, values };
}

function withLoad(series: Series, slot: number, load: number): Series {
  const { last, values } = series;
  const index = slot - last + values.length - 1;
  if (slot > last || slot < last - longestBridge || index < 0) return withRun(series, { last: slot, values: [load] });
  return Number.isNaN(values[index])
    ? { ...series, values: values.map((value, place) => (place === index ? load : value)) }
    : series;
}

/** The series with newer loads: they continue its newest run, or are a run of their own. */
function withRun(series: Series, run: Run): Series {
  if (run.values.length === 0) return series;
  const { last, values, before } = series;
  const gap = run.last - run.values.length - last;
  // A run that was behind ends where it passes an earlier one: the clock is right again.
  const passes = before.some(earlier => earlier.last >= last && earlier.last < run.last);
  if (gap >= 0 && gap <= longestBridge && !passes)
    return trimmed({
      ...series,
      last: run.last,
      values: [...values, ...new Array<number>(gap).fill(NaN), ...run.values],
    });
  const runs = values.length > 0 ? [...before, { last, values }] : before;
  return trimmed({ ...series, last: run.last, values: run.values, before: runs.slice(-mostRuns) });
}

/** The series without the oldest arrivals beyond its capacity. */
function trimmed(series: Series): Series {
  const values = series.values.slice(-series.capacity);
  let room = series.capacity - values.length;
  const before: Run[] = [];
  for (const run of series.before.toReversed()) {
    if (room === 0) break;
    const kept = run.values.slice(-room);
    before.unshift({ last: run.last, values: kept });
    room -= kept.length;
  }
  return { ...series, values, before };
}

/**
 * The loads that a model is fitted on: those up to the newest one since the last long gap, oldest first. A line bridges
 * short gaps. Loads of slots after the newest one come from a clock that was ahead, and do not count. Empty when the
 * newest load is farther from `now` than the longest bridge.
 */
export function continuous(series: Series, now: number): number[] {
  const { step, origin, last } = series;
  const slot = Math.floor((now - origin) / step);
  if (!(Math.abs(slot - last) <= longestBridge)) return [];
  const loads: number[] = [];
  // Of two loads of a slot that of the newest run counts, and among the others the first.
  const runs = [series, ...series.before];
  for (let each = last; trailingGaps(loads) <= longestBridge; each--) {
    const load = loadAt(runs, each);
    if (!Number.isNaN(load)) bridge(loads, load);
    loads.push(load);
  }
  while (Number.isNaN(loads.at(-1))) loads.pop();
  return loads.reverse();
}

/** The load of a slot in the first of `runs` that has one; NaN without one. */
function loadAt(runs: readonly Run[], slot: number): number {
  for (const { last, values } of runs) {
    const load = values[slot - last + values.length - 1];
    if (load !== undefined && !Number.isNaN(load)) return load;
  }
  return NaN;
}

/** The number of gaps at the end of `loads`. */
function trailingGaps(loads: number[]): number {
  let count = 0;
  while (Number.isNaN(loads.at(-1 - count))) count++;
  return count;
}

/** Fills the gaps at the end of `loads` along the line from the load before them to `load`, which follows them. */
function bridge(loads: number[], load: number): void {
  const gaps = trailingGaps(loads);
  const before = loads.at(-1 - gaps) ?? load;
  for (let gap = 1; gap <= gaps; gap++) {
    loads[loads.length - 1 - gaps + gap] = before + ((load - before) * gap) / (gaps + 1);
  }
}
