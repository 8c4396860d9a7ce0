/** Newest errors of the recent quantile. */
const size = 300;
/** Newest days of the daily quantile. */
const days = 7;
/** Slots on either side of a time of day that the daily quantile includes. */
const around = 2;
/** The fewest errors of a daily quantile. */
const fewest = 10;
/** The largest error in movements: single precision holds it. */
const furthest = 1e9;

/**
 * The upper quantile of a load by locally weighted split conformal prediction over a rolling window (Lei et al. 2018,
 * 5.2). The recent quantile is the quantile of the newest errors, each divided by the movement of the load at its
 * origin, times the movement now. The daily quantile is halfway between the recent quantile and the quantile of the
 * errors at the same time of the last days: it knows a batch job that starts at 02:00. At each step ahead, the quantile
 * with the smaller recent pinball loss applies.
 */
export class Interval {
  /** The newest errors in movements, by step; a ring. */
  readonly #errors: Float32Array;
  /** The same errors, sorted, by step. */
  readonly #sorted: Float32Array;
  /** The number of errors kept so far, by step. */
  readonly #counts: Uint32Array;
  /** The errors in units of the load, by step and slot of the last days. */
  readonly #daily: Float32Array;
  /** The forecasts of the newest `horizon` origins, by origin and step. */
  readonly #forecasts: Float32Array;
  /** The movement at each of these origins. */
  readonly #movements: Float32Array;
  /** The upper quantiles of these origins, by origin and step. */
  readonly #uppers: { recent: Float32Array; daily: Float32Array };
  /** The decayed pinball losses of both quantiles, by step. */
  readonly #losses: { recent: Float64Array; daily: Float64Array };
  readonly #span: number;
  readonly #decay: number;
  /** The number of steps. */
  readonly #steps: number;
  #slot = 0;

  /**
   * @param day slots of a day; absent without a daily season, and then only the recent quantile applies
   * @param quantile probability whose pinball loss compares the two quantiles
   * @param first the first step ahead; the last one is the horizon
   */
  constructor(
    readonly horizon: number,
    readonly day: number | undefined,
    readonly quantile: number,
    readonly first = 1,
  ) {
    const steps = horizon - first + 1;
    this.#steps = steps;
    this.#span = days * (day ?? 0);
    this.#decay = halving(day ?? size);
    this.#errors = new Float32Array(steps * size);
    this.#sorted = new Float32Array(steps * size);
    this.#counts = new Uint32Array(steps);
    this.#daily = new Float32Array(steps * this.#span).fill(NaN);
    const pending = (): Float32Array => new Float32Array(horizon * steps).fill(NaN);
    this.#forecasts = pending();
    this.#movements = new Float32Array(horizon);
    this.#uppers = { recent: pending(), daily: pending() };
    this.#losses = { recent: new Float64Array(steps), daily: new Float64Array(steps) };
  }

  /**
   * Scores the load of the next slot, then keeps the forecasts from it as an origin. NaN is a gap or no forecast.
   * @param forecasts one for each step
   */
  add(load: number, forecasts: Float64Array, movement: number): void {
    const { horizon, first } = this;
    for (let step = first; step <= horizon; step++) {
      const origin = (this.#slot + horizon - step) % horizon;
      const pending = origin * this.#steps + step - first;
      const error = load - (this.#forecasts[pending] ?? NaN);
      if (this.day) this.#daily[(step - first) * this.#span + (this.#slot % this.#span)] = error;
      const moved = error / (this.#movements[origin] ?? NaN);
      if (!Number.isFinite(moved)) continue;
      this.#keep(step, Math.max(-furthest, Math.min(furthest, moved)));
      this.#lose(this.#losses.recent, step, load - (this.#uppers.recent[pending] ?? NaN));
      this.#lose(this.#losses.daily, step, load - (this.#uppers.daily[pending] ?? NaN));
    }
    const origin = this.#slot % horizon;
    this.#slot++;
    this.#movements[origin] = movement;
    for (let step = first; step <= horizon; step++) {
      const [place, forecast] = [origin * this.#steps + step - first, forecasts[step - first] ?? NaN];
      const recent = this.#recently(step, this.quantile, movement);
      this.#forecasts[place] = forecast;
      this.#uppers.recent[place] = forecast + recent;
      this.#uppers.daily[place] = forecast + this.#atThatTime(step, step, this.quantile, recent);
    }
  }

  /**
   * The distance of the upper quantile from the forecast `step` slots ahead, at least 0.
   * @param movement movement of the load at the origin
   * @param running 1 when the origin is the running slot, which `add` has not seen; else 0
   */
  above(step: number, quantile: number, movement: number, running = 0): number {
    const recent = this.#recently(step, quantile, movement);
    const dailyIsBetter = (this.#losses.daily[step - this.first] ?? 0) < (this.#losses.recent[step - this.first] ?? 0);
    return dailyIsBetter ? this.#atThatTime(step, step + running, quantile, recent) : recent;
  }

  /** The distance of the recent quantile from the forecast. */
  #recently(step: number, quantile: number, movement: number): number {
    const known = Math.min(size, this.#counts[step - this.first] ?? 0);
    if (known === 0) return 0;
    const place = Math.min(known - 1, Math.ceil(quantile * (known - 1)));
    return Math.max(0, (this.#sorted[(step - this.first) * size + place] ?? 0) * movement);
  }

  /** The distance of the daily quantile from the forecast, for the time of day `ahead` slots after the newest. */
  #atThatTime(step: number, ahead: number, quantile: number, recent: number): number {
    if (!this.day) return recent;
    const newest = this.#slot - 1;
    const errors: number[] = [];
    for (let back = this.day; back <= this.#span; back += this.day) {
      for (let slot = newest + ahead - back - around; slot <= newest + ahead - back + around; slot++) {
        if (slot > newest || slot <= newest - this.#span || slot < 0) continue;
        const error = this.#daily[(step - this.first) * this.#span + (slot % this.#span)] ?? NaN;
        if (!Number.isNaN(error)) errors.push(error);
      }
    }
    if (errors.length < fewest) return recent;
    errors.sort((one, other) => one - other);
    const place = Math.min(errors.length, Math.ceil(quantile * (errors.length + 1))) - 1;
    return Math.max(0, ((errors[place] ?? 0) + recent) / 2);
  }

  /** Keeps an error in movements, and sorts the errors of its step. */
  #keep(step: number, error: number): void {
    const from = (step - this.first) * size;
    const count = this.#counts[step - this.first] ?? 0;
    this.#errors[from + (count % size)] = error;
    this.#counts[step - this.first] = count + 1;
    const known = Math.min(size, count + 1);
    this.#sorted.set(this.#errors.subarray(from, from + known), from);
    this.#sorted.subarray(from, from + known).sort();
  }

  /** Adds the pinball loss of a load that is `above` its upper quantile; below when negative. */
  #lose(losses: Float64Array, step: number, above: number): void {
    const loss = pinballLoss(this.quantile, above);
    if (Number.isFinite(loss)) losses[step - this.first] = this.#decay * (losses[step - this.first] ?? 0) + loss;
  }
}

/**
 * The movement of a load: its recent mean change from one slot to the next, plus 2 % of its recent level, so that the
 * movement of a constant load is above 0.
 */
export class Movement {
  #change = 0;
  #changes = 0;
  #level = 0;
  #levels = 0;
  #last = NaN;

  /** Takes the load of the next slot into account; NaN is a gap. */
  add(load: number): void {
    if (Number.isNaN(load)) return;
    if (!Number.isNaN(this.#last)) {
      this.#change = fast * this.#change + Math.abs(load - this.#last);
      this.#changes = fast * this.#changes + 1;
    }
    this.#level = slow * this.#level + load;
    this.#levels = slow * this.#levels + 1;
    this.#last = load;
  }

  /** The movement after the newest slot, or after one more slot with this `load`. */
  after(load = NaN): number {
    const seen = Number.isNaN(load) || Number.isNaN(this.#last) ? 0 : 1;
    const change = seen ? fast * this.#change + Math.abs(load - this.#last) : this.#change;
    const changes = seen ? fast * this.#changes + 1 : this.#changes;
    return change / Math.max(changes, 1e-9) + 0.02 * (this.#level / Math.max(this.#levels, 1e-9)) + 1e-9;
  }
}

/** The pinball loss of a quantile (Koenker and Bassett 1978) for a load that is `above` it; below when negative. */
export const pinballLoss = (quantile: number, above: number): number =>
  Math.max(quantile * above, (quantile - 1) * above);

/** The factor that halves a weight over `slots` slots. */
const halving = (slots: number): number => 0.5 ** (1 / slots);
const fast = halving(24);
const slow = halving(288);
