/** A jump beyond this multiple of the precedent is unprecedented: on recorded loads no more than 8 slots of 14,400. */
const beyond = 1.25;
/** The share of the last load below which a jump is never unprecedented: the load may have been constant so far. */
const least = 0.05;
/** The rank of the precedent among the largest jumps: two garbage values set no precedent. */
const rank = 3;
/** Days whose jumps count: four weeks. */
const days = 28;
/** Unprecedented slots in a row that are believed: the load has changed. */
const lasting = 3;

/** Whether the load of a slot is doubted, and the first of the doubted slots that it proves right. */
export interface Verdict {
  doubted: boolean;
  provedFrom?: number;
}

const believed: Verdict = { doubted: false };

/**
 * Doubts a load that jumps from the last believed one by a quarter more than the third largest jump of four weeks,
 * until it lasts for three slots. Such a load is garbage, or a burst that nobody can foresee; from either there is
 * nothing to learn. Each row of doubted loads sets one precedent, so that a burst that comes every day is believed from
 * its fourth time on. Nothing is doubted before a day of loads.
 */
export class Precedents {
  /** The largest jumps of each day, `rank` of them in descending order; a ring. */
  readonly #jumps = new Float32Array(days * rank);
  #bound = Infinity;
  /** Slots so far. */
  #slots = 0;
  /** Loads so far. */
  #loads = 0;
  /** Slots without a load since the newest load. */
  #missing = 0;
  /** The last believed load. */
  #last = NaN;
  /** The doubted loads since then: their number, the first slot, and their largest jump. */
  #doubts = { count: 0, from: 0, jump: 0 };

  /** @param day slots of a day */
  constructor(readonly day: number) {}

  /** Judges the load of the next slot. NaN is a gap. */
  take(load: number): Verdict {
    const slot = this.#slots++;
    if (slot % this.day === 0) this.#begin(slot / this.day);
    if (Number.isNaN(load)) {
      this.#missing++;
      return believed;
    }
    const { count, from, jump: largest } = this.#doubts;
    const jump = Math.abs(load - this.#last);
    const doubted = this.doubts(load);
    const missing = this.#missing;
    this.#missing = 0;
    this.#loads++;
    if (doubted && count + 1 < lasting) {
      this.#doubts = { count: count + 1, from: count > 0 ? from : slot, jump: Math.max(jump, largest) };
      return { doubted };
    }
    // A jump over a gap is none from one slot to the next.
    if (count > 0) this.#keep(Math.max(doubted ? jump : 0, largest));
    else if (missing === 0) this.#keep(jump);
    this.#last = load;
    this.#doubts = { count: 0, from: 0, jump: 0 };
    return doubted ? { doubted: false, provedFrom: from } : believed;
  }

  /** Whether a load right after the newest slot is doubted. */
  doubts(load: number): boolean {
    // A load may move on while it is not known.
    const most = Math.max(this.#bound, least * this.#last) * (1 + this.#missing);
    return this.#loads >= this.day && Math.abs(load - this.#last) > most;
  }

  /** Forgets the jumps of the day that the new one replaces. */
  #begin(day: number): void {
    const place = (day % days) * rank;
    this.#jumps.fill(0, place, place + rank);
    this.#rebound();
  }

  #keep(jump: number): void {
    const place = (Math.floor((this.#slots - 1) / this.day) % days) * rank;
    const today = this.#jumps.subarray(place, place + rank);
    if (!(jump > (today[rank - 1] ?? 0))) return;
    today[rank - 1] = jump;
    today.sort().reverse();
    this.#rebound();
  }

  #rebound(): void {
    const sorted = this.#jumps.slice().sort();
    this.#bound = beyond * (sorted[sorted.length - rank] ?? 0);
  }
}
