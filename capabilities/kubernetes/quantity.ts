/** The exponents of ten and of two for the suffixes of a Quantity (apimachinery, resource/suffix.go). */
const decimal: Record<string, number> = { n: -9, u: -6, m: -3, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const binary: Record<string, number> = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };

/**
 * The text form of a Quantity: a decimal number with an optional suffix or exponent. As in Kubernetes, a number without
 * digits is 0: "." and "m". Each character fits one place of the pattern only, so that a text that does not match is
 * not read again.
 */
export const quantityPattern = /^(?!$)([+-]?(?:\d+(?:\.\d*)?|\.\d*)?)(?:([eE][+-]?\d+)|([numkMGTPE]|[KMGTPE]i))?$/;

/** The longest text of a Quantity, in characters. Kubernetes itself writes at most about 30. */
const longestQuantity = 256;

export const mostQuantity = 2 ** 63;

/**
 * Parses a Quantity: "250m" is 0.25, "1Gi" is 1073741824, 3 is 3. Returns undefined when the text is not a Quantity,
 * or longer than 256 characters.
 */
export function parseQuantity(quantity: string | number): number | undefined {
  if (typeof quantity === "number") return quantity;
  const match = matched(quantity);
  if (!match) return undefined;
  const [, number = "", exponent, suffix = ""] = match;
  const known = /\d/.test(number) ? number : "0";
  const value = Number(`${known}${exponent ?? `e${decimal[suffix] ?? 0}`}`) * 2 ** (binary[suffix] ?? 0);
  return Math.max(-mostQuantity, Math.min(value, mostQuantity));
}

/**
 * Parses a Quantity in thousandths, as Go's Quantity.MilliValue (apimachinery, resource/quantity.go) does. Exact for
 * decimal text; fractions of a thousandth are rounded away from 0 ("1n" is 1, "8.2" is 8200). Capped at ±2^63, where Go
 * overflows. Returns undefined when the text is not a Quantity, or longer than 256 characters, or the number is not
 * finite.
 */
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

/**
 * The canonical text of whole thousandths, as Go's Quantity writes it: "1500m", "20k". In powers of 1024 it is "128Mi",
 * but for a fraction or a size below 1024. Never throws.
 */
export function quantityText(milli: number, base: 1000 | 1024 = 1000): string {
  const isBinary = base === 1024 && milli % 1000 === 0 && Math.abs(milli) >= 1_024_000;
  const suffixes = isBinary ? ["", ...Object.keys(binary)] : ["m", "", "k", "M", "G", "T", "P", "E"];
  const divisor = isBinary ? 1024 : 1000;
  let [value, steps] = [isBinary ? milli / 1000 : milli, 0];
  while (value !== 0 && value % divisor === 0 && steps < suffixes.length - 1)
    [value, steps] = [value / divisor, steps + 1];
  return value === 0 ? "0" : `${value}${suffixes[steps]}`;
}

/**
 * Formats a load with at least two decimals and two significant figures ("0.60", "0.012", "12.50"). The text is a valid
 * Quantity; `value` must be finite. Never throws.
 */
export function formatQuantity(value: number): string {
  if (value === 0) return "0.00";
  const decimals = Math.max(2, 1 - Math.floor(Math.log10(Math.abs(value))));
  return value.toFixed(Math.min(decimals, 9));
}
