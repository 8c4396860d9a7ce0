import { beforeAll, expect, test } from "vitest";
import { brokenIn, knownSeeds, outcomesOf, textOf } from "./outcomes";
import type { Outcome } from "./seeds/simulate";

const seeds = knownSeeds()
  .filter(({ nightly }) => !nightly)
  .map(textOf);

/** The seed whose only process is killed after each request of a sync that puts a minimum back, or raises it. */
const killedInRaises = "6000000003";

/** Of the known seeds, of the first of them again, and of the other one. A process takes seconds to start. */
let found: Outcome[];

beforeAll(async () => {
  found = await outcomesOf("--seed", [...seeds, seeds[0] ?? "", killedInRaises].join(","));
}, 900_000);

test("every promise holds on the known seeds, and a seed writes the same again after others", () => {
  expect(brokenIn(found.slice(0, -1))).toEqual([]);
  expect(found.map(({ syncs }) => syncs > 0)).toEqual([...seeds, seeds[0], killedInRaises].map(() => true));
  expect(found.at(-2)).toEqual(found[0]);
});

test("a kill after any request of a raise or of a put-back loses no minimum", () => {
  const last = found.slice(-1);
  expect(brokenIn(last)).toEqual([]);
  expect(last[0]?.faults.filter(kind => kind === "killed at a request").length).toBe(16);
});
