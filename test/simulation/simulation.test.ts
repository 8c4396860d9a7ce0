import { expect, test } from "vitest";
import { brokenIn, knownSeeds, outcomesOf, textOf } from "./outcomes";
import type { Outcome } from "./seeds/simulate";

const seeds = knownSeeds()
  .filter(({ nightly }) => !nightly)
  .map(textOf);
let known: Promise<Outcome[]> | undefined;

/** The outcomes of the known seeds, one after the other in one process. */
const outcomes = (): Promise<Outcome[]> => (known ??= outcomesOf("--seed", seeds.join(",")));

test("every promise holds on the known seeds", async () => {
  const found = await outcomes();
  expect(brokenIn(found)).toEqual([]);
  expect(found.map(({ syncs }) => syncs > 0)).toEqual(seeds.map(() => true));
});

test("a seed writes the same in every process, alone or after others", async () => {
  const [last = ""] = seeds.slice(-1);
  const [alone] = await outcomesOf("--seed", last);
  expect(alone).toEqual((await outcomes()).at(-1));
});
