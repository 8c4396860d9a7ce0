import { Differences } from "./autoregression";
import type { Expert } from "./expert";
import type { Loads } from "./loads";
import type { LocalTime } from "./local-time";

/** Days back among which those of the same name are: the history has 28. */
const days = 27;
/** The slots after which a difference counts half, in days. */
const halfLife = 0.8;

/**
 * The usual load of days of the same name in the calendar: the median of those of four weeks at the same local time,
 * smoothed over its neighbours, plus the share of the newest difference from it that usually lasts, as in Usual.
 * Silent on ordinary days, and on the first day of a name.
 */
export class Calendar implements Expert {
  readonly name = "calendar";
  /** The differences from the usual load. */
  readonly #differences: Differences;

  /** @param day slots of a day */
  constructor(
    readonly day: number,
    horizon: number,
    readonly time: LocalTime,
  ) {
    this.#differences = new Differences(horizon, halfLife * day);
  }

  learn(loads: Loads): void {
    this.#differences.add(loads.newest - this.#usual(loads, loads.count - 1));
  }

  predict(loads: Loads, into: Float64Array): void {
    const newest = loads.count - 1;
    const known = loads.newest - this.#usual(loads, newest);
    const difference = Number.isNaN(known) ? 0 : known;
    for (let step = 1; step <= into.length; step++) {
      into[step - 1] = this.#usual(loads, newest + step) + this.#differences.share(step) * difference;
    }
  }

  /** The median of the loads of days of the same name at the time of a slot; NaN without any. */
  #usual(loads: Loads, slot: number): number {
    const kind = this.time.kind(slot);
    if (kind === 0) return NaN;
    const found: number[] = [];
    for (let back = 1; back <= days; back++) {
      const before = this.time.ago(slot, back * this.day);
      if (this.time.kind(before) !== kind) continue;
      const [load, after] = [loads.at(before), loads.at(before + 1)];
      const smooth = (loads.at(before - 1) + 2 * load + after) / 4;
      if (!Number.isNaN(load)) found.push(Number.isNaN(smooth) ? load : smooth);
    }
    found.sort((one, other) => one - other);
    return ((found[(found.length - 1) >> 1] ?? NaN) + (found[found.length >> 1] ?? NaN)) / 2;
  }
}
