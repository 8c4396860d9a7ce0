/** Ratios of two sums, by place. What was added to a place counts less with each later addition to it. */
export class DecayedRatios {
  /** @param decay the weight that sums keep when something is added to them */
  constructor(
    readonly decay: number,
    readonly parts: Float32Array | Float64Array,
    readonly wholes: Float32Array | Float64Array = parts.slice(),
  ) {}

  add(place: number, part: number, whole = 1): void {
    this.parts[place] = this.decay * (this.parts[place] ?? 0) + part;
    this.wholes[place] = this.decay * (this.wholes[place] ?? 0) + whole;
  }

  /** The ratio at a place, with these presumed in addition; NaN where nothing was added. */
  at(place: number, part = 0, whole = 0): number {
    return ((this.parts[place] ?? 0) + part) / ((this.wholes[place] ?? 0) + whole);
  }
}

/** The factor that halves a weight over `slots` slots. */
export const halving = (slots: number): number => 0.5 ** (1 / slots);
