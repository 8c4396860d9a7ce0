import { bundleModule } from "../bundle";
import { Coverage } from "./coverage";
import { search, Verdict } from "./search";
import { Mutant, sourcesOf } from "./mutant";

/** What a process is to try: a mutant, the module as it is, or the module with its coverage. */
export interface Trial {
  what: Mutant | "module" | "coverage";
  first: number;
  syncs: number;
}

/** What a process reports: that it goes on, or its verdict with the numbers of the reached points. */
export type Word = { syncs: number } | { verdict: Verdict; reached?: number[] };

// This file is the program of a process of `attempt`, and ends with it.
process.on("disconnect", () => process.exit());
process.once("message", (trial: Trial) => {
  carryOut(trial).then(
    word => process.send?.(word, () => process.exit()),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});

async function carryOut({ what, first, syncs }: Trial): Promise<Word> {
  process.env.TZ = "UTC";
  // Pepr does the same in its own process.
  process.removeAllListeners("warning");
  const coverage = what === "coverage" ? new Coverage() : undefined;
  const bundle = await bundleModule(coverage?.sources ?? (typeof what === "string" ? undefined : sourcesOf(what)));
  const done = (soFar: number): void => void process.send?.({ syncs: soFar } satisfies Word);
  done(0);
  return { verdict: await search(bundle, { first, syncs, done }), reached: coverage?.reached };
}
