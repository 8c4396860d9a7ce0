import { CompactLoads } from "./compact-loads";
import { daySlots, keptSlots, slotMilliseconds } from "./retention";
import { longestBridge } from "./series";

/** Slots a new grid has room for: a day. The room doubles when it is full. */
const firstRoom = daySlots;

/** A time that is earlier by up to this many ms is jitter, and no jump of the clock. */
const jitterMilliseconds = 60_000;

/** The most stretches of slots outside of the ring, each of a jump of the clock. */
const mostStretches = 4;

/** The highest load. A float holds hardly more. */
const highest = 1e38;

/** The newest load before the first one. */
const noLoad = { load: 0, at: -Infinity, until: -Infinity };
/** The known part of a slot without loads. */
const nothing = { milliseconds: 0, sum: 0 };

/** A load at a time in epoch milliseconds. */
export interface TimedLoad {
  at: number;
  load: number;
}

/** Slots in a row, from number `first` on; NaN in gaps. */
interface Stretch {
  first: number;
  means: Float32Array;
}

/** The position of a reader of the closed slots. */
export interface Place {
  /** Revision of the grid: it changes whenever closed slots that a reader may have read change. */
  readonly revision: number;
  /** Number of the next slot to read. */
  readonly next: number;
}

/**
 * The means of a load in slots of five minutes over four weeks, in 16 bits each (`CompactLoads`). A sample holds until
 * the next one, but no longer than the time recorded with it. The mean of a slot weighs each sample by the time that it
 * holds in the slot.
 * A slot that samples cover less than half is a gap: NaN, never 0. All times are epoch milliseconds.
 *
 * A jump of the clock takes nothing away for a day: the grid has the four weeks before the new time, and keeps what it
 * knows of other times until no jump came for a day. When the clock is right again, all is there as it was.
 */
export class CoarseGrid {
  /** A ring: the mean of slot n is at n modulo its length. NaN in gaps. */
  #slots = new CompactLoads(0);
  /** Number of the first closed slot; infinite before the first record. */
  #first = Infinity;
  /** Number of the running slot, which follows the last closed slot. */
  #running = -Infinity;
  /** The known part of the running slot: its time, and its load summed over this time. */
  #known = nothing;
  /** The newest recorded time. */
  #now = -Infinity;
  /** The newest load, its time, and the time until which it holds at most. */
  #newest = noLoad;
  /** Counts the changes of closed slots other than the closing of the running slot. */
  #revision = 0;
  /** What is known of slots outside of the ring after a jump of the clock, oldest arrivals first. */
  #elsewhere: Stretch[] = [];
  /** The slot with which `#elsewhere` is forgotten. */
  #forgetAt = Infinity;

  /**
   * Records that the time is `at`, with the `load` at this time. Ignores a load that is negative, not finite or too
   * large for a float. Ignores a time shortly before the newest one. An earlier slot, or one much later, means that the
   * clock jumped, and the grid is that of the new time.
   * @param lasting milliseconds that the load holds when no other follows
   */
  record(at: number, load?: number, lasting = slotMilliseconds): void {
    const slot = slotOf(at);
    if (!Number.isSafeInteger(slot)) return;
    if (this.#running === -Infinity) this.#startAt(slot);
    const back = slot < this.#running && at < this.#now - jitterMilliseconds;
    const ahead = slot - this.#running;
    if (ahead > longestBridge) this.#passTo((this.#running + 1) * slotMilliseconds, this.#running + 1);
    if (back || ahead > longestBridge) this.#setAside({ first: this.first, means: this.loads() }, slot);
    if (back || ahead > daySlots) this.#startAt(slot);
    if (at < this.#now) return;
    this.#passTo(at, slot);
    // The first of two loads at the same time counts.
    if (isLoad(load) && at > this.#newest.at) this.#newest = { load, at, until: at + lasting };
  }

  /**
   * The expected mean of the running slot: its known part, and the mean of the slot before for the rest of its time. On
   * six of six traces this estimate was nearer to the next slots than the mean of the known part. Undefined while no
   * part of the running slot is known.
   */
  get running(): number | undefined {
    const { milliseconds, sum } = this.#known;
    if (milliseconds === 0) return undefined;
    const before = this.at(this.#running - 1);
    const mean = sum / milliseconds;
    return Number.isNaN(before) ? mean : before + ((mean - before) * milliseconds) / slotMilliseconds;
  }

  /** The means of the closed slots, oldest first, from the first slot that is not a gap. */
  loads(): Float32Array {
    return this.slots(this.first, this.#running);
  }

  /** The mean of the closed slot with this number; NaN in a gap and where no slot is kept. */
  at(slot: number): number {
    const kept = slot >= this.#first && slot < this.#running;
    return kept ? this.#slots.get(this.#placeOf(slot)) : NaN;
  }

  /** The position of a reader that has read all closed slots. */
  get place(): Place {
    return { revision: this.#revision, next: this.#running };
  }

  /**
   * The means of the slots closed since a reader was at `place`, oldest first. Undefined when slots that it has read
   * have changed, after a backfill or a change of the clock: the reader then has to read the whole grid again.
   */
  closedSince({ revision, next }: Place): Float32Array | undefined {
    if (revision !== this.#revision || next < this.#first) return undefined;
    return this.slots(next, this.#running);
  }

  /** Number of the oldest slot that is not a gap, or else of the running slot; infinite before the first record. */
  get first(): number {
    let first = this.#first;
    while (first < this.#running && Number.isNaN(this.at(first))) first++;
    return first;
  }

  /** The means of the slots from number `first` up to, not including, `end`; NaN in gaps and where no slot is kept. */
  slots(first: number, end: number): Float32Array {
    const slots = new Float32Array(Math.max(0, end - first) || 0);
    for (let index = 0; index < slots.length; index++) slots[index] = this.at(first + index);
    return slots;
  }

  /**
   * All known slots, those of other times after a jump of the clock included: stretches of slots in a row, in the order
   * in which they count. No slot is in the ring that an earlier stretch has.
   */
  known(): Stretch[] {
    const ring = { first: this.first, means: this.loads() };
    return [ring, ...this.#elsewhere].filter(({ means }) => means.length > 0);
  }

  /**
   * Fills gaps in the closed slots at `now` with the means of another source; keeps the slots that have a mean. Slots
   * after `now` or before the four weeks wait for a day: the clock may jump to them.
   * @param from number of the slot of the first mean
   */
  fill(from: number, means: ArrayLike<number>, now: number): void {
    this.record(now);
    if (this.#fillRing(from, means)) this.#revision++;
    const [oldest, end] = [this.#running - keptSlots, from + means.length];
    if (!Number.isSafeInteger(from) || (from >= oldest && end <= this.#running)) return;
    const others = Float32Array.from(means, (mean, index) => {
      const slot = from + index;
      return isLoad(mean) && (slot < oldest || slot >= this.#running) ? mean : NaN;
    });
    this.#setAside({ first: from, means: others }, this.#running);
  }

  /** Fills gaps of the ring. Returns whether there was one to fill. */
  #fillRing(from: number, means: ArrayLike<number>): boolean {
    const [oldest, end] = [this.#running - keptSlots, Math.min(this.#running, from + means.length)];
    let filled = false;
    for (let slot = Math.max(from, oldest); slot < end; slot++) {
      const mean = means[slot - from];
      if (!isLoad(mean) || !Number.isNaN(this.at(slot))) continue;
      if (slot < this.#first) this.#reserve(slot, this.#running);
      this.#put(slot, mean);
      filled = true;
    }
    return filled;
  }

  /**
   * Fills gaps with the samples of the four weeks up to `now`, in any order.
   * @param lasting milliseconds that a sample holds when no other follows
   */
  backfill(samples: Iterable<TimedLoad>, lasting: number, now: number): void {
    const oldest = now - keptSlots * slotMilliseconds;
    const past = new CoarseGrid();
    for (const { at, load } of [...samples].filter(({ at }) => at >= oldest && at <= now).sort(byTime))
      past.record(at, load, lasting);
    past.record(now);
    if (past.#first < past.#running) this.fill(past.#first, past.slots(past.#first, past.#running), now);
  }

  /** Counts the newest load up to the time `at` in `slot`, and closes the slots before. */
  #passTo(at: number, slot: number): void {
    while (this.#running < slot) {
      this.#count((this.#running + 1) * slotMilliseconds);
      this.#close();
    }
    this.#count(at);
    this.#now = at;
  }

  /** Counts the newest load in the running slot up to the time `to`. */
  #count(to: number): void {
    const from = Math.max(this.#now, this.#running * slotMilliseconds);
    const { load, until } = this.#newest;
    const milliseconds = Math.min(to, until) - from;
    if (!(milliseconds > 0)) return;
    const known = this.#known;
    this.#known = { milliseconds: known.milliseconds + milliseconds, sum: known.sum + load * milliseconds };
  }

  /** Closes the running slot; the next one runs. */
  #close(): void {
    const { milliseconds, sum } = this.#known;
    this.#reserve(Math.max(this.#first, this.#running + 1 - keptSlots), this.#running + 1);
    // What was known of the slot before a jump of the clock counts.
    const before = this.#knownElsewhere(this.#running);
    const measured = milliseconds >= slotMilliseconds / 2 ? sum / milliseconds : NaN;
    this.#put(this.#running, Number.isNaN(before) ? measured : before);
    this.#running++;
    this.#known = nothing;
    if (this.#running < this.#forgetAt) return;
    this.#elsewhere = [];
    this.#forgetAt = Infinity;
  }

  /** The ring is that of the time of `slot`, which runs, with what is known of the slots before it. */
  #startAt(slot: number): void {
    if (this.#running !== -Infinity) this.#revision++;
    this.#slots.clear();
    this.#first = slot;
    this.#running = slot;
    this.#known = nothing;
    this.#newest = noLoad;
    this.#now = -Infinity;
    for (const { first, means } of this.#elsewhere) this.#fillRing(first, means);
  }

  /** Keeps a stretch of slots outside of the ring, and those there are, for a day that begins with slot `now`. */
  #setAside(stretch: Stretch, now: number): void {
    const all = this.#elsewhere;
    if (all.length > 0) this.#forgetAt = now + daySlots;
    if (loadsIn(stretch) === 0) return;
    this.#forgetAt = now + daySlots;
    const near = all.findIndex(other => spanOf(other, stretch).length <= 2 * keptSlots);
    const known = all[near];
    if (known) all[near] = union(known, stretch);
    else all.push(stretch);
    if (all.length <= mostStretches) return;
    const fewest = Math.min(...all.map(loadsIn));
    all.splice(
      all.findIndex(each => loadsIn(each) === fewest),
      1,
    );
  }

  /** What is known of a slot outside of the ring; NaN where nothing is. */
  #knownElsewhere(slot: number): number {
    for (const { first, means } of this.#elsewhere) {
      const mean = means[slot - first];
      if (mean !== undefined && !Number.isNaN(mean)) return mean;
    }
    return NaN;
  }

  /** Makes room for the slots from `first` up to, not including, `end`. `first` becomes the first closed slot. */
  #reserve(first: number, end: number): void {
    const room = this.#slots.length;
    if (end - first > room) {
      const kept = this.slots(this.#first, this.#running);
      this.#slots = new CompactLoads(Math.min(keptSlots, Math.max(firstRoom, 2 * room, end - first)));
      kept.forEach((mean, index) => this.#put(this.#first + index, mean));
    }
    this.#first = first;
  }

  #put(slot: number, mean: number): void {
    // Turns -0 into 0.
    this.#slots.set(this.#placeOf(slot), mean + 0);
  }

  #placeOf(slot: number): number {
    const room = this.#slots.length;
    return ((slot % room) + room) % room;
  }
}

/** Number of the slot that contains the time `at`. */
export const slotOf = (at: number): number => Math.floor(at / slotMilliseconds);

const loadsIn = ({ means }: Stretch): number => means.reduce((all, mean) => (Number.isNaN(mean) ? all : all + 1), 0);

/** The slots of two stretches, and those between them. */
function spanOf(one: Stretch, other: Stretch): { first: number; length: number } {
  const first = Math.min(one.first, other.first);
  return { first, length: Math.max(one.first + one.means.length, other.first + other.means.length) - first };
}

/** One stretch with the means of two. Of two means of a slot that of `one` counts. */
function union(one: Stretch, other: Stretch): Stretch {
  const { first, length } = spanOf(one, other);
  const means = new Float32Array(length).fill(NaN);
  means.set(other.means, other.first - first);
  one.means.forEach((mean, index) => {
    if (!Number.isNaN(mean)) means[one.first - first + index] = mean;
  });
  return { first, means };
}

/** Whether a number can be a load, and fits into a float. */
const isLoad = (load: number | undefined): load is number => load !== undefined && load >= 0 && load <= highest;

const byTime = (one: TimedLoad, other: TimedLoad): number => one.at - other.at;
