import { dayMilliseconds, keptDays } from "../history/retention";
import { zoneOffset } from "../history/time-zone";

/** The most days whose offsets are kept: those of four weeks, and of what is asked for around them. */
const mostDays = 2 * keptDays;

/**
 * The local time of slots in a zone. Seasons follow it: a slot is at the same time as another a day before when the
 * clocks on the wall show the same, though 23 or 25 hours are between them after a change of the clocks.
 * - The hour that clocks skip has no slots. The day after looks back to the hour that follows instead.
 * - The hour that clocks repeat has slots twice, both at the same local time. The day after looks back to the second.
 */
export class LocalTime {
  /** Absent for UTC. */
  readonly zone?: string;
  readonly #daySlots: number;
  /** By how many slots the clocks are ahead of UTC, by day; on a day when they change, in each of its slots. */
  readonly #offsets = new Map<number, number | number[]>();

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
    this.#daySlots = Math.ceil(dayMilliseconds / step);
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
    const day = Math.floor(slot / this.#daySlots);
    const known = this.#offsets.get(day) ?? this.#offsetsOf(day);
    return typeof known === "number" ? known : (known[slot - day * this.#daySlots] ?? NaN);
  }

  /** Calculates the offsets of a day, and keeps them. */
  #offsetsOf(day: number): number | number[] {
    if (this.#offsets.size >= mostDays) this.#offsets.clear();
    const first = day * this.#daySlots;
    const offset = this.#offsetAt(first);
    const found =
      this.#offsetAt(first + this.#daySlots) === offset
        ? offset
        : Array.from({ length: this.#daySlots }, (_, index) => this.#offsetAt(first + index));
    this.#offsets.set(day, found);
    return found;
  }

  #offsetAt(slot: number): number {
    return Math.round(zoneOffset(this.zone ?? "UTC", this.begins + slot * this.step) / this.step);
  }
}

/** The time of slots without a zone: seasons follow UTC. */
export const utc = new LocalTime();
