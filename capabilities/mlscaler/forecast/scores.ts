import type { Score } from "./forecaster";

/**
 * How forecasts at one step did: the errors of the newest `size` that were scored, those of the last load in their place, and how
 * many loads stayed under the upper quantile.
 */
export class Scores {
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

  /** Takes in the load of a slot, then what is forecast from it; NaN where there is none. */
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

  get score(): Score {
    const origins = this.#origins;
    if (origins === 0) return { origins };
    const known = Math.min(origins, this.size);
    const sum = (values: ArrayLike<number>): number =>
      Array.from(values)
        .slice(0, known)
        .reduce((all, one) => all + one, 0);
    const [error, errorOfLast] = [sum(this.#errors), sum(this.#errorsOfLast)];
    // A load that never moves: the last value cannot be beaten, only matched.
    const skill = errorOfLast > 0 ? 1 - error / errorOfLast : error > 0 ? -1 : 0;
    return { origins, skill, coverage: sum(this.#covered) / known };
  }
}
