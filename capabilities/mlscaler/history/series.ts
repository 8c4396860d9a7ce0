/**
 * The newest loads on a grid of one slot a step. A slot without a sample is a gap, never 0. Times are epoch
 * milliseconds.
 */
export interface Series {
  /** Milliseconds from one slot to the next. */
  readonly step: number;
  /** Slot n starts at `origin` + n × `step`. */
  readonly origin: number;
  /** The most slots that the series keeps. */
  readonly capacity: number;
  /** Number of the newest slot. */
  readonly last: number;
  /** The loads of the slots up to `last`, oldest first; NaN is a gap. */
  readonly values: number[];
}

/** The longest gap in slots that a fit bridges. A longer gap cuts the history. */
export const longestBridge = 3;

/** An empty series. Its grid has slots of `step` ms, one of which starts at `origin`. */
export const emptySeries = (step: number, origin: number, capacity: number): Series => ({
  step,
  origin,
  capacity,
  last: -Infinity,
  values: [],
});

/**
 * The series with the load at the time `at` in its slot. The first load of a slot counts: extra syncs do not change the
 * spacing of loads, and a retry fills the slot of a failed sync. Ignores loads that are negative or not finite, and
 * times shortly before the newest slot. A much earlier time means that the clock was set back: the series starts again.
 */
export function recorded(series: Series, at: number, load: number): Series {
  const { step, origin, capacity, last, values } = series;
  const slot = Math.floor((at - origin) / step);
  if (!Number.isFinite(load) || load < 0) return series;
  // The clock was set back: the older loads have lost their times.
  if (slot < last - longestBridge) return { ...series, last: slot, values: [load] };
  if (slot <= last) return series;
  const gap = Number.isFinite(last) ? slot - last - 1 : 0;
  const kept = gap >= capacity ? [] : [...values, ...new Array<number>(gap).fill(NaN)];
  return { ...series, last: slot, values: [...kept, load].slice(-capacity) };
}

/**
 * The loads that a model is fitted on: those since the last long gap, oldest first. A line bridges short gaps. Empty
 * when the newest load is older at `now` than the longest bridge.
 */
export function continuous(series: Series, now: number): number[] {
  const slot = Math.floor((now - series.origin) / series.step);
  if (slot - series.last > longestBridge) return [];
  const loads: number[] = [];
  for (const load of [...series.values].reverse()) {
    if (!Number.isNaN(load)) {
      bridge(loads, load);
      loads.push(load);
    } else if (trailingGaps(loads) === longestBridge) {
      break;
    } else {
      loads.push(NaN);
    }
  }
  while (Number.isNaN(loads.at(-1))) loads.pop();
  return loads.reverse();
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
