import { availableParallelism } from "node:os";
import { InvalidArgumentError, Option, program } from "commander";
import { deathsOf, noteDeath } from "./deaths";
import { cover, draw, Effort, prove, Tried } from "./proof";
import { bugs } from "./hand-made";
import { mutantOf } from "./hand-made/bug";
import { coverageText, triedText } from "./report";

interface Options extends Effort {
  name?: string[];
  alive?: boolean;
  count: number;
  draw: string;
}

const whole = (text: string): number => {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError("use a whole number");
  return Number(text);
};

const options = {
  first: new Option("--first <seed>", "the first seed of the simulation").argParser(whole).default(1),
  before: new Option(
    "--before <seeds>",
    "seeds that are run before it, such as ones with many faults: 1,2,3",
  ).argParser((text: string) => text.split(",").map(whole)),
  syncs: new Option("--syncs <number>", "the syncs after which a mutant has survived")
    .argParser(whole)
    .default(100_000),
  processes: new Option("--processes <number>", "how many mutants are tried at a time")
    .argParser(whole)
    .default(availableParallelism()),
};

program.name("npm run mutants --").description("Shows what the invariants of the simulation notice.");

program
  .command("hand-made")
  .description("tries the bugs of test/simulation/mutants/hand-made; all must die")
  .option("--name <texts...>", "only those whose names contain one of these texts")
  .option("--alive", "only those without a seed in deaths.json")
  .addOption(options.first)
  .addOption(options.before)
  .addOption(options.syncs)
  .addOption(options.processes)
  .action(async ({ name = [""], alive = false, ...effort }: Options) => {
    const dead = alive ? deathsOf() : {};
    const chosen = bugs.filter(bug => name.some(text => bug.name.includes(text)) && dead[bug.name] === undefined);
    const tried = (one: Tried): void => {
      say(one);
      noteDeath(one.mutant, one.verdict);
    };
    summarize(await prove(chosen.map(mutantOf), effort, tried));
  });

program
  .command("drawn")
  .description("tries changes of an operator, a constant, an await or a guard, drawn by a seed")
  .option("--count <number>", "how many", whole, 100)
  .option("--draw <seed>", "the seed that draws them", "1")
  .addOption(options.first)
  .addOption(options.syncs)
  .addOption(options.processes)
  .action(async ({ count, draw: seed, ...effort }: Options) => {
    const { verdict, coverage } = await cover(effort);
    if (verdict.violation) throw new Error(`the module itself violates: ${JSON.stringify(verdict.violation)}`);
    const { mutants, unreached } = draw(seed, count, coverage);
    for (const mutant of unreached) console.log(`unreached  ${mutant.name}`);
    summarize(await prove(mutants, effort, say));
    console.log(`${unreached.length} more were drawn that no seed reaches`);
  });

program
  .command("coverage")
  .description("lists the branches of capabilities that no seed reaches")
  .addOption(options.first)
  .addOption(options.syncs)
  .action(async (effort: Effort) => {
    const { verdict, coverage } = await cover(effort);
    console.log(coverageText(coverage));
    console.log(
      `after ${verdict.syncs} syncs; ${verdict.violation ? JSON.stringify(verdict.violation) : "no violation"}`,
    );
  });

program.parseAsync().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});

function say(tried: Tried): void {
  console.log(triedText(tried));
}

function summarize(all: Tried[]): void {
  const dead = all.filter(({ verdict }) => verdict.violation).length;
  console.log(`${dead} of ${all.length} died`);
  if (dead < all.length) process.exitCode = 1;
}
