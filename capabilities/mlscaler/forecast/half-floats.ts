const float = new Float32Array(1);
const bits = new Uint32Array(float.buffer);

/**
 * Numbers with the sign, the exponent and the first 7 bits of the mantissa of single precision, rounded to the nearest:
 * within 0.4 %, in half the memory of a Float32Array. NaN, infinities and 0 stay what they are.
 */
export class HalfFloats {
  readonly #halves: Uint16Array;

  /** NaN at first. */
  constructor(readonly length: number) {
    this.#halves = new Uint16Array(length).fill(halfOf(NaN));
  }

  get(place: number): number {
    bits[0] = (this.#halves[place] ?? 0) << 16;
    return float[0] ?? NaN;
  }

  set(place: number, value: number): void {
    this.#halves[place] = halfOf(value);
  }
}

function halfOf(value: number): number {
  float[0] = value;
  const whole = bits[0] ?? 0;
  // Rounding up the largest mantissa raises the exponent, as it should. The bits of a NaN must not change.
  return Number.isNaN(value) ? 0x7fc0 : (whole + 0x8000) >>> 16;
}
