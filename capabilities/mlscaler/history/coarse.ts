import { longestBridge } from "./series";

/** Milliseconds from one slot of a coarse grid to the next: five minutes. Slot n starts at n times as much since the epoch. */
export const slotMilliseconds = 300_000;

/** Closed slots that are kept: four weeks. */
export const keptSlots = 8064;

/** There is room for a day at first, and for twice as much each time it runs out. */
const firstRoom = 288;

/** What is above is none: a float holds little more. */
const highest = 1e38;

const noLoad = { load: 0, at: -Infinity, until: -Infinity };
const nothing = { milliseconds: 0, sum: 0 };

/** A load at its time, in epoch milliseconds. */
export interface Sample {
  at: number;
  load: number;
}

/** How far a reader of the closed slots has come. */
export interface Place {
  readonly revision: number;
  readonly next: number;
}

/**
 * Four weeks of load in slots of five minutes: their means, as floats. A load stands from its sample to the next,
 * or for as long as is said with it, and counts in a slot for the time that it stood there. A slot of which less than
 * half is known is a gap, NaN, never 0. All times are epoch milliseconds.
 */
export class CoarseGrid {
  /** The mean of slot n is that at n modulo the slots there is room for; NaN for what is not kept. */
  #slots = new Float32Array(0);
  /** The closed slots are these, the running one not included; infinite as long as nothing was recorded. */
  #first = Infinity;
  #running = -Infinity;
  /** What is known of the running slot. */
  #known = nothing;
  /** Up to when time has passed. */
  #now = -Infinity;
  /** The newest load, since when it stands, and until when at most. */
  #newest = noLoad;
  #revision = 0;

  /**
   * Notes that it is `at`, and the `load` then, if there is one; it stands for `lasting` ms if no other follows.
   * What is no load (negative, not finite, too large for a float) is none. A time a little before the one noted last is
   * left out; by more, the clock was put back: what was recorded under the old time of what is yet to come is forgotten.
   */
  record(at: number, load?: number, lasting = slotMilliseconds): void {
    const slot = slotOf(at);
    if (!Number.isSafeInteger(slot)) return;
    if (slot < this.#running - longestBridge) this.#forgetFrom(slot);
    if (at < this.#now) return;
    this.#passTo(at, slot);
    // Of two loads of one time the first stays.
    if (isLoad(load) && at > this.#newest.at) this.#newest = { load, at, until: at + lasting };
  }

  /**
   * What the load of the running slot is going to be: what is known of it, and the slot before for the rest of its time.
   * (Nearer to the slots that follow than the mean so far on all of six traces that were tried.) Undefined while
   * nothing is known of it.
   */
  get running(): number | undefined {
    const { milliseconds, sum } = this.#known;
    if (milliseconds === 0) return undefined;
    const before = this.at(this.#running - 1);
    const mean = sum / milliseconds;
    return Number.isNaN(before) ? mean : before + ((mean - before) * milliseconds) / slotMilliseconds;
  }

  /** The means of the closed slots, oldest first, from the first that is no gap. */
  loads(): Float32Array {
    return this.slots(this.first, this.#running);
  }

  /** The mean of the closed slot with this number; NaN where nothing is known. */
  at(slot: number): number {
    const kept = slot >= this.#first && slot < this.#running;
    return kept ? (this.#slots[this.#placeOf(slot)] ?? NaN) : NaN;
  }

  /** Where a reader is that has read all closed slots. */
  get place(): Place {
    return { revision: this.#revision, next: this.#running };
  }

  /**
   * The means of the slots that were closed since a reader was at `place`, oldest first. Undefined when what it read is
   * no longer what there is, as the clock was put back or older slots were filled in: then it has to begin anew.
   */
  closedSince({ revision, next }: Place): Float32Array | undefined {
    if (revision !== this.#revision || next < this.#first) return undefined;
    return this.slots(next, this.#running);
  }

  /** Number of the oldest slot that is no gap, or of the running slot; infinite as long as nothing was recorded. */
  get first(): number {
    let first = this.#first;
    while (first < this.#running && Number.isNaN(this.at(first))) first++;
    return first;
  }

  /** The means of the slots from number `first` up to, not including, `end`; NaN where nothing is known. */
  slots(first: number, end: number): Float32Array {
    const slots = new Float32Array(Math.max(0, end - first) || 0);
    for (let index = 0; index < slots.length; index++) slots[index] = this.at(first + index);
    return slots;
  }

  /**
   * Fills in what is known from elsewhere, where there are gaps: `means` of the slots from number `from` on. What is not
   * older than `now` is left out.
   */
  fill(from: number, means: ArrayLike<number>, now: number): void {
    this.record(now);
    const [oldest, end] = [this.#running - keptSlots, Math.min(this.#running, from + means.length)];
    let filled = false;
    for (let slot = Math.max(from, oldest); slot < end; slot++) {
      const mean = means[slot - from];
      if (!isLoad(mean) || !Number.isNaN(this.at(slot))) continue;
      if (slot < this.#first) this.#reserve(slot, this.#running);
      this.#put(slot, mean);
      filled = true;
    }
    if (filled) this.#revision++;
  }

  /** Fills in gaps from samples of four weeks up to `now`, in any order; each stands for `lasting` ms if no other follows. */
  backfill(samples: Iterable<Sample>, lasting: number, now: number): void {
    const oldest = now - keptSlots * slotMilliseconds;
    const past = new CoarseGrid();
    for (const { at, load } of [...samples].filter(({ at }) => at >= oldest && at <= now).sort(byTime))
      past.record(at, load, lasting);
    past.record(now);
    if (past.#first < past.#running) this.fill(past.#first, past.slots(past.#first, past.#running), now);
  }

  /** Counts the newest load up to `at`, which is in `slot`, and closes the slots before. */
  #passTo(at: number, slot: number): void {
    if (slot - this.#running > keptSlots) this.#startAt(slot);
    while (this.#running < slot) {
      this.#count((this.#running + 1) * slotMilliseconds);
      this.#close();
    }
    this.#count(at);
    this.#now = at;
  }

  /** Counts the newest load in the running slot up to `to`. */
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
    this.#reserve(Math.max(this.#first, this.#running + 1 - keptSlots), this.#running + 1);
    this.#put(this.#running, milliseconds >= slotMilliseconds / 2 ? sum / milliseconds : NaN);
    this.#running++;
    this.#known = nothing;
  }

  /** Begins anew with `slot`, which runs. */
  #startAt(slot: number): void {
    if (this.#running !== -Infinity) this.#revision++;
    this.#slots.fill(NaN);
    this.#first = slot;
    this.#running = slot;
    this.#known = nothing;
  }

  /** Forgets `slot` and all that follow; it is the running one now. */
  #forgetFrom(slot: number): void {
    for (let later = Math.max(slot, this.#first); later < this.#running; later++) this.#put(later, NaN);
    this.#first = Math.min(this.#first, slot);
    this.#running = slot;
    this.#known = nothing;
    this.#newest = noLoad;
    this.#now = -Infinity;
    this.#revision++;
  }

  /** Makes room for the slots from `first` up to, not including, `end`, and has the closed slots begin with `first`. */
  #reserve(first: number, end: number): void {
    const room = this.#slots.length;
    if (end - first > room) {
      const kept = this.slots(this.#first, this.#running);
      this.#slots = new Float32Array(Math.min(keptSlots, Math.max(firstRoom, 2 * room, end - first))).fill(NaN);
      kept.forEach((mean, index) => this.#put(this.#first + index, mean));
    }
    this.#first = first;
  }

  #put(slot: number, mean: number): void {
    // 0 is not negative.
    this.#slots[this.#placeOf(slot)] = mean + 0;
  }

  #placeOf(slot: number): number {
    const room = this.#slots.length;
    return ((slot % room) + room) % room;
  }
}

/** Number of the slot that `at` is in. */
export const slotOf = (at: number): number => Math.floor(at / slotMilliseconds);

/** Whether it can be a load, and the mean of such be kept as a float. */
const isLoad = (load: number | undefined): load is number => load !== undefined && load >= 0 && load <= highest;

const byTime = (one: Sample, other: Sample): number => one.at - other.at;
