// history/ has loads over time and their encoding, without I/O. memory/ keeps them, with what else syncs remember.
import { CompactLoads } from "./compact-loads";
import { keptSlots, slotMilliseconds } from "./retention";

/** A time that is earlier by up to this many ms is jitter. An earlier one means that the clock was set back. */
const jitterMilliseconds = 60_000;

/** The highest load. A float holds hardly more. */
const highest = 1e38;

const noLoad = { load: 0, at: -Infinity, until: -Infinity };
const nothing = { milliseconds: 0, sum: 0 };

/** A load at a time in epoch milliseconds. */
export interface TimedLoad {
  at: number;
  load: number;
}

export interface Cursor {
  /** Revision of the grid: it changes whenever closed slots that a reader may have read change. */
  readonly revision: number;
  readonly next: number;
}

/**
 * The means of a load in slots of five minutes over four weeks, weighed by the time that samples hold, until the next
 * one at most. A slot that they cover less than half is a gap: NaN, never 0. All times are epoch milliseconds. A clock
 * that is set ahead leaves a gap. One that is set back takes the later slots away.
 */
export class CoarseGrid {
  /** A ring: the mean of slot n is at n modulo its length. NaN in gaps and where no slot is kept. */
  readonly #slots = new CompactLoads(keptSlots);
  /** Number of the first closed slot; infinite before the first record. */
  #first = Infinity;
  #running = -Infinity;
  /** The known part of the running slot: its time, and its load summed over this time. */
  #known = nothing;
  #now = -Infinity;
  /** The newest load, its time, and the time until which it holds at most. */
  #newest = noLoad;
  /** Counts the changes of closed slots other than the closing of the running slot. */
  #revision = 0;

  /** Records the time, with a load that lasts for `lasting` ms. Ignores what is not a load, and an earlier time. */
  record(at: number, load?: number, lasting = slotMilliseconds): void {
    const slot = slotOf(at);
    if (!Number.isSafeInteger(slot)) return;
    const back = slot < this.#running && at < this.#now - jitterMilliseconds;
    if (back || slot - this.#running > keptSlots) this.#startAt(slot);
    if (at < this.#now) return;
    this.#passTo(at, slot);
    // The first of two loads at the same time counts.
    if (isLoad(load) && at > this.#newest.at) this.#newest = { load, at, until: at + lasting };
  }

  /**
   * The expected mean of the running slot: its known part, and for the rest the slot before. On six of six traces it
   * was nearer than the known part alone. Undefined while nothing is known.
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
    return kept ? this.#slots.get(placeOf(slot)) : NaN;
  }

  get cursor(): Cursor {
    return { revision: this.#revision, next: this.#running };
  }

  /** The means since `cursor`; undefined when slots that it has read changed: the reader then reads the whole grid. */
  closedSince({ revision, next }: Cursor): Float32Array | undefined {
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

  /** Fills gaps in the closed slots at `now` with means from the slot `from` on. */
  fill(from: number, means: ArrayLike<number>, now: number): void {
    this.record(now);
    const [oldest, end] = [this.#running - keptSlots, Math.min(this.#running, from + means.length)];
    let filled = false;
    for (let slot = Math.max(from, oldest); slot < end; slot++) {
      const mean = means[slot - from];
      if (!isLoad(mean) || !Number.isNaN(this.at(slot))) continue;
      this.#first = Math.min(this.#first, slot);
      this.#put(slot, mean);
      filled = true;
    }
    if (filled) this.#revision++;
  }

  /** Fills gaps with the samples of the four weeks up to `now`, in any order, each of which lasts `lasting` ms. */
  backfill(samples: Iterable<TimedLoad>, lasting: number, now: number): void {
    const oldest = now - keptSlots * slotMilliseconds;
    const past = new CoarseGrid();
    for (const { at, load } of [...samples]
      .filter(({ at }) => at >= oldest && at <= now)
      .sort((one, other) => one.at - other.at))
      past.record(at, load, lasting);
    past.record(now);
    if (past.#first < past.#running) this.fill(past.#first, past.slots(past.#first, past.#running), now);
  }

  #passTo(at: number, slot: number): void {
    while (this.#running < slot) {
      this.#count((this.#running + 1) * slotMilliseconds);
      this.#close();
    }
    this.#count(at);
    this.#now = at;
  }

  #count(to: number): void {
    const from = Math.max(this.#now, this.#running * slotMilliseconds);
    const { load, until } = this.#newest;
    const milliseconds = Math.min(to, until) - from;
    if (!(milliseconds > 0)) return;
    const known = this.#known;
    this.#known = { milliseconds: known.milliseconds + milliseconds, sum: known.sum + load * milliseconds };
  }

  #close(): void {
    const { milliseconds, sum } = this.#known;
    this.#first = Math.max(this.#first, this.#running + 1 - keptSlots);
    this.#put(this.#running, milliseconds >= slotMilliseconds / 2 ? sum / milliseconds : NaN);
    this.#running++;
    this.#known = nothing;
  }

  /** Slot `slot` runs. Of the closed slots those shortly before it stay. */
  #startAt(slot: number): void {
    if (this.#running !== -Infinity) this.#revision++;
    if (slot > this.#first && slot < this.#running) {
      for (let later = slot; later < this.#running; later++) this.#put(later, NaN);
    } else {
      this.#slots.clear();
      this.#first = slot;
    }
    this.#running = slot;
    this.#known = nothing;
    this.#newest = noLoad;
    this.#now = -Infinity;
  }

  #put(slot: number, mean: number): void {
    // Turns -0 into 0.
    this.#slots.set(placeOf(slot), mean + 0);
  }
}

const placeOf = (slot: number): number => ((slot % keptSlots) + keptSlots) % keptSlots;

/** Number of the slot that contains the time `at`. */
export const slotOf = (at: number): number => Math.floor(at / slotMilliseconds);

const isLoad = (load: number | undefined): load is number => load !== undefined && load >= 0 && load <= highest;
