import { BFloat16Array } from "../bfloat16";
import type { LocalTime } from "../local-time";

/** Newest days of errors that are kept. */
const days = 7;
/** Slots on either side of a time of day that its quantile includes. */
const around = 2;
/** The fewest errors of a quantile: of fewer ones, 90 % is the largest. */
const fewest = 20;

/** The errors of forecasts over the last days, by step and slot, in units of the load. */
export class DailyErrors {
  readonly #errors: BFloat16Array;
  readonly #span: number;
  /**
   * The quantiles by probability: by step, for an origin at the newest and at the running slot. NaN: not known yet.
   */
  readonly #known = new Map<number, Float64Array>();
  #newest = -1;

  /** @param day slots of a day */
  constructor(
    readonly horizon: number,
    readonly day: number,
    readonly time: LocalTime,
  ) {
    this.#span = days * day;
    this.#errors = new BFloat16Array(horizon * this.#span);
  }

  /** Keeps the error of a step in a slot; NaN is none. The slot is the newest one. */
  add(step: number, slot: number, error: number): void {
    this.#errors.set((step - 1) * this.#span + (slot % this.#span), error);
    this.#newest = slot;
    for (const known of this.#known.values()) known.fill(NaN, 2 * (step - 1), 2 * step);
  }

  /** The errors of a step in the newest `most` slots. */
  recent(step: number, most: number): Float32Array {
    const first = Math.max(0, this.#newest + 1 - Math.min(most, this.#span));
    const errors = new Float32Array(this.#newest + 1 - first);
    let count = 0;
    for (let slot = first; slot <= this.#newest; slot++) {
      const error = this.#at(step, slot);
      if (!Number.isNaN(error)) errors[count++] = error;
    }
    return errors.subarray(0, count);
  }

  /**
   * The quantile of the errors of a step at the time of day of its target; NaN with too few of them.
   * @param running 1 when the origin is the running slot, which comes after the newest; else 0
   */
  atThatTime(step: number, running: number, quantile: number): number {
    const place = (step - 1) * 2 + running;
    const known = this.#known.get(quantile) ?? new Float64Array(this.horizon * 2).fill(NaN);
    this.#known.set(quantile, known);
    const found = known[place] ?? NaN;
    return Number.isNaN(found) ? (known[place] = this.#quantileAt(step, step + running, quantile)) : found;
  }

  #quantileAt(step: number, ahead: number, quantile: number): number {
    const newest = this.#newest;
    const errors: number[] = [];
    for (let back = this.day; back <= this.#span; back += this.day) {
      const then = this.time.ago(newest + ahead, back);
      for (let slot = then - around; slot <= then + around; slot++) {
        if (slot > newest || slot <= newest - this.#span || slot < 0) continue;
        const error = this.#at(step, slot);
        if (!Number.isNaN(error)) errors.push(error);
      }
    }
    if (errors.length < fewest) return NaN;
    errors.sort((one, other) => one - other);
    return errors[Math.min(errors.length, Math.ceil(quantile * (errors.length + 1))) - 1] ?? NaN;
  }

  #at(step: number, slot: number): number {
    return this.#errors.get((step - 1) * this.#span + (slot % this.#span));
  }
}
