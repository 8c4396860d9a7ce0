/** The newest loads on a grid of one slot a step. A long gap or a jump of the clock starts a new series. */
export interface Series {
  /** Milliseconds from one slot to the next. */
  readonly step: number;
  /** Slot n starts at `origin` + n × `step`. */
  readonly origin: number;
  readonly capacity: number;
  readonly last: number;
  /** The loads up to that slot, oldest first; NaN is a gap. */
  readonly values: readonly number[];
}

/** The longest gap in slots that a fit bridges. A longer gap cuts the history. */
export const longestBridge = 3;

/** An empty series. Its grid has slots of `step` ms, one of which starts at `origin`. */
export const emptySeries = (step: number, origin: number, capacity: number): Series => ({
  ...{ step, origin, capacity },
  ...{ last: -Infinity, values: [] },
});

/** The series with the load at a time in its slot. The first load of a slot counts, so extra syncs change nothing. */
export function recorded(series: Series, at: number, load: number): Series {
  if (!(load >= 0 && load < Infinity)) return series;
  const { step, origin, capacity, last, values } = series;
  const slot = Math.floor((at - origin) / step);
  const gap = slot - last - 1;
  if (Math.abs(slot - last) > longestBridge + 1 || slot < last - longestBridge)
    return { ...series, last: slot, values: [load] };
  if (gap >= 0)
    return { ...series, last: slot, values: [...values, ...Array<number>(gap).fill(NaN), load].slice(-capacity) };
  const index = values.length + gap;
  return Number.isNaN(values[index]) ? { ...series, values: values.with(index, load) } : series;
}

/** The older series with the loads that a newer series of the same slots has after it. */
export function joined(older: Series, newer: Series): Series {
  const { step, origin, capacity, last, values } = newer;
  let series: Series = { ...newer, last: older.last, values: older.values.slice(-capacity) };
  for (const [index, load] of values.entries()) {
    const slot = last + 1 - values.length + index;
    if (slot > older.last) series = recorded(series, origin + slot * step, load);
  }
  return series;
}

/** The loads since the last long gap, with short ones bridged; none when the newest is too old at `now`. */
export function continuous({ step, origin, last, values }: Series, now: number): number[] {
  const slot = Math.floor((now - origin) / step);
  if (!(Math.abs(slot - last) <= longestBridge)) return [];
  let loads: number[] = [];
  let gaps = 0;
  for (const load of values) {
    if (Number.isNaN(load)) {
      gaps++;
      continue;
    }
    const before = loads.at(-1);
    if (gaps > longestBridge) loads = [];
    else if (before !== undefined)
      for (let gap = 1; gap <= gaps; gap++) loads.push(before + ((load - before) * gap) / (gaps + 1));
    loads.push(load);
    gaps = 0;
  }
  return loads;
}
