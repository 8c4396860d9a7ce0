import { longestBridge } from "../history/series";

/** More than any load is; what is above counts as this, so that squares and sums of loads stay finite. */
const highest = Math.fround(1e30);

/** Where loads are kept by the number of their slot; NaN is a gap. */
export interface Slots {
  at(slot: number): number;
}

/**
 * The loads that the models look at, one a slot, numbered from 0, the newest `capacity` of them, in single precision. NaN
 * is a gap; a short one is bridged by a line as soon as the load after it is known.
 */
export class Loads {
  /** Slots ever seen; the newest has the number `count` - 1. */
  count = 0;
  /** The highest load ever seen. */
  largest = 0;
  /** Slots since the last load, 0 when the newest slot has one. */
  gap = 0;
  /** Whether the newest slot is still under way: it is looked at, and will be taken back. */
  running = false;
  #newest = NaN;
  readonly #own?: Float32Array;

  /** @param slots where the loads are kept anyway; absent: they are kept here */
  constructor(
    readonly capacity: number,
    readonly slots?: Slots,
  ) {
    if (!slots) this.#own = new Float32Array(capacity);
  }

  /** How many slots are kept. */
  get length(): number {
    return Math.min(this.count, this.capacity);
  }

  /** The load of the newest slot, NaN in a gap. */
  get newest(): number {
    return this.#newest;
  }

  /** The load `slots` before the newest slot; NaN where there is none. */
  ago(slots: number): number {
    return this.at(this.count - 1 - slots);
  }

  /** The load of a slot; NaN where there is none. */
  at(slot: number): number {
    const load = this.#keptAt(slot);
    return Number.isNaN(load) ? this.#bridgeAt(slot) : load;
  }

  /** Takes in the load of the next slot. What is no load (negative, not a number) is a gap. */
  append(load: number): void {
    this.#take(load);
    if (this.#own) this.#own[(this.count - 1) % this.capacity] = this.#newest;
  }

  /** What `look` finds when `load` is that of the next slot, which is still running; afterwards all is as before. */
  while<Found>(load: number, look: () => Found): Found {
    const { largest, gap, newest } = this;
    this.#take(load);
    this.running = true;
    try {
      return look();
    } finally {
      this.running = false;
      this.count--;
      this.#newest = newest;
      this.largest = largest;
      this.gap = gap;
    }
  }

  #take(load: number): void {
    const known = load >= 0;
    this.#newest = known ? Math.fround(Math.min(load, highest)) : NaN;
    this.count++;
    this.gap = known ? 0 : this.gap + 1;
    if (known) this.largest = Math.max(this.largest, this.#newest);
  }

  #keptAt(slot: number): number {
    if (slot === this.count - 1) return this.#newest;
    if (!(slot < this.count && slot >= 0 && slot >= this.count - this.capacity)) return NaN;
    return this.#own ? (this.#own[slot % this.capacity] ?? NaN) : Math.min(highest, this.slots?.at(slot) ?? NaN);
  }

  /** Where a slot is in a short gap, the load on the line between the gap's ends; or else NaN. */
  #bridgeAt(slot: number): number {
    let [before, after] = [1, 1];
    while (before <= longestBridge && Number.isNaN(this.#keptAt(slot - before))) before++;
    while (before + after <= longestBridge + 1 && Number.isNaN(this.#keptAt(slot + after))) after++;
    if (before + after > longestBridge + 1) return NaN;
    const [first, last] = [this.#keptAt(slot - before), this.#keptAt(slot + after)];
    return last + ((first - last) * after) / (before + after);
  }
}
