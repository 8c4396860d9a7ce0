/** Errors that the quantile is taken from. */
const size = 300;
/** No error is further off, in movements: it has to fit into single precision. */
const furthest = 1e9;

/**
 * The upper quantile of a load by conformal prediction: a forecast plus the quantile of its own last errors, each
 * divided by how much the load moved when the forecast was made, times how much it moves now (locally weighted split
 * conformal prediction: Lei et al. 2018, 5.2, over a rolling window).
 */
export class Interval {
  /** By step, the errors in the order in which they came, and sorted. */
  readonly #errors: Float32Array;
  readonly #sorted: Float32Array;
  readonly #counts: Uint32Array;
  /** What was forecast from each of the last `horizon` slots, and the movement then: by slot, step. */
  readonly #pending: Float32Array;
  readonly #movements: Float32Array;
  #slot = 0;

  constructor(readonly horizon: number) {
    this.#errors = new Float32Array(horizon * size);
    this.#sorted = new Float32Array(horizon * size);
    this.#counts = new Uint32Array(horizon);
    this.#pending = new Float32Array(horizon * horizon).fill(NaN);
    this.#movements = new Float32Array(horizon);
  }

  /** Takes in the load of a slot, then what is forecast from it and how much the load moves; NaN where there is none. */
  add(load: number, forecasts: Float64Array, movement: number): void {
    for (let step = 1; step <= this.horizon; step++) {
      const before = (this.#slot + this.horizon - step) % this.horizon;
      const error =
        (load - (this.#pending[before * this.horizon + step - 1] ?? NaN)) / (this.#movements[before] ?? NaN);
      if (Number.isFinite(error)) this.#keep(step, Math.max(-furthest, Math.min(furthest, error)));
    }
    this.#pending.set(forecasts, (this.#slot % this.horizon) * this.horizon);
    this.#movements[this.#slot % this.horizon] = movement;
    this.#slot++;
  }

  /** How far above a forecast `step` slots ahead the load stays with probability `quantile`, at least 0. */
  above(step: number, quantile: number, movement: number): number {
    const known = Math.min(size, this.#counts[step - 1] ?? 0);
    if (known === 0) return 0;
    const place = Math.min(known - 1, Math.ceil(quantile * (known - 1)));
    return Math.max(0, (this.#sorted[(step - 1) * size + place] ?? 0) * movement);
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
