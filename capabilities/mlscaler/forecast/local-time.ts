import { dayMilliseconds } from "../history/time";
import { zoneOffset } from "../history/time-zone";
import { type CalendarEntry, daysOf } from "./calendar-dates";

/** Days on either side of a slot in which a change of the offset is searched. */
const searchedDays = 35;
/** The most spans that are kept: those of four weeks, and of what was searched lately. */
const mostSpans = 8;

/** The most seasons that are skipped because their day is not ordinary. */
const mostSkipped = 7;

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
  /** The kinds of the days that are not ordinary, by number of the day since the epoch. */
  readonly #kinds = new Map<number, number>();

  /**
   * @param zone a name of the tz database
   * @param step milliseconds of a slot
   * @param begins epoch milliseconds of slot 0
   * @param calendar days that are not ordinary
   */
  constructor(
    zone = "UTC",
    readonly step = dayMilliseconds,
    readonly begins = 0,
    readonly calendar: readonly CalendarEntry[] = [],
  ) {
    if (zone !== "UTC") this.zone = zone;
    calendar.forEach(({ dates }, entry) => {
      for (const day of dates.flatMap(daysOf)) this.#kinds.set(day, entry + 1);
    });
  }

  /** The kind of the day of a slot: 0 for an ordinary day, or the place of its entry in the calendar, from 1. */
  kind(slot: number): number {
    if (this.#kinds.size === 0) return 0;
    return this.#kinds.get(Math.floor((this.begins + (slot + this.#offset(slot)) * this.step) / dayMilliseconds)) ?? 0;
  }

  /** The name of the day of a slot in the calendar; undefined for an ordinary day. */
  nameOf(slot: number): string | undefined {
    return this.calendar[this.kind(slot) - 1]?.name;
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

  /** The slot at the same local time a season of `period` slots before, of an ordinary day if that of `slot` is. */
  before(slot: number, period: number): number {
    return this.#ordinary(slot, period, 1);
  }

  /** The latest such slot up to `latest`, one or more seasons before. */
  latest(slot: number, period: number, latest: number): number {
    let seasons = Math.max(1, Math.ceil((slot - latest) / period));
    while (this.ago(slot, seasons * period) > latest) seasons++;
    return this.#ordinary(slot, period, seasons);
  }

  /** The slot `seasons` before, or more where an ordinary day would learn from another. */
  #ordinary(slot: number, period: number, seasons: number): number {
    const nearest = this.ago(slot, seasons * period);
    if (this.#kinds.size === 0 || this.kind(slot) !== 0) return nearest;
    for (let more = seasons; more < seasons + mostSkipped; more++) {
      const before = this.ago(slot, more * period);
      if (this.kind(before) === 0) return before;
    }
    return nearest;
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
