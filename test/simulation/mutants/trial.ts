import { bundler } from "../bundle";
import { simulateUntilBroken } from "../seeds/simulate";
import { Violation } from "../seeds/truth";
import { Coverage } from "./coverage";
import { Mutant, sourcesOf } from "./mutant";

/** What a process is to try: a mutant, the module as it is, or the module with its coverage. */
export interface Trial {
  what: Mutant | "module" | "coverage";
  first: number;
  /** Seeds that are run before them. */
  promising?: number[] | undefined;
  syncs: number;
}

/** How far the seeds of a trial ran. */
export interface Verdict {
  /** The simulated syncs. */
  syncs: number;
  /** The first violation of a promise that is not open, or the failure of a unit test; absent when there was none. */
  violation?: { invariant: string; seed?: number; message: string };
}

/** What a process reports: its next seed and the syncs before it, or its verdict and the numbers of reached points. */
export type Word = { seed: number; syncs: number } | { verdict: Verdict; reached?: number[] | undefined };

process.env.TZ = "UTC";
// Pepr does the same in its own process.
process.removeAllListeners("warning");

/** Bundles most of the module once, for all trials of this process. */
const bundling = bundler();

// This file is the program of a `TrialProcess`, and ends with it.
process.on("disconnect", () => process.exit());
process.on("message", (trial: Trial) => {
  carryOut(trial).then(
    word => void process.send?.(word),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});

async function carryOut({ what, first, promising, syncs }: Trial): Promise<Word> {
  const coverage = what === "coverage" ? new Coverage() : undefined;
  const sources = coverage?.sources ?? (typeof what === "string" ? new Map() : sourcesOf(what));
  const bundle = await (await bundling).bundle(sources);
  const begins = (seed: number, before: number): void => void process.send?.({ seed, syncs: before } satisfies Word);
  const { violation, ...rest } = await simulateUntilBroken(bundle, { first, promising, syncs, begins });
  return { verdict: { ...rest, violation: violation && told(violation) }, reached: coverage?.reached };
}

function told({ invariant, seed, object, seen, expected }: Violation & { seed: number }): Verdict["violation"] {
  return { invariant, seed, message: `${object}: ${seen}; expected: ${expected}` };
}
