import type { Expert } from "./expert";
import type { Loads } from "./loads";

/**
 * The usual load at the time of the target: the median of the loads at that time of the last seasons, plus the share of
 * the newest difference from it that usually lasts, as in Seasonal. A median ignores a holiday, which Profile's mean
 * and the load of one season ago do not.
 */
export class Usual implements Expert {
  readonly #decay: number;
  /** Decayed sums of the regression of the difference on itself, by steps between the two. */
  readonly #products: Float64Array;
  readonly #squares: Float64Array;
  /** The newest `horizon` + 1 differences from the usual load, the newest first. */
  readonly #differences: Float64Array;

  /**
   * @param period slots of a season
   * @param seasons the newest seasons that count
   */
  constructor(
    readonly name: string,
    readonly period: number,
    readonly seasons: number,
    horizon: number,
    halfLife: number,
  ) {
    this.#decay = 0.5 ** (1 / halfLife);
    this.#products = new Float64Array(horizon);
    this.#squares = new Float64Array(horizon);
    this.#differences = new Float64Array(horizon + 1).fill(NaN);
  }

  learn(loads: Loads): void {
    const difference = loads.newest - this.#usual(loads, loads.count - 1);
    this.#differences.copyWithin(1, 0);
    this.#differences[0] = difference;
    for (let step = 1; step <= this.#products.length; step++) {
      const before = this.#differences[step] ?? NaN;
      const product = difference * before;
      if (Number.isNaN(product)) continue;
      this.#products[step - 1] = this.#decay * (this.#products[step - 1] ?? 0) + product;
      this.#squares[step - 1] = this.#decay * (this.#squares[step - 1] ?? 0) + before * before;
    }
  }

  predict(loads: Loads, into: Float64Array): void {
    const newest = loads.count - 1;
    const difference = loads.running ? loads.newest - this.#usual(loads, newest) : (this.#differences[0] ?? NaN);
    for (let step = 1; step <= into.length; step++) {
      const [product = 0, square = 0] = [this.#products[step - 1], this.#squares[step - 1]];
      const lasting = square > 0 ? Math.min(1, Math.max(0, product / square)) : 0;
      into[step - 1] = this.#usual(loads, newest + step) + lasting * difference;
    }
  }

  /** The median of the loads one, two, … seasons before a slot; NaN without any. */
  #usual(loads: Loads, slot: number): number {
    const found: number[] = [];
    for (let back = 1; back <= this.seasons; back++) {
      const load = loads.at(slot - back * this.period);
      if (Number.isNaN(load)) continue;
      // Inserts it in ascending order: there are few.
      let place = found.length;
      for (; place > 0 && (found[place - 1] ?? NaN) > load; place--) found[place] = found[place - 1] ?? NaN;
      found[place] = load;
    }
    const [below, above] = [found[(found.length - 1) >> 1] ?? NaN, found[found.length >> 1] ?? NaN];
    return (below + above) / 2;
  }
}
