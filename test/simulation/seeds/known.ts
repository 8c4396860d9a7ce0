import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A seed that once failed, and why. */
export interface KnownSeed {
  seed: number;
  why: string;
  /** The time shortly after the failure, in seconds. Without it the seed runs to its end. */
  untilSeconds?: number;
}

/** The seeds that once failed. */
export const knownSeeds = (): KnownSeed[] =>
  JSON.parse(readFileSync(join(__dirname, "../known-seeds.json"), "utf8")) as KnownSeed[];

/** A known seed as `--seed` takes it: "14:600". */
export const textOf = ({ seed, untilSeconds }: KnownSeed): string =>
  untilSeconds === undefined ? String(seed) : `${seed}:${untilSeconds}`;
