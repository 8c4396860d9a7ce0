import pMap from "p-map";
import { fork } from "node:child_process";
import { randomInt } from "node:crypto";
import { join } from "node:path";
import { Coverage } from "./coverage";
import { allChanges, drawn, mutantOf } from "./mechanical";
import { Mutant } from "./mutant";
import type { Trial, Verdict, Word } from "./trial";

/** A process that says nothing for this long, in ms of real time, is in an endless loop: a seed takes ten seconds. */
const silenceMilliseconds = 600_000;

/** How long to try each mutant. */
export interface Effort {
  /** The first seed of each mutant. */
  first: number;
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
  const { verdict, reached } = await attempt({ what: "coverage", first, syncs });
  const coverage = new Coverage();
  coverage.reach(reached ?? []);
  return { verdict, coverage };
}

/** Tries mutants, and calls `tried` with each. */
export async function prove(
  mutants: Iterable<Mutant>,
  { first, syncs, processes }: Effort,
  tried: (tried: Tried) => void,
): Promise<Tried[]> {
  return pMap(
    mutants,
    async mutant => {
      const { verdict } = await attempt({ what: mutant, first, syncs });
      const result = { mutant, verdict };
      tried(result);
      return result;
    },
    { concurrency: processes },
  );
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
      const first = randomInt(2 ** 31);
      const { verdict } = await attempt({ what: "module", first, syncs });
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

/** Runs one trial in a process of its own: a mutant may loop for ever, fill the memory, or end its process. */
function attempt(trial: Trial): Promise<{ verdict: Verdict; reached?: number[] }> {
  return new Promise(resolve => {
    const execArgv = ["--import", "tsx", "--max-semi-space-size=64"];
    const child = fork(join(__dirname, "trial.ts"), { execArgv, stdio: ["ignore", "ignore", "pipe", "ipc"] });
    let syncs = 0;
    let said = "";
    const died = (message: string): void =>
      resolve({ verdict: { syncs, violation: { invariant: "liveness", seed: trial.first, message } } });
    const silent = (): void => {
      child.kill("SIGKILL");
      died(`the process said nothing for ${silenceMilliseconds / 1000} s`);
    };
    let watchdog = setTimeout(silent, silenceMilliseconds);
    child.stderr?.setEncoding("utf8").on("data", (text: string) => (said = `${said}${text}`.slice(0, 1000)));
    child.on("message", (word: Word) => {
      clearTimeout(watchdog);
      if ("verdict" in word) return resolve(word);
      syncs = word.syncs;
      watchdog = setTimeout(silent, silenceMilliseconds);
    });
    child.on("exit", code => {
      clearTimeout(watchdog);
      died(`the process ended with ${code}: ${said.trim().split("\n")[0] ?? ""}`);
    });
    child.send(trial);
  });
}
