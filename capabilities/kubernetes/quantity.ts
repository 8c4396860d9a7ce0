/** The exponents of ten and of two for the suffixes of a Quantity (apimachinery, resource/suffix.go). */
const decimal: Record<string, number> = { n: -9, u: -6, m: -3, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const binary: Record<string, number> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };

/** As in Kubernetes, "." and "m" are 0. Each character fits one place only, so that no text is read again. */
export const quantityPattern = /^(?!$)([+-]?(?:\d+(?:\.\d*)?|\.\d*)?)(?:([eE][+-]?\d+)|([numkMGTPE]|[KMGTPE]i))?$/;

/** The longest text of a Quantity, in characters. Kubernetes itself writes at most about 30. */
const longestQuantity = 256;

export const mostQuantity = 2 ** 63;

/** A Quantity as a number: "250m" is 0.25, "1Gi" is 1073741824. Undefined for other text, and over 256 characters. */
export function parseQuantity(quantity: string | number): number | undefined {
  if (typeof quantity === "number") return quantity;
  const match = matched(quantity);
  if (!match) return undefined;
  const [, number = "", exponent, suffix = ""] = match;
  const known = /\d/.test(number) ? number : "0";
  const value = Number(`${known}${exponent ?? `e${decimal[suffix] ?? 0}`}`) * 2 ** (binary[suffix] ?? 0);
  return Math.max(-mostQuantity, Math.min(value, mostQuantity));
}

/** A Quantity in thousandths, as Go's MilliValue (resource/quantity.go): exact, rounded away from 0, within ±2^63. */
export function milliValue(quantity: string | number): number | undefined {
  // Adding 0 makes -0 a 0.
  if (Number.isSafeInteger(quantity)) return Number(quantity) * 1000 + 0;
  const match = matched(String(quantity));
  if (!match) return undefined;
  const [, number = "", exponent, suffix = ""] = match;
  const [whole = "", fraction = ""] = number.replace(/^[+-]/, "").split(".");
  const power = (exponent === undefined ? (decimal[suffix] ?? 0) : Number(exponent.slice(1))) - fraction.length + 3;
  const digits = `0${whole}${fraction}`;
  // Both round in the same way; this one is the faster.
  const isWhole = power >= 0 && !(suffix in binary);
  const exact = isWhole
    ? Number(`${digits}e${power}`)
    : Number(shift(BigInt(digits) << BigInt(binary[suffix] ?? 0), power));
  const milli = Math.min(exact, mostQuantity);
  return number.startsWith("-") && milli > 0 ? -milli : milli;
}

/** Parses a Quantity in thousandths, in doubles and without rounding. Undefined when the text is not a Quantity. */
export function milliExactly(quantity: string | number): number | undefined {
  const value = parseQuantity(quantity);
  return value === undefined ? undefined : value * 1000;
}

const matched = (text: string): RegExpExecArray | null =>
  text.length <= longestQuantity ? quantityPattern.exec(text) : null;

/** A value as messages show it, which may be any text: its first 64 characters. */
export const shownQuantity = (quantity: string | number): string => String(quantity).slice(0, 64);

/** Returns `digits` × 10^`power`, rounded up. Stops at a size beyond any Quantity. */
function shift(digits: bigint, power: number): bigint {
  if (power >= 0) return digits * 10n ** BigInt(Math.min(power, 20));
  const divisor = 10n ** BigInt(Math.min(-power, digits.toString().length));
  return (digits + divisor - 1n) / divisor;
}

/** Whole thousandths as Go writes a Quantity: "1500m", "20k"; in powers of 1024 "128Mi", from 1024 on. Never throws. */
export function quantityText(milli: number, base: 1000 | 1024 = 1000): string {
  const isBinary = base === 1024 && milli % 1000 === 0 && Math.abs(milli) >= 1_024_000;
  const suffixes = isBinary ? ["", ...Object.keys(binary)] : ["m", "", "k", "M", "G", "T", "P", "E"];
  const divisor = isBinary ? 1024 : 1000;
  let [value, steps] = [isBinary ? milli / 1000 : milli, 0];
  while (value !== 0 && value % divisor === 0 && steps < suffixes.length - 1)
    [value, steps] = [value / divisor, steps + 1];
  return value === 0 ? "0" : `${value}${suffixes[steps]}`;
}

/** A finite load with two decimals and two significant figures at least, a valid Quantity: "0.60", "0.012". */
export function formatQuantity(value: number): string {
  if (value === 0) return "0.00";
  const decimals = Math.max(2, 1 - Math.floor(Math.log10(Math.abs(value))));
  return value.toFixed(Math.min(decimals, 9));
}
