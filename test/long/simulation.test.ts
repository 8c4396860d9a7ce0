import { execFile } from "node:child_process";
import { randomInt } from "node:crypto";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { isOpen, open } from "../simulation/seeds/open";
import { endOfSeeds } from "../simulation/seeds/scenario";
import type { Outcome } from "../simulation/seeds/simulate";

const root = resolve(__dirname, "../..");

/** How long fresh seeds run, in seconds of real time. */
const seconds = Number(process.env.SIMULATION_SECONDS ?? 600);

/** A process keeps some memory of each cluster, so it ends after about this many syncs. */
const syncs = 10_000;

/** The outcomes of seeds from `first` on. Rejects when the process prints none. */
function outcomesFrom(first: number): Promise<Outcome[]> {
  const program = join(root, "test/simulation/index.ts");
  const seeds = ["--print", "--syncs", String(syncs), "--from", String(first)];
  const args = ["--max-semi-space-size=64", program, ...seeds];
  return new Promise((done, fail) => {
    execFile(join(root, "node_modules/.bin/tsx"), args, { cwd: root, maxBuffer: 2 ** 28 }, (_, stdout, stderr) => {
      // The exit code says whether there are violations, which the outcomes list.
      if (stdout) done(JSON.parse(stdout) as Outcome[]);
      else fail(new Error(`seeds from ${first}: no outcome: ${stderr}`));
    });
  });
}

test(`fresh seeds for ${seconds} s have no violation`, async () => {
  const end = performance.now() + 1000 * seconds;
  const broken: string[] = [];
  let all = 0;
  const go = async (): Promise<void> => {
    while (performance.now() < end) {
      const first = randomInt(endOfSeeds);
      const outcomes = await outcomesFrom(first);
      const done = outcomes.reduce((sum, outcome) => sum + outcome.syncs, 0);
      console.log(`seeds from ${first}: ${done} syncs`);
      all += done;
      for (const { seed, violations } of outcomes)
        for (const violation of violations.filter(one => !isOpen(one)))
          broken.push(`npm run simulation -- --seed ${seed}: ${JSON.stringify(violation)}`);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, go));
  console.log(`${all} syncs`);
  for (const { invariant, why } of open) console.log(`does not count, because it is open: ${invariant}: ${why}`);
  expect(broken).toEqual([]);
});
