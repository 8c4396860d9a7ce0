import { expect, test } from "vitest";
import { brokenIn, knownSeeds, outcomesOf, textOf } from "./outcomes";

const seeds = knownSeeds()
  .filter(({ nightly }) => !nightly)
  .map(textOf);

test("every promise holds on the known seeds, and a seed writes the same again after others", async () => {
  const [first = "", ...others] = seeds;
  const found = await outcomesOf("--seed", [first, ...others, first].join(","));
  expect(brokenIn(found)).toEqual([]);
  expect(found.map(({ syncs }) => syncs > 0)).toEqual([...seeds, first].map(() => true));
  expect(found.at(-1)).toEqual(found[0]);
});

/** The seed whose only process is killed after each request of a sync that puts a minimum back, or raises it. */
const killedInRaises = "6000000003";

test("a kill after any request of a raise or of a put-back loses no minimum", async () => {
  const [found] = await outcomesOf("--seed", killedInRaises);
  expect(brokenIn(found ? [found] : [])).toEqual([]);
  expect(found?.faults.filter(kind => kind === "killed at a request").length).toBe(16);
});
