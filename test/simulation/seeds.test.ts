import { execFile, execFileSync } from "node:child_process";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { kinds } from "./seeds/episodes";
import { knownSeeds } from "./seeds/known";
import { isOpen } from "./seeds/open";
import type { Outcome } from "./seeds/simulate";

const root = resolve(__dirname, "../..");

/** The syncs on seeds of the commit. */
const syncs = 20_000;
/** Processes at once. */
const processes = 2;

/** The outcomes of seeds, from a new process. */
async function outcomes(...parameters: string[]): Promise<Outcome[]> {
  const all = ["--max-semi-space-size=64", join(__dirname, "index.ts"), "--print", ...parameters];
  const options = { cwd: root, maxBuffer: 2 ** 26 };
  // The exit code tells whether there are violations, which the outcomes list.
  const { stdout } = await promisify(execFile)(join(root, "node_modules/.bin/tsx"), all, options).catch(
    (error: unknown) => error as { stdout: string },
  );
  return JSON.parse(stdout) as Outcome[];
}

/** The first seed of this commit: a commit is green or red for good. */
const seedOfCommit = (): number =>
  parseInt(execFileSync("git", ["rev-parse", "HEAD"], { cwd: root, encoding: "utf8" }).slice(0, 7), 16);

const broken = (found: Outcome[]): string[] =>
  found.flatMap(({ seed, violations }) =>
    violations
      .filter(({ invariant }) => !isOpen(invariant))
      .map(({ invariant, at, object, seen, expected }) =>
        [
          `${invariant} at ${at} s: ${object}: ${seen}; expected: ${expected}`,
          `npm run simulation -- --seed ${seed}`,
        ].join("\n"),
      ),
  );

describe("whole clusters from a seed", () => {
  test(
    "every promise that is not open holds on the seeds of this commit and the known ones",
    { timeout: 900_000 },
    async () => {
      const first = seedOfCommit();
      const known = knownSeeds().map(({ seed }) => seed);
      const parts = Array.from({ length: processes }, (_, index) => ({
        from: String(first + index * 10_000),
        known: known.filter((_seed, place) => place % processes === index),
      }));
      const found = await Promise.all(
        parts.map(async part => [
          ...(await outcomes("--syncs", String(syncs / processes), "--from", part.from)),
          ...(part.known.length > 0 ? await outcomes("--seed", part.known.join(",")) : []),
        ]),
      );
      const all = found.flat();
      expect(broken(all)).toEqual([]);
      expect(all.reduce((sum, one) => sum + one.syncs, 0)).toBeGreaterThanOrEqual(syncs);
      const struck = new Set(all.flatMap(one => Object.keys(one.struck)));
      // Each seed has some of the kinds; all of them are there in several times as many syncs.
      expect(kinds.filter(kind => struck.has(kind)).length).toBeGreaterThan(kinds.length / 2);
    },
  );

  test("a seed has one hash in every process", { timeout: 300_000 }, async () => {
    const [[one], [other]] = await Promise.all([outcomes("--seed", "3"), outcomes("--seed", "3")]);
    expect(one?.hash).toBe(other?.hash);
    expect(one).toEqual(other);
  });
});
