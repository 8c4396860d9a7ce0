import { bitsOf, floatOf } from "./float-bits";

/** Bits of single precision that a code leaves out: the lower 14 of the mantissa's 23. */
const droppedBits = 14;
/** The bits of the smallest load, 2^-63, in single precision. */
const least = 64 << 23;
const gap = 0xffff;

/** The code of a load in 16 bits, seven of the exponent, nine of the mantissa: the nearest from 1e-19 to 3.7e19. */
export function codeOf(load: number): number {
  if (Number.isNaN(load)) return gap;
  return Math.min(gap - 1, Math.max(0, bitsOf(load) - least) >>> droppedBits);
}

/** The load of a code: within 0.2 %, that with the fewest decimal digits, so that 0.6 or 300 stays exactly that. */
export const loadOfCode = (code: number): number => (table ??= tableOfLoads())[code] ?? NaN;

let table: Float32Array | undefined;

function tableOfLoads(): Float32Array {
  const loads = Float32Array.from({ length: gap + 1 }, (_, code) => shortest(lowest(code), lowest(code + 1)));
  loads[0] = 0;
  loads[gap] = NaN;
  return loads;
}

const lowest = (code: number): number => floatOf(code * 2 ** droppedBits + least);

/** The number with the fewest decimal digits from `low` up to, not including, `high`; of several the smallest. */
function shortest(low: number, high: number): number {
  for (let unit = 10 ** Math.floor(Math.log10(low)), digits = 1; digits <= 7; unit /= 10, digits++) {
    const number = Math.fround(Math.ceil(low / unit) * unit);
    if (number >= low && number < high) return number;
  }
  return low;
}

/** An array of loads in half the memory of a Float32Array. NaN, a gap, at first. */
export class CompactLoads {
  readonly #codes: Uint16Array;

  constructor(length: number) {
    this.#codes = new Uint16Array(length).fill(gap);
  }

  get(place: number): number {
    return loadOfCode(this.#codes[place] ?? gap);
  }

  set(place: number, load: number): void {
    this.#codes[place] = codeOf(load);
  }

  clear(): void {
    this.#codes.fill(gap);
  }
}
