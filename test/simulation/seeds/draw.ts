import { fraction } from "../random";

/** A sequence of choices that depends only on its name. */
export class Draw {
  #count = 0;

  constructor(readonly name: string) {}

  /** Another sequence, independent of how many choices this one has made. */
  of(part: string | number): Draw {
    return new Draw(`${this.name}/${part}`);
  }

  /** From 0 (inclusive) to 1 (exclusive). */
  fraction(): number {
    return fraction(this.name, this.#count++);
  }

  /** A real number from `from` to `to`. */
  between(from: number, to: number): number {
    return from + (to - from) * this.fraction();
  }

  /** A whole number from `from` to `to`, both included. */
  whole(from: number, to: number): number {
    return from + Math.floor((to - from + 1) * this.fraction());
  }

  /** True with this probability. */
  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  /** One of the values. Throws RangeError when there is none. */
  pick<Value>(values: readonly Value[]): Value {
    const index = Math.floor(values.length * this.fraction());
    if (index >= values.length) throw new RangeError("there is nothing to pick");
    return values[index] as Value;
  }
}
