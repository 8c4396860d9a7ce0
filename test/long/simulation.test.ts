import { availableParallelism } from "node:os";
import { expect, test } from "vitest";
import { bugs } from "../simulation/mutants/hand-made";
import { mutantOf } from "../simulation/mutants/hand-made/bug";
import { cover, draw, explore, prove, Tried } from "../simulation/mutants/proof";
import { triedText } from "../simulation/mutants/report";

/** How long fresh seeds run, in seconds of real time. */
const seconds = Number(process.env.SIMULATION_SECONDS ?? 600);

/** The first seed of the mutants, and the seed that draws mechanical ones. */
const first = Number(process.env.SIMULATION_SEED ?? 1);

const processes = availableParallelism();
/** After about this many syncs a process ends and another one begins with a new first seed. */
const stretchSyncs = 5_000;
const mutantSyncs = 100_000;
const drawnMutants = 100;
const leastShareDead = 0.9;

const say = (tried: Tried): void => console.log(triedText(tried));
const survivors = (all: Tried[]): string[] =>
  all.flatMap(({ mutant, verdict }) => (verdict.violation ? [] : [mutant.name]));

test(`fresh seeds for ${seconds} s have no violation`, async () => {
  const verdicts = await explore({ seconds, syncs: stretchSyncs, processes }, (from, { syncs, violation }) =>
    console.log(`seeds from ${from}: ${syncs} syncs, ${violation ? JSON.stringify(violation) : "no violation"}`),
  );
  console.log(`${verdicts.reduce((sum, { syncs }) => sum + syncs, 0)} syncs in ${seconds} s on ${processes} cores`);
  expect(verdicts.flatMap(({ violation }) => violation ?? [])).toEqual([]);
});

test("every hand-made bug is noticed", async () => {
  const tried = await prove(bugs.map(mutantOf), { first, syncs: mutantSyncs, processes }, say);
  expect(survivors(tried), "each of these is a hole in the invariants").toEqual([]);
});

test(`at least ${100 * leastShareDead} % of ${drawnMutants} mechanical changes are noticed`, async () => {
  const { verdict, coverage } = await cover({ first, syncs: mutantSyncs, processes });
  expect(verdict.violation, "the module itself").toBeUndefined();
  const { mutants, unreached } = draw(String(first), drawnMutants, coverage);
  console.log(`no seed reaches these ${unreached.length}, which were drawn as well:`);
  for (const { name } of unreached) console.log(`  ${name}`);
  const tried = await prove(mutants, { first, syncs: mutantSyncs, processes }, say);
  const left = survivors(tried);
  console.log(["survivors:", ...left].join("\n  "));
  expect(left.length).toBeLessThanOrEqual(drawnMutants * (1 - leastShareDead));
});
