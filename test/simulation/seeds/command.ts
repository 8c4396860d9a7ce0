import { randomInt } from "node:crypto";
import { Bundle, bundleModule } from "../bundle";
import { scenarioOf } from "./drawn";
import { endOfSeeds, Scenario } from "./scenario";
import { shrink } from "./shrink";
import { Outcome, simulate, timeOfDay } from "./simulate";

export interface SeedOptions {
  seed?: string;
  seeds?: string;
  syncs?: string;
  from?: string;
  trace?: boolean;
  reads?: boolean;
  shrink?: boolean;
  print?: boolean;
}

/** Simulates whole clusters from seeds, and prints what was done and which promises were broken. */
export async function simulateSeeds(options: SeedOptions): Promise<void> {
  const bundle = await bundleModule();
  const trace = options.trace ? (options.reads ? "all" : "writes") : undefined;
  const run = (scenario: Scenario, untilSeconds?: number): Promise<Outcome> =>
    simulate(scenario, bundle, { trace, untilSeconds });
  const outcomes: Outcome[] = [];
  const started = process.cpuUsage();
  const said = (text: string): void => (options.print ? undefined : console.log(text));
  for (const { seed, untilSeconds } of seedsOf(options, outcomes)) {
    const scenario = scenarioOf(seed);
    const outcome = await run(scenario, untilSeconds);
    outcomes.push(outcome);
    for (const line of outcome.lines ?? []) console.log(line);
    if (options.trace) console.log(JSON.stringify(scenario, undefined, 2));
    said(`seed ${seed} ${outcome.hash} ${outcome.syncs} syncs in ${Math.round(outcome.seconds)} s`);
    for (const text of violationsText(outcome)) said(text);
    const [first] = outcome.violations;
    if (options.shrink && first) await makeShort(scenario, first.invariant, bundle);
  }
  const { user, system } = process.cpuUsage(started);
  if (options.print) console.log(JSON.stringify(outcomes));
  else if (outcomes.length > 1) for (const text of summary(outcomes, (user + system) / 1e6)) console.log(text);
  if (outcomes.some(({ violations }) => violations.length > 0)) process.exitCode = 1;
}

/** A seed, and when its simulation ends; without that at its own end. */
interface Wanted {
  seed: number;
  untilSeconds?: number;
}

/**
 * The seeds that are asked for: a list, then a number of them from a first one, or as many as it takes for the syncs.
 */
function* seedsOf({ seed, seeds, syncs, from }: SeedOptions, outcomes: Outcome[]): Generator<Wanted> {
  const list = seed?.split(",").map(wantedOf) ?? [];
  yield* list;
  if (seeds === undefined && syncs === undefined) return;
  const first = from === undefined ? randomInt(endOfSeeds) : Number(from);
  const wanted = Number(syncs ?? Infinity);
  const most = Number(seeds ?? Infinity);
  const done = (): number => outcomes.slice(list.length).reduce((sum, one) => sum + one.syncs, 0);
  for (let index = 0; index < most && done() < wanted; index++) yield { seed: first + index };
}

/** Parses "14", or "14:600" for its first 600 s. */
function wantedOf(text: string): Wanted {
  const [seed, untilSeconds] = text.split(":").map(Number);
  return { seed: seed ?? NaN, ...(untilSeconds !== undefined && { untilSeconds }) };
}

async function makeShort(scenario: Scenario, invariant: string, bundle: Bundle): Promise<void> {
  const smallest = await shrink(
    scenario,
    invariant,
    one => simulate(one, bundle),
    text => console.log(`  still fails with ${text}`),
  );
  const outcome = await simulate(smallest, bundle, { trace: "writes" });
  for (const line of outcome.lines ?? []) console.log(line);
  console.log(JSON.stringify(smallest, undefined, 2));
  for (const text of violationsText(outcome)) console.log(text);
}

/** The most violations of a seed that are printed; --print has all of them. */
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
  const struck = new Map<string, number>();
  const broken = new Map<string, number[]>();
  for (const { seed, struck: kinds, violations } of outcomes) {
    for (const [kind, count] of Object.entries(kinds)) struck.set(kind, (struck.get(kind) ?? 0) + count);
    for (const invariant of new Set(violations.map(one => one.invariant)))
      broken.set(invariant, [...(broken.get(invariant) ?? []), seed]);
  }
  const faults = [...struck]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([kind, count]) => `${kind} ${count}`);
  return [
    `${outcomes.length} seeds, ${(sum(one => one.seconds) / 3600).toFixed(1)} simulated hours, ${syncs} syncs, ` +
      `${Math.round(syncs / cpuSeconds)} syncs a second of CPU`,
    `faults by kind (times that they struck): ${faults.join(", ")}`,
    `violations: ${sum(one => one.violations.length)}`,
    ...[...broken].map(([invariant, seeds]) => `  ${invariant}: seeds ${seeds.join(", ")}`),
  ];
}
