import { availableParallelism } from "node:os";
import { expect, test } from "vitest";
import { bugs } from "../simulation/mutants/hand-made";
import { mutantOf } from "../simulation/mutants/hand-made/bug";
import type { Coverage } from "../simulation/mutants/coverage";
import { cover, draw, explore, prove, Tried } from "../simulation/mutants/proof";
import { triedText } from "../simulation/mutants/report";
import { open } from "../simulation/seeds/open";

/** How long fresh seeds run, in seconds of real time. */
const seconds = Number(process.env.SIMULATION_SECONDS ?? 600);

/** The first seed of the mutants, and the seed that draws mechanical ones. */
const first = Number(process.env.SIMULATION_SEED ?? 1);

/** The syncs after which a mutant has survived. */
const syncs = Number(process.env.SIMULATION_SYNCS ?? 100_000);

const processes = availableParallelism();
const effort = { first, syncs, processes };
/** After about this many syncs a process goes on with a new first seed. */
const stretchSyncs = 10_000;
const drawnMutants = 100;
const leastShareDead = 0.9;

let covered: ReturnType<typeof cover> | undefined;

/** The coverage of the module itself. It must pass the seeds of the mutants: else every mutant would seem noticed. */
async function coverage(): Promise<Coverage> {
  const { verdict, coverage } = await (covered ??= cover(effort));
  expect(verdict.violation, "the module itself").toBeUndefined();
  return coverage;
}

const say = (tried: Tried): void => console.log(triedText(tried));
const survivors = (all: Tried[]): string[] =>
  all.flatMap(({ mutant, verdict }) => (verdict.violation ? [] : [mutant.name]));

test(`fresh seeds for ${seconds} s have no violation`, async () => {
  const started = performance.now();
  const verdicts = await explore({ seconds, syncs: stretchSyncs, processes }, (from, verdict) =>
    console.log(
      `seeds from ${from}: ${verdict.syncs} syncs, ` +
        (verdict.violation ? JSON.stringify(verdict.violation) : "no violation"),
    ),
  );
  const all = verdicts.reduce((sum, verdict) => sum + verdict.syncs, 0);
  // The last seeds end after the time.
  const took = Math.round((performance.now() - started) / 1000);
  console.log(`${all} syncs in ${took} s on ${processes} cores`);
  for (const { invariant, why } of open) console.log(`does not count, because it is open: ${invariant}: ${why}`);
  expect(verdicts.flatMap(({ violation }) => violation ?? [])).toEqual([]);
});

test("every hand-made bug is noticed", async () => {
  await coverage();
  const tried = await prove(bugs.map(mutantOf), effort, say);
  expect(survivors(tried), "each of these is a hole in the invariants").toEqual([]);
});

test(`at least ${100 * leastShareDead} % of ${drawnMutants} mechanical changes are noticed`, async () => {
  const { mutants, unreached } = draw(String(first), drawnMutants, await coverage());
  console.log(`no seed reaches these ${unreached.length}, which were drawn as well:`);
  for (const { name } of unreached) console.log(`  ${name}`);
  const tried = await prove(mutants, effort, say);
  const left = survivors(tried);
  console.log(["survivors:", ...left].join("\n  "));
  expect(left.length).toBeLessThanOrEqual(drawnMutants * (1 - leastShareDead));
});
