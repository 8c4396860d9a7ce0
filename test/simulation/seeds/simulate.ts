import { Scope } from "../bundle";
import { epoch } from "../clock";
import { Cluster } from "./cluster";
import { Episode, startSeconds } from "./episodes";
import { invariantsOf } from "./invariants";
import { isOpen } from "./open";
import { scenarioOf } from "./drawn";
import { endOfSeeds, firstSmall, Scenario } from "./scenario";
import { Truth, Violation } from "./truth";

/** What became of a seed. */
export interface Outcome {
  seed: number;
  hash: string;
  syncs: number;
  /** Virtual seconds. */
  seconds: number;
  struck: Record<string, number>;
  violations: Violation[];
  lines?: string[];
}

/** How long a scenario goes on between two looks for a violation, in milliseconds. */
const lookMilliseconds = 10_000;

/** How to simulate a scenario. */
interface How {
  /** Which lines of the trace the outcome has. */
  trace?: "writes" | "all" | undefined;
  /** Whether to end at the first violation. */
  stops?: boolean;
  /** When to end at the latest, in seconds. What is promised at the end of the quiet phase is not looked at then. */
  untilSeconds?: number | undefined;
}

/** Simulates a scenario to its end or, on request, to its first violation. */
export async function simulate(
  scenario: Scenario,
  bundle: (scope: Scope) => void,
  { trace, stops = false, untilSeconds = Infinity }: How = {},
): Promise<Outcome> {
  const cluster = new Cluster(scenario, bundle);
  const truth = new Truth(cluster);
  const invariants = invariantsOf(truth);
  cluster.requests.observer = {
    sent: call => {
      truth.sent(call);
      for (const { sent } of invariants) sent?.(call);
    },
    answered: call => {
      truth.answered(call);
      for (const { answered } of invariants) answered?.(call);
    },
    abandoned: call => {
      for (const { abandoned } of invariants) abandoned?.(call);
    },
  };
  const rejection = (reason: unknown): void => cluster.unhandled("rejection", reason);
  const exception = (error: unknown): void => cluster.unhandled("exception", error);
  process.on("unhandledRejection", rejection).on("uncaughtException", exception);
  const { clock } = cluster;
  try {
    for (const app of scenario.apps) cluster.deploy(app);
    await clock.pass(1000 * startSeconds);
    for (const scaler of scenario.scalers) cluster.scaler(scaler);
    for (const history of scenario.histories) await cluster.storeHistory(history);
    cluster.storeOrphans();
    const begin = (episode: Episode): void => {
      const entry: Truth["episodes"][number] = { episode };
      truth.episodes.push(entry);
      const end = cluster.begin(episode);
      const ends = (): void => {
        end();
        entry.endedAt = clock.now / 1000;
      };
      clock.after(1000 * (episode.to - episode.from), ends, "episode ends");
    };
    for (const episode of scenario.episodes)
      if (episode.from <= startSeconds) begin(episode);
      else clock.after(1000 * episode.from - clock.now, () => begin(episode), "episode");
    for (let place = 0; place < scenario.watchers; place++) cluster.start(place);
    cluster.admission?.start();
    const wholeSeconds = scenario.faultSeconds + scenario.quietSeconds;
    const end = 1000 * Math.min(wholeSeconds, untilSeconds);
    const isStopped = (): boolean => stops && truth.violations.some(violation => !isOpen(violation));
    while (clock.now < end && !isStopped())
      await clock.pass(Math.min(end - clock.now, stops ? lookMilliseconds : Infinity));
    if (!isStopped() && untilSeconds >= wholeSeconds) for (const { quiet } of invariants) quiet?.();
    for (const { ends } of invariants) await ends?.();
    for (const { program } of cluster.processes) program.kill();
    cluster.admission?.kill();
    await clock.rest();
  } finally {
    process.off("unhandledRejection", rejection).off("uncaughtException", exception);
  }
  return {
    seed: scenario.seed,
    hash: cluster.trace.hash,
    syncs: truth.syncs,
    seconds: clock.now / 1000,
    struck: Object.fromEntries([...cluster.struck].sort(([one], [other]) => (one < other ? -1 : 1))),
    violations: truth.violations,
    ...(trace && { lines: cluster.trace.lines(trace === "all") }),
  };
}

/** How far to run seeds. */
interface Until {
  /** Below 1,000,000,000, the seeds of all ranges take turns, because a bug may show in one range alone. */
  first: number;
  /** Seeds that are run before them, such as one that once broke a promise. */
  promising?: number[] | undefined;
  syncs: number;
  begins?: (seed: number, syncs: number) => void;
}

/** The ranges of seeds. Each range has clusters of its own kind. */
const ranges = endOfSeeds / firstSmall;

/** The seed that is run at `index` when seeds begin at `first`. */
const seedAt = (first: number, index: number): number =>
  first < firstSmall ? (index % ranges) * firstSmall + first + Math.floor(index / ranges) : first + index;

/**
 * Runs seeds from `first` on until a promise is broken that is not open, or until `syncs` syncs are done in all.
 * @param begins called with each seed and the syncs before it
 */
export async function simulateUntilBroken(
  bundle: (scope: Scope) => void,
  { first, promising = [], syncs, begins }: Until,
): Promise<{ syncs: number; violation?: Violation & { seed: number } }> {
  let total = 0;
  const seeds = [...promising];
  for (let index = 0; total < syncs;) {
    const seed = seeds.shift() ?? seedAt(first, index++);
    begins?.(seed, total);
    const outcome = await simulate(scenarioOf(seed), bundle, { stops: true });
    total += outcome.syncs;
    const violation = outcome.violations.find(one => !isOpen(one));
    if (violation) return { syncs: total, violation: { ...violation, seed } };
    // A module that does nothing would never end this loop.
    if (outcome.syncs === 0) {
      const expected = "syncs of each object";
      const nothing = {
        invariant: "liveness",
        at: outcome.seconds,
        object: "the module",
        seen: "no sync",
        expected,
        times: 1,
      };
      return { syncs: total, violation: { ...nothing, seed } };
    }
  }
  return { syncs: total };
}

/** The time of day of a virtual time in seconds: "08:03:20". */
export const timeOfDay = (seconds: number): string => new Date(epoch + 1000 * seconds).toISOString().slice(11, 19);
