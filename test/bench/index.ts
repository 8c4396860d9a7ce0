import { Command, InvalidArgumentError, Option } from "commander";
import { messageOf } from "../../sandbox/wait";
import { measureAdmission, type AdmissionSettings } from "./admission";
import { ours } from "./sandbox";
import { measureFirstDays } from "./first-days";
import { measureForecast, type ForecastSettings } from "./forecast";
import { tablesOf } from "./forecast-figures";
import { measureHpa, scalerNames, type HpaSettings } from "./hpa";
import { hpaRows } from "./hpa-figures";
import { measureNodes } from "./nodes";
import { nodesTablesOf } from "./nodes-figures";
import { measurePeersForecast, peerForecasterNames, type PeersForecastSettings } from "./peers-forecast";
import { peersForecastTables } from "./peers-forecast-figures";
import { measureTomorrow } from "./tomorrow";
import { measureZero } from "./zero";
import { zeroTablesOf } from "./zero-figures";
import { report } from "./report";
import { measureShards, type ShardsSettings } from "./shards";
import { measureSimulated } from "./simulated";

const program = new Command("bench")
  .description("Measures the module against others that do the same")
  .showHelpAfterError();

program
  .command("hpa")
  .description("MLScalers against HorizontalPodAutoscalers on the same Deployments")
  .option("--count <deployments>", "Deployments, each with a scaler of its own", atLeast(2), 1000)
  .option("--seconds <seconds>", "how long the steady state is observed", atLeast(30), 180)
  .addOption(new Option("--only <which>", "measure some of them").choices(["hpa", ...scalerNames]))
  .action(async (settings: HpaSettings) => {
    const outcomes = await interruptible(signal => measureHpa(settings, say, signal));
    say(report(outcomes, hpaRows, ours));
    if (outcomes.some(({ result }) => result.state === "failed")) process.exitCode = 1;
  });

program
  .command("admission")
  .description("the webhook against no webhook: throughput, latency, CPU")
  .option("--seconds <seconds>", "how long each is measured", atLeast(1), 20)
  .option("--rate <requests>", "requests a second, straight at a pod", atLeast(1), 500)
  .action((settings: AdmissionSettings) =>
    interruptible(async signal => say(await measureAdmission(settings, say, signal))),
  );

program
  .command("forecast")
  .description("the forecast engine on recorded loads: errors, quantiles, what scaling by it saves, CPU time")
  .option("--traces <folder>", "CSV files of a time and a load a line; by default loads that come with the project")
  .option(
    "--select [folder]",
    "also the means of the even and of the odd traces, to judge a setting by the half it was not chosen by, and of " +
      "a third set: the loads that come with the project, and those of the folder",
  )
  .addOption(startsOption())
  .action(async (settings: ForecastSettings) => {
    const { measured, parts, cost } = await measureForecast(settings, text => process.stderr.write(`${text}\n`));
    say(tablesOf(measured, parts, cost));
  });

program
  .command("first-days")
  .description("the engine with its defaults on the first days of a workload, and after two weeks: unserved load")
  .requiredOption("--traces <folder>", "CSV files of a time and a load a line")
  .addOption(startsOption())
  .action(async ({ traces, starts }: { traces: string; starts: number }) =>
    say(await measureFirstDays(traces, starts, text => process.stderr.write(`${text}\n`))),
  );

program
  .command("nodes")
  .description("replicas that wait for nodes: an HPA, with a static buffer, and MLScalers at equal node-hours")
  .option("--traces <folder>", "CSV files of a time and a load a line; by default loads that come with the project")
  .action(async ({ traces }: { traces?: string }) =>
    say(nodesTablesOf(await measureNodes(traces, text => process.stderr.write(`${text}\n`)))),
  );

program
  .command("tomorrow")
  .description("the path of the next 24 hours on recorded loads, beside the day before and the week before")
  .requiredOption("--traces <folder>", "CSV files of a time and a load a line")
  .action(async ({ traces }: { traces: string }) =>
    say(await measureTomorrow(traces, text => process.stderr.write(`${text}\n`))),
  );

program
  .command("peers-forecast")
  .description("the forecast engine against Prophet, LightGBM, Holt-Winters as PHPA has it, and the last value")
  .option("--traces <folder>", "CSV files of a time and a load a line; by default loads that come with the project")
  .addOption(new Option("--only <which>", "measure one of the peers").choices(peerForecasterNames))
  .action((settings: PeersForecastSettings) =>
    interruptible(async signal => {
      const tell = (text: string): boolean => process.stderr.write(`${text}\n`);
      say(peersForecastTables(await measurePeersForecast(settings, tell, signal)));
    }),
  );

program
  .command("fleet")
  .description("thousands of MLScalers whose namespaces several watchers share out: start, lag, CPU, memory, takeover")
  .option("--count <mlscalers>", "MLScalers, each with a Deployment of one pod", atLeast(1), 1000)
  .option("--shards <shards>", "shards of namespaces", atLeast(1), 4)
  .option("--watchers <numbers>", "numbers of watchers, one after the other", numbers, [1, 2])
  .option("--days <days>", "days of stored history, so that each has a trusted forecast", days, 14)
  .option("--seconds <seconds>", "how long the steady state is observed", atLeast(30), 120)
  .option(
    "--simulated",
    "in virtual time, without a sandbox: lag by limits and latency, requests, memory, CPU of a sync",
  )
  .action((settings: ShardsSettings) => {
    const measure = settings.simulated ? measureSimulated : measureShards;
    return interruptible(async signal => say(await measure(settings, say, signal)));
  });

program
  .command("zero")
  .description("targets that go to 0 replicas: cold starts beside the policy with a cool-down, at equal replica-hours")
  .option("--traces <folder>", "CSV files of a time and a load a line; by default made-up loads with idle time")
  .action(async ({ traces }: { traces?: string }) =>
    say(zeroTablesOf(await measureZero(traces, text => process.stderr.write(`${text}\n`)))),
  );

async function interruptible<Result>(measure: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const interrupt = new AbortController();
  // The handler stays installed, because a second Ctrl-C must not leave the sandbox behind.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    process.on(signal, () => interrupt.abort(new Error("interrupted")));
  }
  return measure(interrupt.signal);
}

program.parseAsync().catch((error: unknown) => {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = 1;
});

function atLeast(least: number): (text: string) => number {
  return text => {
    const number = Number(text);
    if (!Number.isInteger(number) || number < least)
      throw new InvalidArgumentError(`use an integer of at least ${least}`);
    return number;
  };
}

function startsOption(): Option {
  return new Option("--starts <number>", "starts of each trace in its first day, to see what is chance")
    .argParser(atLeast(1))
    .default(1);
}

/** A number of days, which may have a fraction. */
function days(text: string): number {
  const number = Number(text);
  if (!(number >= 0 && number < Infinity)) throw new InvalidArgumentError("use a number of at least 0");
  return number;
}

function numbers(text: string): number[] {
  return text.split(",").map(atLeast(1));
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
