import { availableParallelism } from "node:os";
import { expect, test } from "vitest";
import { brokenIn, knownSeeds, outcomesOf, textOf } from "../simulation/outcomes";

/** How long fresh seeds run, in seconds of real time. */
const seconds = Number(process.env.SIMULATION_SECONDS ?? 600);

/** A process ends after about this many syncs, because it keeps some memory of each cluster. */
const stretchSyncs = 10_000;

test("every promise holds on all known seeds", async () => {
  const found = await outcomesOf("--seed", knownSeeds().map(textOf).join(","));
  expect(brokenIn(found)).toEqual([]);
});

test(`every promise holds on fresh seeds for ${seconds} s`, async () => {
  const end = performance.now() + 1000 * seconds;
  const broken: string[] = [];
  const runs = Array.from({ length: availableParallelism() }, async () => {
    while (performance.now() < end) {
      const found = await outcomesOf("--syncs", String(stretchSyncs));
      const syncs = found.reduce((sum, one) => sum + one.syncs, 0);
      console.log(`seeds ${found[0]?.seed} to ${found.at(-1)?.seed}: ${syncs} syncs`);
      broken.push(...brokenIn(found));
    }
  });
  await Promise.all(runs);
  expect(broken).toEqual([]);
});
