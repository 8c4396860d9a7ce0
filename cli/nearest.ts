import { closest, distance } from "fastest-levenshtein";

/** The name that is most like another, undefined where more than a third of it differs. */
export function nearest(name: string, names: string[]): string | undefined {
  const lower = names.map(one => one.toLowerCase());
  const found = closest(name.toLowerCase(), lower);
  const close = distance(name.toLowerCase(), found) <= Math.max(1, Math.max(name.length, found.length) / 3);
  return close ? names[lower.indexOf(found)] : undefined;
}
