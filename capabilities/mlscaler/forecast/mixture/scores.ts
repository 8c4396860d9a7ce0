import { BFloat16Array } from "../bfloat16";

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
  /** Of the newest `size` origins. */
  readonly #scored: Record<"error" | "errorOfLast" | "covered", BFloat16Array>;
  #slot = 0;
  #origins = 0;

  constructor(
    readonly step: number,
    readonly size: number,
  ) {
    this.#pending = new Float32Array(3 * step).fill(NaN);
    const values = (): BFloat16Array => new BFloat16Array(size);
    this.#scored = { error: values(), errorOfLast: values(), covered: values() };
  }

  /** Scores the load of the next slot, then keeps the forecast from it as an origin. NaN is a gap or no forecast. */
  add(load: number, forecast: number, upper: number): void {
    const place = 3 * (this.#slot++ % this.step);
    const [then = NaN, upperThen = NaN, lastThen = NaN] = this.#pending.subarray(place, place + 3);
    const [error, errorOfLast] = [Math.abs(load - then), Math.abs(load - lastThen)];
    if (Number.isFinite(error + errorOfLast)) {
      const origin = this.#origins++ % this.size;
      this.#scored.error.set(origin, error);
      this.#scored.errorOfLast.set(origin, errorOfLast);
      this.#scored.covered.set(origin, Math.fround(load) <= upperThen ? 1 : 0);
    }
    this.#pending.set([forecast, upper, load], place);
  }

  get origins(): number {
    return this.#origins;
  }

  get score(): Score {
    const origins = this.#origins;
    if (origins === 0) return { origins };
    const known = Math.min(origins, this.size);
    const sum = (of: BFloat16Array): number => {
      let sum = 0;
      for (let index = 0; index < known; index++) sum += of.get(index);
      return sum;
    };
    const { error, errorOfLast, covered } = this.#scored;
    return { origins, skill: skillOf(sum(error), sum(errorOfLast)), coverage: sum(covered) / known };
  }
}

/** No forecast of a constant load is better than the last load: an equal one has skill 0. */
function skillOf(error: number, without: number): number {
  if (without === 0) return error > 0 ? -1 : 0;
  return 1 - error / without;
}
