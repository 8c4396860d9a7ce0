import { InputError } from "../manifests";
import { durationText } from "./time";

/** A sample of a load. */
export interface Sample {
  /** Epoch milliseconds. */
  at: number;
  /** NaN in a gap. */
  load: number;
  line: number;
  /** What it is a sample of, where several series are added up. */
  series: string;
}

/** Loads on a regular grid. */
export interface Grid {
  /** Epoch milliseconds of the first slot. */
  startedAt: number;
  /** Milliseconds from one slot to the next. */
  step: number;
  /** Mean load of each slot, added up over the series; NaN is a gap. */
  loads: number[];
  notes: string[];
}

/** The most slots of a trace, nearly four years of minutes. Beyond them one wrong time could exhaust the memory. */
const mostSlots = 2_000_000;

/** The finest step by default. With a finer one the daily season would have thousands of slots. */
const finestStep = 60_000;

/** A column with loads in fewer rows than this share, and in this many, has times of its own. */
const ownTimes = { share: 0.6, loads: 10 };

/**
 * Puts samples on a grid. Throws InputError.
 * @param wanted milliseconds of the grid; by default the most common distance of two samples, a minute at least
 */
export function onGrid(source: string, given: Sample[], wanted: number | undefined): Grid {
  const notes: string[] = [];
  const samples = inOrder(withOwnTimes(given), notes);
  const series = bySeries(samples);
  const own = commonDistance(series);
  const [first, last] = [samples[0], samples.at(-1)];
  if (!first || !last || own === undefined)
    throw new InputError(`${source}: has ${samples.length} loads at different times, at least 2 are needed`);
  if (wanted !== undefined && wanted < own)
    throw new InputError(
      `--step: ${durationText(wanted / 1000)} is finer than ${source}, use ${durationText(own / 1000)} or more`,
    );

  const step = wanted ?? Math.max(own, finestStep);
  // The slots of a coarser grid start at multiples of the step since the epoch.
  const startedAt = step > own ? Math.floor(first.at / step) * step : first.at;
  const slotOf = (at: number): number =>
    step > own ? Math.floor((at - startedAt) / step) : Math.round((at - startedAt) / step);
  const length = slotOf(last.at) + 1;
  if (length > mostSlots) throw new InputError(`${source}: ${tooLong(samples, step)}`);

  const loads = sumOf(series.map(one => meansOf(one, slotOf, length)));
  const gaps = loads.filter(Number.isNaN).length;
  if (series.length > 1) notes.push(`${series.length} series added up`);
  if (step > own)
    notes.push(
      `${counted(samples.length, "load")} every ${durationText(own / 1000)} ` +
        `averaged to ${counted(length, "mean")} of ${durationText(step / 1000)}`,
    );
  if (gaps > 0) notes.push(`${counted(gaps, "slot")} of ${length} without a load`);
  return { startedAt, step, loads, notes };
}

function bySeries(samples: Sample[]): Sample[][] {
  const found = new Map<string, Sample[]>();
  for (const sample of samples) {
    const those = found.get(sample.series);
    if (those) those.push(sample);
    else found.set(sample.series, [sample]);
  }
  return [...found.values()];
}

/** The mean of the samples of each slot; NaN without one. */
function meansOf(samples: Sample[], slotOf: (at: number) => number, length: number): number[] {
  const sums = new Float64Array(length);
  const counts = new Uint32Array(length);
  for (const { at, load } of samples) {
    if (Number.isNaN(load)) continue;
    const slot = slotOf(at);
    sums[slot] = (sums[slot] ?? 0) + load;
    counts[slot] = (counts[slot] ?? 0) + 1;
  }
  return Array.from(sums, (sum, slot) => (counts[slot] ? sum / (counts[slot] ?? 1) : NaN));
}

/** The sum of the series in each slot; NaN where none has a load. */
function sumOf([first = [], ...others]: number[][]): number[] {
  const sums = [...first];
  for (const series of others)
    for (const [slot, load] of series.entries()) {
      const sum = sums[slot] ?? NaN;
      if (!Number.isNaN(load)) sums[slot] = Number.isNaN(sum) ? load : sum + load;
    }
  return sums;
}

/** Leaves out the rows that are there for the times of another column, so that they do not count as gaps. */
function withOwnTimes(samples: Sample[]): Sample[] {
  const loaded = samples.filter(({ load }) => !Number.isNaN(load));
  return loaded.length >= ownTimes.loads && loaded.length <= ownTimes.share * samples.length ? loaded : samples;
}

/** Sorts samples by time. Of two samples of a series with the same time, the later line counts. */
function inOrder(samples: Sample[], notes: string[]): Sample[] {
  let disordered = 0;
  const before = new Map<string, number>();
  for (const { at, series } of samples) {
    if (at < (before.get(series) ?? -Infinity)) disordered++;
    before.set(series, at);
  }
  const byTime = new Map(
    [...samples]
      .sort((one, other) => one.at - other.at || one.line - other.line)
      .map(sample => [`${sample.at} ${sample.series}`, sample]),
  );
  const duplicates = samples.length - byTime.size;
  if (disordered > 0) notes.push(`${counted(disordered, "line")} earlier than the one before: sorted by time`);
  if (duplicates > 0) notes.push(`${counted(duplicates, "line")} at the time of another: the last one counts`);
  return [...byTime.values()];
}

/**
 * The most common distance of two neighbouring samples of a series in milliseconds, rounded to seconds from one second
 * on. Undefined where no series has two samples.
 */
function commonDistance(series: Sample[][]): number | undefined {
  const counts = new Map<number, number>();
  for (const samples of series)
    for (const [index, { at }] of samples.entries()) {
      const before = samples[index - 1];
      if (!before) continue;
      const distance = at - before.at;
      const rounded = distance < 1000 ? distance : Math.round(distance / 1000) * 1000;
      counts.set(rounded, (counts.get(rounded) ?? 0) + 1);
    }
  return [...counts].reduce<[number, number] | undefined>(
    (most, one) => (most && most[1] >= one[1] ? most : one),
    undefined,
  )?.[0];
}

/** The message for a trace with more than `mostSlots` slots. */
function tooLong(samples: Sample[], step: number): string {
  const holes = samples
    .slice(1)
    .map((sample, index) => ({ sample, wide: sample.at - (samples[index]?.at ?? sample.at) }));
  const widest = holes.reduce((most, one) => (one.wide > most.wide ? one : most));
  return (
    `spans more than ${mostSlots} slots of ${durationText(step / 1000)}; ` +
    `the widest hole is before line ${widest.sample.line} (${durationText(widest.wide / 1000)}): ` +
    "correct that time, or use a larger --step"
  );
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;
