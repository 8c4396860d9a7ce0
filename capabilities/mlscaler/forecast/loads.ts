import { longestBridge } from "../history/series";

/** More than any load is; what is above counts as this, so that squares and sums of loads stay finite. */
const highest = 1e30;

/**
 * The loads that the models look at, one a slot, oldest first, at most `capacity` of them, in single precision. NaN is
 * a gap; a short one is bridged by a line as soon as the load after it is known.
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
  #values: Float32Array;
  #start = 0;
  #end = 0;

  constructor(readonly capacity: number) {
    this.#values = new Float32Array(Math.min(capacity + 2, 1024));
  }

  /** How many slots are kept. */
  get length(): number {
    return this.#end - this.#start;
  }

  /** The load of the newest slot, NaN in a gap. */
  get newest(): number {
    return this.ago(0);
  }

  /** The load `slots` before the newest slot; NaN where there is none. */
  ago(slots: number): number {
    return slots < this.length ? (this.#values[this.#end - 1 - slots] ?? NaN) : NaN;
  }

  /** All that are kept, oldest first: a view, valid until the next load comes. */
  get all(): Float32Array {
    return this.#values.subarray(this.#start, this.#end);
  }

  /** Takes in the load of the next slot. What is no load (negative, not a number) is a gap. */
  append(load: number): void {
    this.#push(load);
    if (this.length > this.capacity) this.#start++;
  }

  /** What `look` finds when `load` is that of the next slot, which is still running; afterwards all is as before. */
  while<Found>(load: number, look: () => Found): Found {
    const { largest, gap } = this;
    const bridged = this.#values.slice(Math.max(this.#start, this.#end - longestBridge), this.#end);
    this.#push(load);
    this.running = true;
    try {
      return look();
    } finally {
      this.running = false;
      this.count--;
      this.#end--;
      this.#values.set(bridged, this.#end - bridged.length);
      this.largest = largest;
      this.gap = gap;
    }
  }

  #push(load: number): void {
    this.#makeRoom();
    const known = load >= 0;
    const value = known ? Math.min(load, highest) : NaN;
    this.#values[this.#end++] = value;
    this.count++;
    if (known) {
      if (this.gap > 0 && this.gap <= longestBridge) this.#bridge(value);
      this.gap = 0;
      this.largest = Math.max(this.largest, value);
    } else {
      this.gap++;
    }
  }

  #makeRoom(): void {
    if (this.#end < this.#values.length) return;
    // An eighth more than is kept, so that everything moves once in many slots.
    const room = Math.min(2 * this.#values.length, this.capacity + (this.capacity >> 3) + 2);
    const values = room > this.#values.length ? new Float32Array(room) : this.#values;
    const kept = this.length;
    values.set(this.all);
    this.#values = values;
    this.#start = 0;
    this.#end = kept;
  }

  /** Fills the short gap before the newest slot on the line between its ends. */
  #bridge(load: number): void {
    const before = this.ago(this.gap + 1);
    if (Number.isNaN(before)) return;
    for (let slots = 1; slots <= this.gap; slots++) {
      this.#values[this.#end - 1 - slots] = load + ((before - load) * slots) / (this.gap + 1);
    }
  }
}
