import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { program } from "commander";
import { bundleModule, Scope } from "./bundle";
import { runs } from "./runs";
import { SeedOptions, simulateSeeds } from "./seeds/command";
import { Trace } from "./trace";
import { World } from "./world";

const hashesPath = join(__dirname, "hashes.json");

interface Options extends SeedOptions {
  run?: string;
  part: string;
  salt: string;
  trace?: boolean;
  reads?: boolean;
  record?: boolean;
  print?: boolean;
  list?: boolean;
}

program
  .name("npm run simulation --")
  .description(
    "Runs the module in simulated clusters. Compares the hash of its writes in each scripted run with hashes.json; " +
      "with --seed, --seeds or --syncs, generates whole clusters with their faults and checks what the module promises.",
  )
  .option("--seed <number>", "the cluster of this seed, or of several: 1,2,3; 14:600 is the first 600 s of seed 14")
  .option("--seeds <count>", "this number of seeds, from --from on or from a random one")
  .option("--syncs <count>", "as many seeds as it takes for this number of syncs")
  .option("--from <number>", "with --seeds and --syncs: the first seed")
  .option("--shrink", "with --seed: leave out faults and objects while it still fails, and print what is left")
  .option("--run <name>", "only the run of this name, or the runs whose names contain this text")
  .option("--part <part>", "one part of the runs, such as 1/2", "1/1")
  .option("--salt <text>", "scripted runs with other times; their hashes are printed, not compared", "0")
  .option("--trace", "print the writes: virtual time in seconds, process, request, status, body")
  .option("--reads", "with --trace: also print the reads")
  .option("--record", "write the hashes to hashes.json")
  .option("--print", "print all hashes as JSON, compare nothing")
  .option("--list", "print the names of the runs")
  .action(simulate)
  .parseAsync()
  .catch((error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  });

async function simulate(options: Options): Promise<void> {
  process.env.TZ = "UTC";
  // Pepr does the same in its own process.
  process.removeAllListeners("warning");
  if (options.seed !== undefined || options.seeds !== undefined || options.syncs !== undefined)
    return simulateSeeds(options);
  const names = namesOf(options.run).filter(isIn(options.part));
  if (options.list) return void names.forEach(name => console.log(name));
  const bundle = await bundleModule();
  const hashes: Record<string, string> = {};
  for (const name of names) {
    const started = performance.now();
    const trace = await runOnce(name, options.salt, bundle);
    hashes[name] = trace.hash;
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    if (options.trace) trace.lines(options.reads ?? false).forEach(line => console.log(line));
    if (!options.print) console.log(`${trace.hash} ${name} (${seconds} s)`);
  }
  if (options.print) console.log(JSON.stringify(hashes));
  else if (options.record) record(hashes);
  else if (options.salt === "0") compare(hashes);
}

/** The run of this name, or the runs whose names contain this text. Throws when there is none. */
function namesOf(text = ""): string[] {
  const names = Object.keys(runs);
  if (names.includes(text)) return [text];
  const found = names.filter(name => name.includes(text));
  if (found.length === 0) throw new Error(`no run has "${text}" in its name; see --list`);
  return found;
}

/** True when the run at an index belongs to a part. "1/2" has the first, the third and so on. */
function isIn(part: string): (name: string, index: number) => boolean {
  const [number = 1, of = 1] = part.split("/").map(Number);
  return (_, index) => index % of === number - 1;
}

async function runOnce(name: string, seed: string, bundle: (scope: Scope) => void): Promise<Trace> {
  const world = new World(`${seed} ${name}`, bundle);
  const rejection = (reason: unknown): void => world.unhandled("rejection", reason);
  const exception = (error: unknown): void => world.unhandled("exception", error);
  process.on("unhandledRejection", rejection).on("uncaughtException", exception);
  try {
    await runs[name]?.(world);
    await world.finish();
  } catch (error) {
    throw new Error(`run "${name}" failed: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  } finally {
    process.off("unhandledRejection", rejection).off("uncaughtException", exception);
  }
  return world.trace;
}

const recorded = (): Record<string, string> => JSON.parse(readFileSync(hashesPath, "utf8")) as Record<string, string>;

function record(hashes: Record<string, string>): void {
  const kept = Object.entries({ ...recorded(), ...hashes }).filter(([name]) => name in runs);
  const sorted = Object.fromEntries(kept.sort(([one], [other]) => (one < other ? -1 : 1)));
  writeFileSync(hashesPath, `${JSON.stringify(sorted, undefined, 2)}\n`);
}

function compare(hashes: Record<string, string>): void {
  const before = recorded();
  const different = Object.entries(hashes).filter(([name, hash]) => before[name] !== hash);
  for (const [name, hash] of different)
    console.error(
      `${name}: ${hash}, recorded ${before[name] ?? "never"}; npm run simulation -- --trace --run "${name}"`,
    );
  if (different.length > 0) process.exitCode = 1;
}
