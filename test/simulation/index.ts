import { randomInt } from "node:crypto";
import { program } from "commander";
import { Bundle, bundleModule } from "./bundle";
import { scenarioOf } from "./seeds/drawn";
import { endOfSeeds, Scenario } from "./seeds/scenario";
import { shrink } from "./seeds/shrink";
import { Outcome, simulate, timeOfDay } from "./seeds/simulate";

interface Options {
  seed?: string;
  seeds?: string;
  syncs?: string;
  from?: string;
  shrink?: boolean;
  trace?: boolean;
  reads?: boolean;
  json?: boolean;
}

program
  .name("npm run simulation --")
  .description(
    "Runs the module in simulated clusters. A seed is a whole cluster with its faults. Prints which promises were broken.",
  )
  .option("--seed <number>", "this seed, or several: 1,2,3; 14:600 is the first 600 s of seed 14")
  .option("--seeds <count>", "this number of seeds, from --from on or from a random one")
  .option("--syncs <count>", "as many seeds as it takes for this number of syncs")
  .option("--from <number>", "with --seeds and --syncs: the first seed")
  .option("--shrink", "leave out faults and objects while the seed still fails, and print what is left")
  .option("--trace", "print the writes: virtual time in seconds, process, request, status, body")
  .option("--reads", "with --trace: also print the reads")
  .option("--json", "print only the outcomes, as JSON")
  .action(run)
  .parseAsync()
  .catch((error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  });

async function run(options: Options): Promise<void> {
  const { seed, seeds, syncs, trace, reads, json } = options;
  if (seed === undefined && seeds === undefined && syncs === undefined) return program.help();
  process.env.TZ = "UTC";
  // Pepr does the same in its own process.
  process.removeAllListeners("warning");
  const bundle = await bundleModule();
  const outcomes: Outcome[] = [];
  const started = process.cpuUsage();
  const print = (texts: string[]): void => (json ? undefined : texts.forEach(text => console.log(text)));
  for (const wanted of seedsOf(options, outcomes)) {
    const scenario = scenarioOf(wanted.seed);
    const { untilSeconds } = wanted;
    const outcome = await simulate(scenario, bundle, {
      untilSeconds,
      ...(trace && { trace: reads ? "all" : "writes" }),
    });
    outcomes.push(outcome);
    print(outcome.lines ?? []);
    if (trace) print([JSON.stringify(scenario, undefined, 2)]);
    print([`seed ${wanted.seed} ${outcome.hash} ${outcome.syncs} syncs in ${Math.round(outcome.seconds)} s`]);
    print(violationsText(outcome));
    const [first] = outcome.violations;
    if (options.shrink && first) await makeShort(scenario, first.invariant, bundle);
  }
  const { user, system } = process.cpuUsage(started);
  if (json) console.log(JSON.stringify(outcomes));
  else if (outcomes.length > 1) print(summary(outcomes, (user + system) / 1e6));
  if (outcomes.some(({ violations }) => violations.length > 0)) process.exitCode = 1;
}

/** A seed, and when its simulation ends; without that at its own end. */
interface Wanted {
  seed: number;
  untilSeconds?: number;
}

/** The listed seeds, then a number of them from a first one, or as many as it takes for the syncs. */
function* seedsOf({ seed, seeds, syncs, from }: Options, outcomes: Outcome[]): Generator<Wanted> {
  const list = seed?.split(",").map(wantedOf) ?? [];
  yield* list;
  if (seeds === undefined && syncs === undefined) return;
  const first = from === undefined ? randomInt(endOfSeeds) : Number(from);
  const [most, wanted] = [Number(seeds ?? Infinity), Number(syncs ?? Infinity)];
  const done = (): number => outcomes.slice(list.length).reduce((sum, one) => sum + one.syncs, 0);
  for (let index = 0; index < most && done() < wanted; index++) yield { seed: first + index };
}

/** Parses "14", or "14:600" for its first 600 s. */
function wantedOf(text: string): Wanted {
  const [seed = NaN, untilSeconds] = text.split(":").map(Number);
  return { seed, ...(untilSeconds !== undefined && { untilSeconds }) };
}

async function makeShort(scenario: Scenario, invariant: string, bundle: Bundle): Promise<void> {
  const still = (text: string): void => console.log(`  still fails with ${text}`);
  const smallest = await shrink(scenario, invariant, one => simulate(one, bundle), still);
  const outcome = await simulate(smallest, bundle, { trace: "writes" });
  for (const line of outcome.lines ?? []) console.log(line);
  console.log(JSON.stringify(smallest, undefined, 2));
  for (const text of violationsText(outcome)) console.log(text);
}

/** The most violations of a seed that are printed; --json has all of them. */
const mostPrinted = 12;

function violationsText({ seed, violations }: Outcome): string[] {
  const more = violations.length - mostPrinted;
  const printed = violations
    .slice(0, mostPrinted)
    .flatMap(({ invariant, at, object, seen, expected, times }) => [
      `  ${invariant}: ${at.toFixed(3)} s (${timeOfDay(at)}) ${object}${times > 1 ? `, ${times} times` : ""}`,
      `    seen: ${seen}`,
      `    expected: ${expected}`,
      `    npm run simulation -- --seed ${seed} --trace`,
    ]);
  return more > 0 ? [...printed, `  and ${more} more`] : printed;
}

function summary(outcomes: Outcome[], cpuSeconds: number): string[] {
  const sum = (of: (outcome: Outcome) => number): number => outcomes.reduce((total, one) => total + of(one), 0);
  const syncs = sum(one => one.syncs);
  const all = outcomes.flatMap(({ faults }) => faults);
  const faults = [...new Set(all)].sort().map(kind => `${kind} ${all.filter(one => one === kind).length}`);
  const broken = outcomes.filter(({ violations }) => violations.length > 0);
  return [
    `${outcomes.length} seeds, ${(sum(one => one.seconds) / 3600).toFixed(1)} simulated hours, ${syncs} syncs, ` +
      `${cpuSeconds.toFixed(0)} s of CPU, ${Math.round(syncs / cpuSeconds)} syncs a second of CPU`,
    `faults by kind: ${faults.join(", ")}`,
    `violations: ${sum(one => one.violations.length)}`,
    ...broken.map(({ seed, violations }) => {
      const names = [...new Set(violations.map(({ invariant }) => invariant))];
      return `  seed ${seed}: ${names.join(", ")}`;
    }),
  ];
}
