import { longestBridge } from "../history/series";
import type { Precedents } from "./mixture/precedents";

/** The highest load. Higher loads count as this one, so that squares and sums of loads stay finite. */
const highest = Math.fround(1e30);

/** Stored loads by the number of their slot; NaN is a gap. */
export interface SlotLoads {
  at(slot: number): number;
}

/**
 * The newest `capacity` loads of a workload in single precision, one a slot; slots are numbered from 0. NaN is a gap. A
 * line bridges a short gap as soon as the load after it is known. A load that is doubted is a gap until it is proved.
 */
export class Loads {
  /** Slots ever appended. The newest slot has the number `count` - 1. */
  count = 0;
  /** Slots since the last load; 0 when the newest slot has one. */
  gap = 0;
  /** Whether the newest slot is the running one, which `while` added. */
  running = false;
  /** The load of the newest slot; NaN in a gap. */
  newest = NaN;
  /** The doubted slots, in ascending order: gaps as long as they are doubted. */
  readonly #doubted = new Set<number>();
  readonly #own?: Float32Array;

  /**
   * @param stored the loads, when the caller stores them; without it a copy is kept
   * @param precedents what doubts loads; without it none is doubted
   */
  constructor(
    readonly capacity: number,
    readonly stored?: SlotLoads,
    readonly precedents?: Precedents,
  ) {
    if (!stored) this.#own = new Float32Array(capacity);
  }

  /** The most that a forecast may be: twice the highest load that is believed, or the newest load. */
  get ceiling(): number {
    const most = 2 * (this.precedents?.highest ?? Infinity);
    return this.newest > most ? this.newest : most;
  }

  get length(): number {
    return Math.min(this.count, this.capacity);
  }

  /** The load `slots` slots before the newest slot; NaN in a gap and where no slot is kept. */
  ago(slots: number): number {
    return this.at(this.count - 1 - slots);
  }

  /** The load of a slot; NaN in a gap and where no slot is kept. */
  at(slot: number): number {
    const load = this.#keptAt(slot);
    return Number.isNaN(load) ? this.#bridgeAt(slot) : load;
  }

  /** A copy of the kept loads, which is faster to read many times. */
  copied(): SlotLoads {
    const first = this.count - this.length;
    const loads = new Float64Array(this.length);
    for (let place = 0; place < loads.length; place++) loads[place] = this.at(first + place);
    return { at: slot => loads[slot - first] ?? NaN };
  }

  /** Appends the load of the next slot. A negative load and NaN are a gap, and so is a doubted load. */
  append(load: number): void {
    const { doubted = false, provedFrom = Infinity } = this.precedents?.take(asLoad(load)) ?? {};
    this.#take(doubted ? NaN : load);
    const slot = this.count - 1;
    if (this.#own) this.#own[slot % this.capacity] = asLoad(load);
    if (doubted) this.#doubted.add(slot);
    for (const old of this.#doubted)
      if (old >= provedFrom || old < this.count - this.capacity) this.#doubted.delete(old);
  }

  /** Whether a load right after the newest slot is doubted. */
  doubts(load: number): boolean {
    return this.precedents?.doubts(load) ?? false;
  }

  /**
   * The result of `look` with `load` as the load of the running slot, the newest one. A doubted load is a gap. Restores
   * the loads afterwards.
   */
  while<Found>(load: number, look: () => Found): Found {
    const { gap, newest } = this;
    this.#take(this.doubts(load) ? NaN : load);
    this.running = true;
    try {
      return look();
    } finally {
      this.running = false;
      this.count--;
      this.newest = newest;
      this.gap = gap;
    }
  }

  #take(load: number): void {
    this.newest = asLoad(load);
    this.count++;
    this.gap = this.newest >= 0 ? 0 : this.gap + 1;
  }

  #keptAt(slot: number): number {
    if (slot === this.count - 1) return this.newest;
    if (!(slot < this.count && slot >= 0 && slot >= this.count - this.capacity)) return NaN;
    if (this.#doubted.size > 0 && this.#doubted.has(slot)) return NaN;
    return this.#own ? (this.#own[slot % this.capacity] ?? NaN) : Math.min(highest, this.stored?.at(slot) ?? NaN);
  }

  /** The load of a slot in a short gap, on the line between its ends; NaN in a long gap. */
  #bridgeAt(slot: number): number {
    let [before, after] = [1, 1];
    while (before <= longestBridge && Number.isNaN(this.#keptAt(slot - before))) before++;
    while (before + after <= longestBridge + 1 && Number.isNaN(this.#keptAt(slot + after))) after++;
    if (before + after > longestBridge + 1) return NaN;
    const [first, last] = [this.#keptAt(slot - before), this.#keptAt(slot + after)];
    return last + ((first - last) * after) / (before + after);
  }
}

/** A load in single precision; NaN for what can be no load. */
export const asLoad = (load: number): number => (load >= 0 ? Math.fround(Math.min(load, highest)) : NaN);
