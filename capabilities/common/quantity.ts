/** Decimal and binary suffixes of a Kubernetes Quantity (apimachinery, resource/suffix.go). */
const suffixes: Record<string, number> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  "": 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** The text form of a Kubernetes Quantity: a decimal number with an optional suffix or exponent. */
export const quantityPattern = /^([+-]?(?:\d+\.?\d*|\.\d+))(?:([eE][+-]?\d+)|([numkMGTPE]|[KMGTPE]i))?$/;

/** Beyond this Kubernetes caps a Quantity. */
const most = 2 ** 63;

/**
 * The number that a Quantity stands for: "250m" is 0.25, "1Gi" is 1073741824, 3 is 3.
 * Returns undefined when the text is not a Quantity.
 */
export function parseQuantity(quantity: string | number): number | undefined {
  if (typeof quantity === "number") return quantity;
  const match = quantityPattern.exec(quantity);
  if (!match) return undefined;
  const [, number = "", exponent = "", suffix = ""] = match;
  const value = Number(`${number}${exponent}`) * (suffixes[suffix] ?? 1);
  return Math.max(-most, Math.min(value, most));
}

/**
 * A load for people: at least two decimals and two significant figures ("0.60", "0.012", "12.50").
 * The text is a valid Quantity. Throws nothing; `value` is finite.
 */
export function formatQuantity(value: number): string {
  if (value === 0) return "0.00";
  const decimals = Math.max(2, 1 - Math.floor(Math.log10(Math.abs(value))));
  return value.toFixed(Math.min(decimals, 9));
}
