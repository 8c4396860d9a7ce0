/** Errors that a quantile is taken from, and the days of errors at one time of the day. */
const size = 300;
const days = 7;
/** Slots around a time of the day that count as the same, to either side, and errors that are wanted at least. */
const around = 2;
const fewest = 10;
/** No error is further off, in movements: it has to fit into single precision. */
const furthest = 1e9;

/**
 * The upper quantile of a load by conformal prediction: a forecast plus the quantile of its own last errors, each
 * divided by how much the load moved when the forecast was made, times how much it moves now (locally weighted split
 * conformal prediction: Lei et al. 2018, 5.2, over a rolling window). Where that has lately been better by pinball loss, halfway
 * between this and the quantile of the errors at the same time of the last days: a batch that begins at two is expected there.
 */
export class Interval {
  /** By step: errors in movements, in the order in which they came, and sorted; errors as they are, by slot of the last days. */
  readonly #errors: Float32Array;
  readonly #sorted: Float32Array;
  readonly #counts: Uint32Array;
  readonly #daily: Float32Array;
  /** From each of the last `horizon` slots, by step: what was forecast, how much the load moved, and both upper quantiles. */
  readonly #forecasts: Float32Array;
  readonly #movements: Float32Array;
  readonly #uppers: { recent: Float32Array; daily: Float32Array };
  /** By step: the decayed pinball losses of both. */
  readonly #losses: { recent: Float64Array; daily: Float64Array };
  readonly #span: number;
  readonly #decay: number;
  #slot = 0;

  /** @param day slots of a day, absent where there is no such season; @param quantile the one by which the two are compared */
  constructor(
    readonly horizon: number,
    readonly day: number | undefined,
    readonly quantile: number,
  ) {
    this.#span = days * (day ?? 0);
    this.#decay = halving(day ?? size);
    this.#errors = new Float32Array(horizon * size);
    this.#sorted = new Float32Array(horizon * size);
    this.#counts = new Uint32Array(horizon);
    this.#daily = new Float32Array(horizon * this.#span).fill(NaN);
    const pending = (): Float32Array => new Float32Array(horizon * horizon).fill(NaN);
    this.#forecasts = pending();
    this.#movements = new Float32Array(horizon);
    this.#uppers = { recent: pending(), daily: pending() };
    this.#losses = { recent: new Float64Array(horizon), daily: new Float64Array(horizon) };
  }

  /** Takes in the load of a slot, then what is forecast from it and how much the load moves; NaN where there is none. */
  add(load: number, forecasts: Float64Array, movement: number): void {
    const { horizon } = this;
    for (let step = 1; step <= horizon; step++) {
      const origin = (this.#slot + horizon - step) % horizon;
      const pending = origin * horizon + step - 1;
      const error = load - (this.#forecasts[pending] ?? NaN);
      if (this.day) this.#daily[(step - 1) * this.#span + (this.#slot % this.#span)] = error;
      const moved = error / (this.#movements[origin] ?? NaN);
      if (!Number.isFinite(moved)) continue;
      this.#keep(step, Math.max(-furthest, Math.min(furthest, moved)));
      this.#lose(this.#losses.recent, step, load - (this.#uppers.recent[pending] ?? NaN));
      this.#lose(this.#losses.daily, step, load - (this.#uppers.daily[pending] ?? NaN));
    }
    const origin = this.#slot % horizon;
    this.#slot++;
    this.#movements[origin] = movement;
    for (let step = 1; step <= horizon; step++) {
      const [place, forecast] = [origin * horizon + step - 1, forecasts[step - 1] ?? NaN];
      const recent = this.#recently(step, this.quantile, movement);
      this.#forecasts[place] = forecast;
      this.#uppers.recent[place] = forecast + recent;
      this.#uppers.daily[place] = forecast + this.#atThatTime(step, step, this.quantile, recent);
    }
  }

  /**
   * How far above a forecast `step` slots ahead the load stays with probability `quantile`, at least 0.
   * @param running slots that have passed since the newest one that was taken in: 1 while one is under way
   */
  above(step: number, quantile: number, movement: number, running = 0): number {
    const recent = this.#recently(step, quantile, movement);
    const heeded = (this.#losses.daily[step - 1] ?? 0) < (this.#losses.recent[step - 1] ?? 0);
    return heeded ? this.#atThatTime(step, step + running, quantile, recent) : recent;
  }

  #recently(step: number, quantile: number, movement: number): number {
    const known = Math.min(size, this.#counts[step - 1] ?? 0);
    if (known === 0) return 0;
    const place = Math.min(known - 1, Math.ceil(quantile * (known - 1)));
    return Math.max(0, (this.#sorted[(step - 1) * size + place] ?? 0) * movement);
  }

  /** Halfway between `recent` and the quantile of the errors around the time of the day `ahead` slots after the newest. */
  #atThatTime(step: number, ahead: number, quantile: number, recent: number): number {
    if (!this.day) return recent;
    const newest = this.#slot - 1;
    const errors: number[] = [];
    for (let back = this.day; back <= this.#span; back += this.day) {
      for (let slot = newest + ahead - back - around; slot <= newest + ahead - back + around; slot++) {
        if (slot > newest || slot <= newest - this.#span || slot < 0) continue;
        const error = this.#daily[(step - 1) * this.#span + (slot % this.#span)] ?? NaN;
        if (!Number.isNaN(error)) errors.push(error);
      }
    }
    if (errors.length < fewest) return recent;
    errors.sort((one, other) => one - other);
    const place = Math.min(errors.length, Math.ceil(quantile * (errors.length + 1))) - 1;
    return Math.max(0, ((errors[place] ?? 0) + recent) / 2);
  }

  #keep(step: number, error: number): void {
    const from = (step - 1) * size;
    const count = this.#counts[step - 1] ?? 0;
    this.#errors[from + (count % size)] = error;
    this.#counts[step - 1] = count + 1;
    const known = Math.min(size, count + 1);
    this.#sorted.set(this.#errors.subarray(from, from + known), from);
    this.#sorted.subarray(from, from + known).sort();
  }

  #lose(losses: Float64Array, step: number, above: number): void {
    const loss = Math.max(this.quantile * above, (this.quantile - 1) * above);
    if (Number.isFinite(loss)) losses[step - 1] = this.#decay * (losses[step - 1] ?? 0) + loss;
  }
}

/** How much a load moves from one slot to the next lately, and a little of its level, so that it is never nothing. */
export class Movement {
  #change = 0;
  #changes = 0;
  #level = 0;
  #levels = 0;
  #last = NaN;

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

  /** After the newest slot; with a load, as if that were the next slot's. */
  after(load = NaN): number {
    const seen = Number.isNaN(load) || Number.isNaN(this.#last) ? 0 : 1;
    const change = seen ? fast * this.#change + Math.abs(load - this.#last) : this.#change;
    const changes = seen ? fast * this.#changes + 1 : this.#changes;
    return change / Math.max(changes, 1e-9) + 0.02 * (this.#level / Math.max(this.#levels, 1e-9)) + 1e-9;
  }
}

const halving = (slots: number): number => 0.5 ** (1 / slots);
const fast = halving(24);
const slow = halving(288);
