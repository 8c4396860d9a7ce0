const float = new Float32Array(1);
const bits = new Uint32Array(float.buffer);

/** The bits of a number in single precision. */
export function bitsOf(number: number): number {
  float[0] = number;
  return bits[0] ?? 0;
}

/** The number in single precision with these bits. */
export function floatOf(its: number): number {
  bits[0] = its;
  return float[0] ?? NaN;
}
