import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import type { Outcome } from "./seeds/simulate";

const root = resolve(__dirname, "../..");

/** A seed that showed a fault of the module. */
interface KnownSeed {
  seed: number;
  /** A time shortly after the fault shows, in seconds. Without it the seed runs to its end. */
  untilSeconds?: number;
  /** Whether it takes too long for `npm test`. */
  nightly?: boolean;
  /** The fault. */
  why: string;
}

/** The seeds that showed faults of the module. */
export const knownSeeds = (): KnownSeed[] =>
  JSON.parse(readFileSync(join(__dirname, "known-seeds.json"), "utf8")) as KnownSeed[];

/** A known seed as `--seed` takes it: "14:600". */
export const textOf = ({ seed, untilSeconds }: KnownSeed): string =>
  untilSeconds === undefined ? String(seed) : `${seed}:${untilSeconds}`;

/** How a process ended. */
interface Ended {
  stdout: string;
  stderr?: string;
  code?: number | null;
  signal?: string | null;
}

/** The outcomes of a run of the simulation in a new process. Throws when it prints none. */
export async function outcomesOf(...parameters: string[]): Promise<Outcome[]> {
  const all = ["--max-semi-space-size=64", join(__dirname, "index.ts"), "--json", ...parameters];
  const options = { cwd: root, maxBuffer: 2 ** 28 };
  // The exit code tells whether promises were broken, which the outcomes list.
  const ended: Ended = await promisify(execFile)(join(root, "node_modules/.bin/tsx"), all, options).catch(
    (error: unknown) => error as Ended,
  );
  const { stdout, stderr, code, signal } = ended;
  if (!stdout) throw new Error(`the simulation with ${parameters.join(" ")} ended with ${signal ?? code}: ${stderr}`);
  return JSON.parse(stdout) as Outcome[];
}

/** The broken promises, with the command that shows each. */
export const brokenIn = (outcomes: Outcome[]): string[] =>
  outcomes.flatMap(({ seed, violations }) =>
    violations.map(
      ({ invariant, at, object, seen, expected }) =>
        `${invariant} at ${at} s: ${object}: ${seen}; expected: ${expected}\nnpm run simulation -- --seed ${seed}`,
    ),
  );
