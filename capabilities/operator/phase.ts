import { Instant } from "../kubernetes/time";

/** The phase of an object in a period, in whole ms: a hash of its key, so that objects spread evenly. */
export function phaseOf(key: string, periodSeconds: number): number {
  // FNV-1a, 32 bit (Fowler, Noll, Vo), with a final mix, because keys often differ only in the last digit.
  let hash = 0x811c9dc5;
  for (let index = 0; index < key.length; index++) hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash ^= hash >>> 13;
  return Math.floor(((hash >>> 0) / 2 ** 32) * periodSeconds * 1000);
}

/** The time to the object's next phase in the period, in ms: above 0, at most the period. */
export function untilPhase(key: string, periodSeconds: number, now: Instant): number {
  const period = periodSeconds * 1000;
  const sincePhase = (((now - phaseOf(key, periodSeconds)) % period) + period) % period;
  return period - sincePhase;
}
