import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { Command, InvalidArgumentError, Option } from "commander";
import { errorFields } from "../../capabilities/kubernetes/log";
import { Scenario } from "../../capabilities/mlscaler/backtest/scenario";
import { Model, models } from "../../capabilities/mlscaler/forecast/models/models";
import config from "../../package.json";
import { InputError } from "../manifests";
import { writeOut } from "../output";
import {
  above,
  commandLine,
  count,
  duration,
  from0To,
  outputOptions,
  priceOption,
  ResultFormat,
  zone,
} from "../command-line";
import { print, tell } from "../terminal";
import { examples } from "../usage";
import { compare, effortOfReplay, PolicyComparison } from "./comparison";
import { checkWritable, contentOf } from "./input";
import { openInBrowser } from "./open";
import { Progress, withProgress } from "./progress";
import { reportOf } from "./report";
import { Gain } from "./gain";
import { assistantFor, nextStepOf } from "./next-step";
import { reasonOf } from "./reason";
import { Choices, scalerIn, scenarioOf } from "./scenario";
import { Summary, summaryOf } from "./summary";
import { textOf, undecided } from "./text";
import { namesDay } from "./time";
import { Decimal } from "./load";
import { readTrace, Trace } from "./trace";
import { otherQuantiles, TradeOff, tradeOffOf, tradeOffReplays } from "./trade-off";
import { comparedWithoutForecast } from "./without-forecast";

interface Options {
  spec?: string;
  capacity?: number;
  utilization?: number;
  /** Milliseconds. */
  startUp: number;
  /** Milliseconds. */
  nodeStartUp?: number;
  nodeReplicas?: number;
  model?: Model;
  /** Milliseconds. */
  step?: number;
  history: number;
  time?: string;
  value?: string;
  sum?: boolean;
  where?: string;
  decimal?: Decimal;
  zone: string;
  dateFormat?: string;
  html?: string;
  open?: boolean;
  price?: number;
  output: ResultFormat;
  maxUnserved?: number;
}

/** Exit codes: too much load unserved, and unusable input. */
const exceeded = 1;
const unusable = 2;

const [output, json] = outputOptions();

/** `mlscaler simulate`: replays a load and compares policies of scaling. */
export const simulateCommand = new Command("simulate")
  .description("Replay a load with an HPA, with MLScaler and with a perfect forecast, and compare.")
  .argument(
    "<trace>",
    "a CSV file of times and loads (the total, not the average of a pod), JSON of Prometheus or CloudWatch, or - for standard input",
  )
  .option("--spec <file>", "an MLScaler or an HPA: target of a replica, bounds, behavior and forecast")
  .option("--capacity <load>", "load that one ready replica can serve, in the unit of the trace", above(0))
  .option("--utilization <percent>", "target utilization of a replica, when the spec has none (80)", above(0))
  .addOption(
    new Option("--start-up <duration>", "time until a new replica is ready").argParser(duration).default(180_000, "3m"),
  )
  .addOption(
    new Option("--node-start-up <duration>", "time until a new node is ready (4m); replicas wait for nodes then")
      .argParser(duration)
      .implies({ nodeReplicas: 5 }),
  )
  .addOption(
    new Option("--node-replicas <count>", "replicas that fit a node (5); replicas wait for nodes then")
      .argParser(count)
      .implies({ nodeStartUp: 240_000 }),
  )
  .addOption(
    new Option("--model <model>", "the model that forecasts; by default as in the spec, or auto").choices(models),
  )
  .option(
    "--step <duration>",
    "average the loads over this step; by default the step of the trace, 1m at least",
    duration,
  )
  .option("--history <percent>", "part of the trace to learn from; the rest is judged", from0To(99), 70)
  .option("--time <column>", "name or number, from 1, of the column of times; Date,Hour for two")
  .option("--value <column>", "name or number, from 1, of the column of loads; several, with commas, are added up")
  .option("--sum", "add up all columns of loads, and rows of the same time, such as one for each pod")
  .option("--where <column=value>", "only the rows with this value: pod=web-1")
  .addOption(
    new Option("--decimal <mark>", "the decimal mark of the loads, where they are ambiguous").choices([".", ","]),
  )
  .option("--zone <zone>", "time zone of times without one, and of the report: UTC, Europe/Berlin", zone, "UTC")
  .option("--date-format <format>", "format of the times in tokens of luxon: MM/dd/yyyy HH:mm:ss", dateFormat)
  .option("--html <file>", "write a report with charts, one file that needs no network")
  .option("--open", "open the report in the browser; without --html it is a temporary file")
  .addOption(priceOption())
  .addOption(output)
  .addOption(json)
  .option("--max-unserved <percent>", "exit with code 1 when MLScaler leaves more than this unserved", from0To(100))
  .addHelpText("after", "\nExit codes: 0, 1 when --max-unserved is exceeded, 2 when the input cannot be used.")
  .addHelpText(
    "after",
    examples(
      "mlscaler simulate web.csv --capacity 50 --open",
      "mlscaler simulate web.csv --spec hpa.yaml --node-start-up 4m --node-replicas 5 --html report.html",
      "mlscaler simulate web.csv.gz --value requests --capacity 50 --max-unserved 0.5 -o json",
    ),
  )
  .action(async (trace: string, options: Options) => {
    try {
      if (options.html !== undefined) checkWritable("--html", options.html);
      const { summary, html } = await simulated(trace, options);
      if (html) await writeReport(html, options);
      summary.notes.forEach(note => tell(`note: ${note}`));
      print(options.output === "json" ? JSON.stringify(summary, null, 2) : textOf(summary));
      const { unserved_percent: unserved } = summary.policies.mlscaler;
      if (options.maxUnserved === undefined) return;
      const why = undecided(summary);
      if (why !== undefined) throw new InputError(`--max-unserved: ${why}`);
      if (unserved <= options.maxUnserved) return;
      tell(`${unserved} % of the load is unserved, --max-unserved is ${options.maxUnserved} %`);
      process.exitCode = exceeded;
    } catch (error) {
      tell(errorFields(error).error);
      process.exitCode = unusable;
    }
  });

async function simulated(path: string, options: Options): Promise<{ summary: Summary; html?: string }> {
  const name = path === "-" ? "standard input" : basename(path);
  const given = await contentOf(path, "a file of CSV or JSON");
  const trace = readTrace(name, given, options, options.step);
  const spec =
    options.spec === undefined
      ? undefined
      : { source: options.spec, text: await contentOf(options.spec, "a file with an MLScaler or an HPA") };
  const { scenario, notes } = scenarioOf(trace, {
    spec,
    capacity: options.capacity,
    utilizationPercent: options.utilization,
    startUpSeconds: options.startUp / 1000,
    nodes: nodesOf(options),
    model: options.model,
    historyPercent: options.history,
  });
  const reported = options.html !== undefined || options.open === true;
  const { comparison, gain, tradeOff } = withProgress(work(trace, scenario, reported));
  const outcome = summaryOf(name, trace, scenario, comparison, [...trace.notes, ...notes]);
  const judgement = gain && !undecided(outcome) ? { verdict: gain.verdict, reason: reasonOf(gain) } : undefined;
  const summary = { ...outcome, judgement };
  if (!tradeOff) return { summary };
  const manifest = spec ? scalerIn(spec, "Assist").manifest : assistantFor(name);
  const nextStep = judgement && nextStepOf(manifest, judgement.verdict);
  const { price, zone } = options;
  const origin = { command: commandLine(), version: config.version, at: new Date(), price, zone, nextStep };
  return { summary, html: reportOf(summary, trace, scenario, comparison, tradeOff, origin) };
}

const nodesOf = ({ nodeStartUp, nodeReplicas: replicas }: Options): Choices["nodes"] =>
  nodeStartUp === undefined || replicas === undefined ? undefined : { replicas, startUpSeconds: nodeStartUp / 1000 };

/** The comparison and its gain, and the trade-off of a report. Yields the progress of both together. */
function* work(
  trace: Trace,
  scenario: Scenario,
  reported: boolean,
): Generator<Progress, { comparison: PolicyComparison; tradeOff?: TradeOff; gain?: Gain }> {
  const ofReport = reported ? tradeOffReplays(scenario) * effortOfReplay(trace, scenario) : 0;
  let compared = 0;
  const comparison = yield* mapped(
    compare(trace, scenario, reported ? otherQuantiles(scenario) : undefined),
    progress => {
      compared = progress.total;
      return { done: progress.done, total: progress.total + ofReport };
    },
  );
  // At 0 replicas no target changes the cost.
  const gain = scenario.zero ? undefined : comparedWithoutForecast(trace, scenario, comparison).gain;
  if (!reported) return { comparison, gain };
  const tradeOff = yield* mapped(tradeOffOf(trace, scenario, comparison), ({ done, total }) => ({
    done: compared + (done / total) * ofReport,
    total: compared + ofReport,
  }));
  return { comparison, gain, tradeOff };
}

/** The same work with another progress. */
function* mapped<Result>(
  given: Generator<Progress, Result>,
  change: (progress: Progress) => Progress,
): Generator<Progress, Result> {
  let next = given.next();
  for (; !next.done; next = given.next()) yield change(next.value);
  return next.value;
}

/** Writes the report to the file of --html, or to a temporary one, and opens it with --open. */
async function writeReport(report: string, { html, open }: Options): Promise<void> {
  const file = html ?? join(mkdtempSync(join(tmpdir(), "mlscaler-")), "report.html");
  writeOut(file, "report", report);
  if (!open) return;
  try {
    await openInBrowser(file);
    tell(`note: opened ${file}`);
  } catch (error) {
    tell(`note: no browser was opened (${errorFields(error).error}): open ${file} yourself`);
  }
}

/** Parses a duration to milliseconds. */
function dateFormat(format: string): string {
  if (namesDay(format)) return format;
  throw new InvalidArgumentError("Name year, month and day, for example MM/dd/yyyy HH:mm:ss.");
}
