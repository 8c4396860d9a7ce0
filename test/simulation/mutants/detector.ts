import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Scope } from "../bundle";
import { runs } from "../runs";
import { World } from "../world";

/** How far the seeds of a bundle ran. */
export interface Verdict {
  /** The simulated syncs. */
  syncs: number;
  /** The first violation; absent when there was none. */
  violation?: { invariant: string; seed: number; message: string };
}

/** Which seeds to run. */
export interface Search {
  /** The first seed. The others follow it. */
  first: number;
  /** The least number of syncs of all seeds together. */
  syncs: number;
  /** Called after each seed with the syncs so far. */
  done: (syncs: number) => void;
}

// A stand-in until the seeded simulation is there: each scripted run counts as a seed of 100 syncs, and its hash as the
// only invariant.
const hashes = JSON.parse(readFileSync(join(__dirname, "../hashes.json"), "utf8")) as Record<string, string>;

export async function simulateSeeds(bundle: (scope: Scope) => void, { first, syncs, done }: Search): Promise<Verdict> {
  const names = Object.keys(runs);
  for (let seed = first; ; seed++) {
    const so = 100 * (seed - first);
    const name = names[(seed * 37) % names.length] ?? "";
    if (so >= syncs || seed - first >= names.length) return { syncs: so };
    const world = new World(`0 ${name}`, bundle);
    const violated = (message: string): Verdict => ({
      syncs: so + 100,
      violation: { invariant: "hash", seed, message },
    });
    const rejection = (reason: unknown): void => world.unhandled("rejection", reason);
    const exception = (error: unknown): void => world.unhandled("exception", error);
    process.on("unhandledRejection", rejection).on("uncaughtException", exception);
    try {
      await runs[name]?.(world);
      await world.finish();
    } catch (error) {
      return violated(`${name}: ${String(error)}`);
    } finally {
      process.off("unhandledRejection", rejection).off("uncaughtException", exception);
    }
    if (world.trace.hash !== hashes[name]) return violated(`${name} writes otherwise`);
    done(so + 100);
  }
}
