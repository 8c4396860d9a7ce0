/**
 * Loads on a fixed grid of one slot a step. A slot without a sample is a gap, never 0. All times are epoch milliseconds.
 */
export interface Series {
  /** Milliseconds from one slot to the next. */
  readonly step: number;
  /** Where the grid begins: slots start at `origin` + n × `step`. */
  readonly origin: number;
  /** How many slots are kept. */
  readonly capacity: number;
  /** Number of the newest slot. */
  last: number;
  /** Oldest first, the last one is slot `last`; NaN is a gap. */
  values: number[];
}

/** Gaps up to this many slots are bridged in a fit; longer ones cut the history. */
export const longestBridge = 3;

/** An empty series of `capacity` slots of `step` ms, whose grid has a slot that starts at `origin`. */
export const emptySeries = (step: number, origin: number, capacity: number): Series => ({
  step,
  origin,
  capacity,
  last: -Infinity,
  values: [],
});

/**
 * Puts a sample of `load` taken at `at` into its slot. The first sample of a slot stays, so that samples are evenly
 * spaced whatever woke a sync in between; a retry fills a slot that had none. Samples that are negative, not finite, or a little older than the newest are left out.
 */
export function record(series: Series, at: number, load: number): void {
  const slot = Math.floor((at - series.origin) / series.step);
  if (!Number.isFinite(load) || load < 0) return;
  if (slot < series.last - longestBridge) {
    // The clock was put back by more than a moment: what was recorded under the old time no longer says when it was.
    series.values = [load];
    series.last = slot;
  }
  if (slot <= series.last) return;
  const gap = Number.isFinite(series.last) ? slot - series.last - 1 : 0;
  if (gap >= series.capacity) series.values = [];
  else for (let missing = 0; missing < gap; missing++) series.values.push(NaN);
  series.values.push(load);
  if (series.values.length > series.capacity) series.values.splice(0, series.values.length - series.capacity);
  series.last = slot;
}

/**
 * The loads since the last long gap, oldest first, short gaps bridged by a line: what a model is fitted on.
 * `now` decides whether the series has gone stale: with no sample for more than the longest bridge it is empty.
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

function trailingGaps(loads: number[]): number {
  let count = 0;
  while (Number.isNaN(loads.at(-1 - count))) count++;
  return count;
}

/** Fills the gaps at the end of `loads` on the line from the load before them to `load`. */
function bridge(loads: number[], load: number): void {
  const gaps = trailingGaps(loads);
  const before = loads.at(-1 - gaps) ?? load;
  for (let gap = 1; gap <= gaps; gap++) {
    loads[loads.length - 1 - gaps + gap] = before + ((load - before) * gap) / (gaps + 1);
  }
}
