import { keptDays } from "../../history/retention";

/** A jump beyond this multiple of the precedent is unprecedented: on recorded loads no more than 8 slots of 14,400. */
const beyond = 1.25;
/** The share of the last load below which a jump is never unprecedented: the load may have been constant so far. */
const least = 0.05;
/** The rank of the precedent among the largest values: two garbage values set no precedent. */
const rank = 3;
/** Unprecedented slots in a row that are believed: the load has changed. */
const lasting = 3;

/** Whether the load of a slot is doubted, and the first of the doubted slots that it proves right. */
export interface Verdict {
  doubted: boolean;
  provedFrom?: number;
}

const believed: Verdict = { doubted: false };

/** The third largest value of four weeks. */
class ThirdLargest {
  #value?: number;
  /** The largest values of each day, `rank` of them in ascending order; a ring. */
  readonly #values = new Float32Array(keptDays * rank);

  /** Forgets the values of the day that a new one replaces. */
  begin(day: number): void {
    const from = placeOf(day);
    this.#values.fill(0, from, from + rank);
    this.#value = undefined;
  }

  get value(): number {
    return (this.#value ??= this.#values.toSorted().at(-rank) ?? 0);
  }

  keep(day: number, value: number): void {
    const from = placeOf(day);
    if (!(value > (this.#values[from] ?? 0))) return;
    this.#values[from] = value;
    this.#values.subarray(from, from + rank).sort();
    // One up to the third largest does not change it.
    if (value > (this.#value ?? 0)) this.#value = undefined;
  }
}

/** The place of the smallest value of a day. */
const placeOf = (day: number): number => (day % keptDays) * rank;

/**
 * Doubts a load that jumps from the last believed one by a quarter more than the third largest jump of four weeks,
 * until it lasts for three slots. Such a load is garbage, or a burst that nobody can foresee; from either there is
 * nothing to learn. Each row of doubted loads sets one precedent, so that a burst that comes every day is believed from
 * its fourth time on. Nothing is doubted before a day of loads.
 */
export class Precedents {
  loads = 0;
  readonly #jumps = new ThirdLargest();
  readonly #believed = new ThirdLargest();
  #slots = 0;
  /** Slots without a load since the newest load. */
  #missing = 0;
  #last = NaN;
  /** The doubted loads since then: their number, the first slot, and their largest jump. */
  #doubts = { count: 0, from: 0, jump: 0 };

  constructor(readonly day: number) {}

  /** The third highest believed load of four weeks; 0 before there are three. */
  get highest(): number {
    return this.#believed.value;
  }

  /** Judges the load of the next slot. NaN is a gap. */
  take(load: number): Verdict {
    const slot = this.#slots++;
    const today = Math.floor(slot / this.day);
    if (slot % this.day === 0) {
      this.#jumps.begin(today);
      this.#believed.begin(today);
    }
    if (Number.isNaN(load)) {
      this.#missing++;
      return believed;
    }
    const { count, from, jump: largest } = this.#doubts;
    const jump = Math.abs(load - this.#last);
    const doubted = this.doubts(load);
    const missing = this.#missing;
    this.#missing = 0;
    this.loads++;
    if (doubted && count + 1 < lasting) {
      this.#doubts = { count: count + 1, from: count > 0 ? from : slot, jump: Math.max(jump, largest) };
      return { doubted };
    }
    // A jump over a gap is none from one slot to the next.
    if (count > 0) this.#jumps.keep(today, Math.max(doubted ? jump : 0, largest));
    else if (missing === 0) this.#jumps.keep(today, jump);
    for (let proved = doubted ? lasting : 1; proved > 0; proved--) this.#believed.keep(today, load);
    this.#last = load;
    this.#doubts = { count: 0, from: 0, jump: 0 };
    return doubted ? { doubted: false, provedFrom: from } : believed;
  }

  /** Whether a load right after the newest slot is doubted. */
  doubts(load: number): boolean {
    // A load may move on while it is not known.
    const most = Math.max(beyond * this.#jumps.value, least * this.#last) * (1 + this.#missing);
    return this.loads >= this.day && Math.abs(load - this.#last) > most;
  }
}
