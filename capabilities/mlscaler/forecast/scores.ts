/** The score of the forecasts at the last step of the horizon. */
export interface Score {
  /** The number of origins whose forecast has been scored. */
  origins: number;
  /** 1 - MAE / MAE of `last`, over the origins of the last day, or over 288 when a day has fewer. */
  skill?: number;
  /** The share of loads at or under the upper quantile, over the same origins. */
  coverage?: number;
}

/** Scores the forecasts at one step ahead over the newest `size` origins: their skill and their coverage. */
export class Scores {
  /** The forecast, the upper quantile and the load of the newest `step` origins. */
  readonly #pending: Float32Array;
  readonly #errors: Float32Array;
  readonly #errorsOfLast: Float32Array;
  readonly #covered: Uint8Array;
  #slot = 0;
  #origins = 0;

  constructor(
    readonly step: number,
    readonly size: number,
  ) {
    this.#pending = new Float32Array(3 * step).fill(NaN);
    this.#errors = new Float32Array(size);
    this.#errorsOfLast = new Float32Array(size);
    this.#covered = new Uint8Array(size);
  }

  /** Scores the load of the next slot, then keeps the forecast from it as an origin. NaN is a gap or no forecast. */
  add(load: number, forecast: number, upper: number): void {
    const place = 3 * (this.#slot++ % this.step);
    const [then = NaN, upperThen = NaN, lastThen = NaN] = this.#pending.subarray(place, place + 3);
    const [error, errorOfLast] = [Math.abs(load - then), Math.abs(load - lastThen)];
    if (Number.isFinite(error + errorOfLast)) {
      const scored = this.#origins++ % this.size;
      this.#errors[scored] = error;
      this.#errorsOfLast[scored] = errorOfLast;
      this.#covered[scored] = Math.fround(load) <= upperThen ? 1 : 0;
    }
    this.#pending.set([forecast, upper, load], place);
  }

  /** The score of the newest `size` origins. */
  get score(): Score {
    const origins = this.#origins;
    if (origins === 0) return { origins };
    const known = Math.min(origins, this.size);
    const sum = (values: ArrayLike<number>): number =>
      Array.from(values)
        .slice(0, known)
        .reduce((all, one) => all + one, 0);
    const [error, errorOfLast] = [sum(this.#errors), sum(this.#errorsOfLast)];
    // No forecast of a constant load is better than the last load: an equal one has skill 0.
    const skill = errorOfLast > 0 ? 1 - error / errorOfLast : error > 0 ? -1 : 0;
    return { origins, skill, coverage: sum(this.#covered) / known };
  }
}
