import { BFloat16Array } from "./bfloat16";
import { pinballLoss } from "./interval";

/** The score of the forecasts at the last step of the horizon. */
export interface Score {
  /** The number of origins whose forecast has been scored. */
  origins: number;
  /** 1 - MAE / MAE of `last`, over the origins of the last day, or over 288 when a day has fewer. */
  skill?: number;
  /**
   * 1 - pinball loss of what acts / that without the forecast, over the same origins. What acts is the upper quantile,
   * or the last load if that is higher, as of max(HPA, forecast). Without the forecast is the better of the last load
   * and its own upper quantile. The pinball loss weighs load that is not served against replicas that are not needed,
   * as q : 1 - q. Absent without upper quantiles.
   */
  upperSkill?: number;
  /** The share of loads at or under the upper quantile, over the same origins. */
  coverage?: number;
}

/** A forecast from one origin, and the load that came. */
interface Scored {
  error: number;
  errorOfLast: number;
  /** The pinball losses: of what acts, of the last load, and of its upper quantile. */
  loss: number;
  lossOfLast: number;
  lossOfLastUpper: number;
  covered: number;
}

const figures = ["error", "errorOfLast", "loss", "lossOfLast", "lossOfLastUpper", "covered"] as const;

/** Scores the forecasts at one step ahead over the newest `size` origins: their skills and their coverage. */
export class Scores {
  /** The forecast, the two upper quantiles and the load of the newest `step` origins. */
  readonly #pending: Float32Array;
  /** The figures of the newest `size` origins, by figure. */
  readonly #scored: Record<keyof Scored, BFloat16Array>;
  #slot = 0;
  #origins = 0;

  /** @param quantile probability of the upper quantiles */
  constructor(
    readonly step: number,
    readonly size: number,
    readonly quantile = NaN,
  ) {
    this.#pending = new Float32Array(4 * step).fill(NaN);
    const values = (): BFloat16Array => new BFloat16Array(size);
    this.#scored = {
      ...{ error: values(), errorOfLast: values(), covered: values() },
      ...{ loss: values(), lossOfLast: values(), lossOfLastUpper: values() },
    };
  }

  /**
   * Scores the load of the next slot, then keeps the forecast from it as an origin. NaN is a gap or no forecast.
   * @param upperOfLast the upper quantile around this load as a forecast
   */
  add(load: number, forecast: number, upper: number, upperOfLast = NaN): void {
    const place = 4 * (this.#slot++ % this.step);
    const [then = NaN, upperThen = NaN, lastUpperThen = NaN, lastThen = NaN] = this.#pending.subarray(place, place + 4);
    const [error, errorOfLast] = [Math.abs(load - then), Math.abs(load - lastThen)];
    if (Number.isFinite(error + errorOfLast)) {
      const loss = (bound: number): number => pinballLoss(this.quantile, load - bound);
      const scored: Scored = {
        ...{ error, errorOfLast, covered: Math.fround(load) <= upperThen ? 1 : 0 },
        ...{
          loss: loss(Math.max(lastThen, upperThen)),
          lossOfLast: loss(lastThen),
          lossOfLastUpper: loss(lastUpperThen),
        },
      };
      for (const figure of figures) this.#scored[figure].set(this.#origins % this.size, scored[figure]);
      this.#origins++;
    }
    this.#pending.set([forecast, upper, upperOfLast, load], place);
  }

  /** The score of the newest `size` origins. */
  get score(): Score {
    const origins = this.#origins;
    if (origins === 0) return { origins };
    const known = Math.min(origins, this.size);
    const sum = (figure: keyof Scored): number => {
      let sum = 0;
      for (let index = 0; index < known; index++) sum += this.#scored[figure].get(index);
      return sum;
    };
    const without = Math.min(sum("lossOfLast"), sum("lossOfLastUpper"));
    const upperSkill = skillOf(sum("loss"), without);
    return {
      ...{ origins, skill: skillOf(sum("error"), sum("errorOfLast")), coverage: sum("covered") / known },
      ...(Number.isFinite(upperSkill) && { upperSkill }),
    };
  }
}

/** No forecast of a constant load is better than the last load: an equal one has skill 0. */
function skillOf(error: number, without: number): number {
  if (without === 0) return error > 0 ? -1 : 0;
  return 1 - error / without;
}
