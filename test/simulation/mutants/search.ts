import { Scope } from "../bundle";
import { scenarioOf } from "../seeds/scenario";
import { simulate } from "../seeds/simulate";

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

/** Runs seeds until one has a violation, or until enough syncs are done. */
export async function search(bundle: (scope: Scope) => void, { first, syncs, done }: Search): Promise<Verdict> {
  let all = 0;
  for (let seed = first; all < syncs; seed++) {
    const outcome = await simulate(scenarioOf(seed), bundle);
    all += outcome.syncs;
    const [violation] = outcome.violations;
    if (violation) {
      const { invariant, object, seen, expected } = violation;
      return { syncs: all, violation: { invariant, seed, message: `${object}: ${seen}; expected: ${expected}` } };
    }
    done(all);
  }
  return { syncs: all };
}
