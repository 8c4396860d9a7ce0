import { Command, Option } from "commander";
import { parse } from "yaml";
import { z } from "zod";
import { errorFields } from "../../capabilities/kubernetes/log";
import { type Mode, modes } from "../../capabilities/mlscaler/target/target";
import config from "../../package.json";
import { above, commandLine, outputOptions, priceOption, ResultFormat } from "../command-line";
import { yamlOf } from "../conversion";
import { InputError } from "../manifests";
import { writeInto, writeOut } from "../output";
import { checkNamespaces, Sources } from "../reading";
import { checkWritable, contentOf } from "../simulate/input";
import { print, tell } from "../terminal";
import { examples } from "../usage";
import { surveyPageOf } from "./page";
import { prometheusAt, spanOf, Survey, surveyed, workloadsIn } from "./survey";
import { tableOf } from "./table";
import { totalsOf } from "./totals";
import { Workload } from "./workloads";

interface Options extends Sources {
  prometheus: string;
  queries?: string;
  weeks: number;
  html?: string;
  output: ResultFormat;
  write?: string;
  mode: Mode;
  price?: number;
}

/** Exit codes: a workload without a verdict, and unusable input. */
const incomplete = 1;
const unusable = 2;

const [output, json] = outputOptions();

/** `mlscaler survey`: which of the workloads of a cluster would gain. */
export const surveyCommand = new Command("survey")
  .description("Rank the HPAs and ScaledObjects of a cluster by what a forecast would gain. It only reads.")
  .requiredOption("--prometheus <url>", "URL of Prometheus, or a file as in the module's Secret, with credentials")
  .option("--context <context>", "context of the kubeconfig; by default the current one")
  .option("-n, --namespace <namespace>", "namespace; by default from the context")
  .option("-A, --all-namespaces", "all namespaces")
  .option("--weeks <weeks>", "weeks of load to read; the last seven days of them are judged", above(0), 2)
  .option("--queries <file>", "YAML of namespace/name: query, for loads other than cpu, memory and triggers of KEDA")
  .option("--html <file>", "write a page with the table and a report for each workload, which needs no network")
  .addOption(output)
  .addOption(json)
  .option("--write <folder>", "write an MLScaler for each workload that gains")
  .addOption(new Option("--mode <mode>", "mode of the MLScalers to write").choices(modes).default("Assist"))
  .addOption(priceOption())
  .addHelpText(
    "after",
    "\nCtrl-C ends it and prints the results until then.\n" +
      "Exit codes: 0, 1 when a workload has no verdict (the others are printed), 2 when nothing can be read.",
  )
  .addHelpText(
    "after",
    examples(
      "mlscaler survey --prometheus http://localhost:9090 -A --html survey.html",
      "mlscaler survey --prometheus prometheus.yaml -n shop --price 0.04",
      "mlscaler survey --prometheus http://localhost:9090 -A --write mlscalers/",
    ),
  )
  .action(async (options: Options) => {
    try {
      if (options.html !== undefined) checkWritable("--html", options.html);
      await run(options);
    } catch (error) {
      tell(errorFields(error).error);
      process.exitCode = unusable;
    }
  });

async function run(options: Options): Promise<void> {
  const { prometheus: place, weeks, price, html } = options;
  checkNamespaces(options);
  const queries = options.queries === undefined ? {} : queriesIn(options.queries, await textOf(options.queries));
  const prometheus = await prometheusAt(/^https?:/.test(place) ? place : await textOf(place));
  const found = await workloadsIn(options, queries, options.mode);
  const now = new Date();
  const span = spanOf(weeks, now.getTime());
  const origin = html === undefined ? undefined : { command: commandLine(), version: config.version, at: now, price };

  let isStopped = false;
  const stop = (): void => void (isStopped = true);
  process.once("SIGINT", stop);
  const survey = await surveyed(found.workloads, prometheus, span, origin, () => isStopped);
  process.off("SIGINT", stop);

  const faults = [...found.faults, ...survey.faults];
  const rows = survey.judged.map(({ row }) => row);
  const totals = totalsOf(rows, price);
  if (html !== undefined) {
    const page = surveyPageOf({ survey, faults, totals, span, origin: { command: commandLine(), at: now, price } });
    writeOut(html, "report", page);
  }
  if (options.write !== undefined) writeManifests(options.write, found.workloads, survey);
  for (const { scaler, workload, doubt } of rows)
    if (doubt !== undefined) tell(`note: ${scaler} ${workload}: ${doubt}`);
  faults.forEach(tell);
  if (survey.left > 0) tell(`stopped: ${survey.left} of ${found.workloads.length} workloads are left out`);
  print(
    options.output === "json" ? JSON.stringify({ totals, workloads: rows, faults }, null, 2) : tableOf(rows, totals),
  );
  if (faults.length > 0 || survey.left > 0) process.exitCode = incomplete;
}

const textOf = (file: string): Promise<string> => contentOf(file, "a file in YAML");

/** The queries of a file by "namespace/name". Throws InputError. */
function queriesIn(file: string, text: string): Record<string, string> {
  try {
    return z.record(z.string().regex(/^[^/]+\/[^/]+$/), z.string()).parse(parse(text));
  } catch {
    throw new InputError(`--queries: ${file} is not YAML of the form "shop/web: sum(rate(requests_total[5m]))"`);
  }
}

/** Writes a file for each workload that gains. Throws InputError when one cannot be written. */
function writeManifests(folder: string, workloads: Workload[], { judged }: Survey): void {
  const nameOf = (scaler: string, key: string): string => `${key.replace("/", ".")}.${scaler.toLowerCase()}.yaml`;
  const gaining = new Set(
    judged.filter(({ row }) => row.verdict === "gains").map(({ row }) => nameOf(row.scaler, row.workload)),
  );
  const files = workloads.map(({ key, scaler, written }) => ({ name: nameOf(scaler, key), text: yamlOf([written]) }));
  writeInto(
    folder,
    "MLScaler",
    files.filter(({ name }) => gaining.has(name)),
  );
}
