import { execFile } from "node:child_process";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { kinds } from "./seeds/episodes";
import { seedOfCommit } from "../commit";
import { knownSeeds, textOf } from "./seeds/known";
import { isOpen } from "./seeds/open";
import type { Outcome } from "./seeds/simulate";

const root = resolve(__dirname, "../..");

/** The syncs on seeds of the commit. */
const syncs = 5_000;
/** Processes at once. */
const processes = 2;
/** A short seed that every process runs. */
const common = 7;

/** How a process ended. */
interface Ended {
  stdout: string;
  stderr: string;
  code?: number | null;
  signal?: string | null;
}

/** The outcomes of seeds, from a new process. Throws when it prints none. */
async function outcomes(...parameters: string[]): Promise<Outcome[]> {
  const all = ["--max-semi-space-size=64", join(__dirname, "index.ts"), "--print", ...parameters];
  const options = { cwd: root, maxBuffer: 2 ** 26 };
  // The exit code tells whether there are violations, which the outcomes list.
  const ended: Ended = await promisify(execFile)(join(root, "node_modules/.bin/tsx"), all, options).catch(
    (error: unknown) => error as Ended,
  );
  const { stdout, stderr, code = 0, signal } = ended;
  if (!stdout)
    throw new Error(
      `the simulation with ${parameters.join(" ")} ended with ${signal ?? code} and no outcome: ${stderr}`,
    );
  return JSON.parse(stdout) as Outcome[];
}

const replay = (seed: number): string => `npm run simulation -- --seed ${seed}`;

const broken = (found: Outcome[]): string[] =>
  found.flatMap(({ seed, violations }) =>
    violations
      .filter(violation => !isOpen(violation))
      .map(
        ({ invariant, at, object, seen, expected }) =>
          `${invariant} at ${at} s: ${object}: ${seen}; expected: ${expected}\n${replay(seed)}`,
      ),
  );

describe("whole clusters from a seed", () => {
  const first = seedOfCommit();
  const starts = Array.from({ length: processes }, (_, index) => first + index * 10_000);

  test(
    `every promise holds on ${syncs} syncs of the seeds of this commit (${starts.join(" and ")} on) and on the known seeds`,
    { timeout: 1_800_000 },
    async () => {
      const known = knownSeeds().map(textOf);
      const found = await Promise.all(
        starts.map((start, index) => {
          const list = [common, ...known.filter((_seed, place) => place % processes === index)];
          return outcomes("--seed", list.join(","), "--syncs", String(syncs / processes), "--from", String(start));
        }),
      );
      const all = found.flat();
      expect(broken(all)).toEqual([]);
      expect(all.filter(({ seed }) => seed >= first).reduce((sum, one) => sum + one.syncs, 0)).toBeGreaterThanOrEqual(
        syncs,
      );
      // A seed has one hash in every process.
      const [one, ...others] = found.map(([outcome]) => outcome);
      expect(one?.seed).toBe(common);
      for (const other of others) expect(other).toEqual(one);
      const struck = new Set(all.flatMap(outcome => Object.keys(outcome.struck)));
      // Each seed has some of the kinds; all of them are there in several times as many syncs.
      expect(kinds.filter(kind => struck.has(kind)).length).toBeGreaterThan(kinds.length / 2);
    },
  );
});
