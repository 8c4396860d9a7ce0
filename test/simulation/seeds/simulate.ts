import { Scope } from "../bundle";
import { epoch } from "../clock";
import { Cluster } from "./cluster";
import { Episode, startSeconds } from "./episodes";
import { invariantsOf } from "./invariants";
import { Scenario } from "./scenario";
import { Truth, Violation } from "./truth";

/** What became of a seed. */
export interface Outcome {
  seed: number;
  hash: string;
  syncs: number;
  /** Virtual seconds. */
  seconds: number;
  /** The kinds of its faults, each as often as it began. */
  faults: string[];
  violations: Violation[];
  lines?: string[];
}

/** How to simulate a scenario. */
interface How {
  /** Which lines of the trace the outcome has. */
  trace?: "writes" | "all" | undefined;
  /** When to end at the latest, in seconds. What is promised at the end of the quiet phase is not looked at then. */
  untilSeconds?: number | undefined;
}

/** Simulates a scenario to its end, or to an earlier time. */
export async function simulate(
  scenario: Scenario,
  bundle: (scope: Scope) => void,
  { trace, untilSeconds = Infinity }: How = {},
): Promise<Outcome> {
  const cluster = new Cluster(scenario, bundle);
  const truth = new Truth(cluster);
  const invariants = invariantsOf(truth);
  cluster.requests.observer = {
    sent: call => {
      truth.sent(call);
      for (const { sent, others } of invariants) (truth.process(call.by) ? sent : others)?.(call);
    },
    answered: call => {
      truth.answered(call);
      if (truth.process(call.by)) for (const { answered } of invariants) answered?.(call);
    },
    abandoned: call => {
      if (truth.process(call.by)) for (const { abandoned } of invariants) abandoned?.(call);
    },
  };
  const rejection = (reason: unknown): void => cluster.unhandled("rejection", reason);
  const exception = (error: unknown): void => cluster.unhandled("exception", error);
  process.on("unhandledRejection", rejection).on("uncaughtException", exception);
  const { clock } = cluster;
  try {
    for (const app of scenario.apps) cluster.deploy(app);
    for (const app of scenario.apps) cluster.autoscale(app);
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
    const wholeSeconds = scenario.faultSeconds + scenario.quietSeconds;
    await clock.pass(1000 * Math.min(wholeSeconds, untilSeconds) - clock.now);
    if (untilSeconds >= wholeSeconds) for (const { quiet } of invariants) quiet?.();
    for (const { program } of cluster.processes) program.kill();
    await clock.rest();
  } finally {
    process.off("unhandledRejection", rejection).off("uncaughtException", exception);
  }
  return {
    seed: scenario.seed,
    hash: cluster.trace.hash,
    syncs: truth.syncs,
    seconds: clock.now / 1000,
    faults: truth.episodes.map(({ episode: { kind } }) => kind),
    violations: truth.violations,
    ...(trace && { lines: cluster.trace.lines(trace === "all") }),
  };
}

/** The time of day of a virtual time in seconds: "08:03:20". */
export const timeOfDay = (seconds: number): string => new Date(epoch + 1000 * seconds).toISOString().slice(11, 19);
