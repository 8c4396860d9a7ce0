/**
 * The only generator of the simulation: a number from 0 (inclusive) to 1 (exclusive) that depends only on `parts`. It
 * has no sequence, so the value for one request does not depend on the number of other requests.
 */
export function fraction(...parts: (string | number)[]): number {
  return hash(parts.join("\u0000")) / 2 ** 32;
}

/** A name of `length` letters and digits that depends only on `parts`. */
export function letters(length: number, ...parts: (string | number)[]): string {
  const alphabet = "bcdfghjklmnpqrstvwxz2456789";
  return Array.from({ length }, (_, index) =>
    alphabet.charAt(Math.floor(fraction(index, ...parts) * alphabet.length)),
  ).join("");
}

/** A UUID (in the form of version 4) that depends only on `parts`. */
export function uuid(...parts: (string | number)[]): `${string}-${string}-${string}-${string}-${string}` {
  const digits = (length: number, of: number): string =>
    Math.floor(fraction(of, ...parts) * 16 ** length)
      .toString(16)
      .padStart(length, "0");
  return `${digits(8, 0)}-${digits(4, 1)}-4${digits(3, 2)}-a${digits(3, 3)}-${digits(6, 4)}${digits(6, 5)}`;
}

/** FNV-1a of 32 bits with a final mix, because inputs often differ only in their last character. */
function hash(text: string): number {
  let state = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) state = Math.imul(state ^ text.charCodeAt(index), 0x01000193);
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
  return (state ^ (state >>> 16)) >>> 0;
}
