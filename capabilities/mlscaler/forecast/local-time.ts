import { dayMilliseconds } from "../history/retention";
import { zoneOffset } from "../history/time-zone";

/** Days on either side of a slot in which a change of the offset is searched. */
const searchedDays = 35;
/** The most spans that are kept: those of four weeks, and of what was searched lately. */
const mostSpans = 8;

/** Slots in a row in which the clocks of a zone are ahead of UTC by the same number of slots. */
interface Span {
  from: number;
  end: number;
  offset: number;
}

/**
 * The local time of slots in a zone. Seasons follow it: a slot is at the same time as another a day before when the
 * clocks on the wall show the same, though 23 or 25 hours are between them after a change of the clocks.
 * - The hour that clocks skip has no slots. The day after looks back to the hour that follows instead.
 * - The hour that clocks repeat has slots twice, both at the same local time. The day after looks back to the second.
 */
export class LocalTime {
  /** Absent for UTC. */
  readonly zone?: string;
  #spans: Span[] = [];

  /**
   * @param zone a name of the tz database
   * @param step milliseconds of a slot
   * @param begins epoch milliseconds of slot 0
   */
  constructor(
    zone = "UTC",
    readonly step = dayMilliseconds,
    readonly begins = 0,
  ) {
    if (zone !== "UTC") this.zone = zone;
  }

  /** The place of a slot in a season of `period` slots by local time. */
  place(slot: number, period: number): number {
    return (((slot + this.#offset(slot)) % period) + period) % period;
  }

  /** The slot at the same local time `slots` before, which are whole days. */
  ago(slot: number, slots: number): number {
    const before = slot - slots;
    return this.zone === undefined ? before : before + this.#offset(slot) - this.#offset(before);
  }

  /** The slot at the same local time one or more seasons of `period` slots before, the latest one up to `latest`. */
  latest(slot: number, period: number, latest: number): number {
    let seasons = Math.max(1, Math.ceil((slot - latest) / period));
    while (this.ago(slot, seasons * period) > latest) seasons++;
    return this.ago(slot, seasons * period);
  }

  /** By how many slots the clocks are ahead of UTC. */
  #offset(slot: number): number {
    if (this.zone === undefined) return 0;
    for (const { from, end, offset } of this.#spans) if (slot >= from && slot < end) return offset;
    const found = this.#spanOf(slot);
    this.#spans = [found, ...this.#spans.slice(0, mostSpans - 1)];
    return found.offset;
  }

  /** The span of a slot, as far as it is searched. */
  #spanOf(slot: number): Span {
    const offset = this.#offsetAt(slot);
    const day = Math.ceil(dayMilliseconds / this.step);
    /** The first slot in a direction that has another offset, or is no longer searched. */
    const other = (direction: 1 | -1): number => {
      let [same, away] = [0, day];
      while (away <= searchedDays * day && this.#offsetAt(slot + direction * away) === offset)
        [same, away] = [away, away + day];
      if (away > searchedDays * day) return slot + direction * (same + 1);
      while (away - same > 1) {
        const middle = (same + away) >> 1;
        if (this.#offsetAt(slot + direction * middle) === offset) same = middle;
        else away = middle;
      }
      return slot + direction * away;
    };
    return { from: other(-1) + 1, end: other(1), offset };
  }

  #offsetAt(slot: number): number {
    return Math.round(zoneOffset(this.zone ?? "UTC", this.begins + slot * this.step) / this.step);
  }
}

/** The time of slots without a zone: seasons follow UTC. */
export const utc = new LocalTime();
