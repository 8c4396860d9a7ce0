import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A seed that once failed, and why. */
export interface KnownSeed {
  seed: number;
  why: string;
}

/** The seeds that once failed. */
export const knownSeeds = (): KnownSeed[] =>
  JSON.parse(readFileSync(join(__dirname, "../known-seeds.json"), "utf8")) as KnownSeed[];
