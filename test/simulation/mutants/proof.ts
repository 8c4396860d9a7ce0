import pMap from "p-map";
import { randomInt } from "node:crypto";
import { Coverage } from "./coverage";
import { endOfSeeds } from "../seeds/scenario";
import { deathsOf } from "./deaths";
import { allChanges, drawn, mutantOf } from "./mechanical";
import { Mutant } from "./mutant";
import type { Verdict } from "./trial";
import { TrialProcess } from "./trial-process";
import { runUnitTest } from "./unit-test";

/** How long to try each mutant. */
export interface Effort {
  /** The first seed of each mutant. */
  first: number;
  /** Seeds that are run before it. */
  before?: number[];
  /** The simulated syncs after which a mutant has survived. */
  syncs: number;
  /** Processes at a time. */
  processes: number;
}

/** A mutant and what the simulation found. */
export interface Tried {
  mutant: Mutant;
  verdict: Verdict;
}

/** Runs the seeds on the module as it is, with the coverage of its code. */
export async function cover({ first, syncs }: Effort): Promise<{ verdict: Verdict; coverage: Coverage }> {
  const own = new TrialProcess();
  const { verdict, reached } = await own.attempt({ what: "coverage", first, syncs });
  own.end();
  const coverage = new Coverage();
  coverage.reach(reached ?? []);
  return { verdict, coverage };
}

/** Tries mutants, and calls `tried` with each. */
export async function prove(
  mutants: Iterable<Mutant>,
  { first, before = [], syncs, processes }: Effort,
  tried: (tried: Tried) => void,
): Promise<Tried[]> {
  const all = Array.from({ length: processes }, () => new TrialProcess());
  const free = [...all];
  const deaths = deathsOf();
  const bySeeds = async (mutant: Mutant): Promise<Verdict> => {
    const one = free.pop() ?? new TrialProcess();
    const death = deaths[mutant.name];
    const promising = death === undefined ? before : [death, ...before];
    const { verdict } = await one.attempt({ what: mutant, first, promising, syncs });
    free.push(one);
    return verdict;
  };
  const attempt = async (mutant: Mutant): Promise<Tried> => {
    const verdict = mutant.test === undefined ? await bySeeds(mutant) : await runUnitTest(mutant, mutant.test);
    const result = { mutant, verdict };
    tried(result);
    return result;
  };
  try {
    return await pMap(mutants, attempt, { concurrency: processes });
  } finally {
    all.forEach(one => one.end());
  }
}

/**
 * Runs fresh seeds on the module as it is for some real time, and calls `ran` with each stretch of them. Returns the
 * verdicts.
 */
export async function explore(
  { seconds, syncs, processes }: { seconds: number; syncs: number; processes: number },
  ran: (first: number, verdict: Verdict) => void,
): Promise<Verdict[]> {
  const end = performance.now() + 1000 * seconds;
  const verdicts: Verdict[] = [];
  const go = async (): Promise<void> => {
    while (performance.now() < end) {
      // A process keeps some memory of each cluster.
      const own = new TrialProcess();
      const first = randomInt(endOfSeeds);
      const { verdict } = await own.attempt({ what: "module", first, syncs });
      own.end();
      ran(first, verdict);
      verdicts.push(verdict);
    }
  };
  await Promise.all(Array.from({ length: processes }, go));
  return verdicts;
}

/** The first `count` changes drawn by `seed` that some run reaches, and those before them that none reaches. */
export function draw(seed: string, count: number, coverage: Coverage): { mutants: Mutant[]; unreached: Mutant[] } {
  const mutants: Mutant[] = [];
  const unreached: Mutant[] = [];
  for (const change of drawn(seed, allChanges())) {
    if (mutants.length >= count) break;
    (coverage.reaches(change) ? mutants : unreached).push(mutantOf(change));
  }
  return { mutants, unreached };
}
