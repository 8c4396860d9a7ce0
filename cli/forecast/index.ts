import { basename } from "node:path";
import { Command } from "commander";
import { errorFields } from "../../capabilities/kubernetes/log";
import { runSlices } from "../../capabilities/mlscaler/forecast/sliced";
import { tomorrowOf } from "../../capabilities/mlscaler/forecast/tomorrow";
import { above, moduleNamespaceOption, nextOption, outputOptions, zone } from "../command-line";
import { mlscalerKind } from "../fleet/fleet";
import { InputError, UsageError } from "../manifests";
import { apiOf, checkNamespaces, Cluster, type Sources } from "../reading";
import { contentOf } from "../simulate/input";
import { readTrace } from "../simulate/trace";
import { print, tell } from "../terminal";
import { examples } from "../usage";
import { scalerAhead } from "./ahead";
import { csvOf, type DayAhead, dayOf, textOf } from "./table";

interface Options extends Sources {
  csv?: string;
  value?: string;
  capacity?: number;
  zone: string;
  moduleNamespace: string;
  output: "text" | "json" | "csv";
}

/** Exit code: no answer. */
const unusable = 2;

const [output, json] = outputOptions(["text", "json", "csv"]);

/** `mlscaler forecast`: the next 24 hours of the loads of MLScalers, or of a file. */
export const forecastCommand = new Command("forecast")
  .description("Show the load of the next 24 hours by hour, and the replicas that it asks for. It only reads.")
  .argument("[name]", "an MLScaler in the cluster; by default all of the namespace")
  .addOption(nextOption().default("24h"))
  .option("-n, --namespace <namespace>", "namespace; by default from the context")
  .option("-A, --all-namespaces", "all namespaces")
  .option("--context <context>", "context of the kubeconfig; by default the current one")
  .addOption(moduleNamespaceOption())
  .option("--csv <file>", "forecast a recorded load instead, as simulate reads it, or - for standard input")
  .option("--value <column>", "name or number, from 1, of the column of loads in the file")
  .option("--capacity <load>", "load that one replica is to serve, in the unit of the file", above(0))
  .option("--zone <zone>", "time zone that the days of the file follow, and its times without one", zone, "UTC")
  .addOption(output)
  .addOption(json)
  .addHelpText("after", "\nExit codes: 0, 2 when nothing can be forecast.")
  .addHelpText(
    "after",
    examples(
      "mlscaler forecast web -n shop",
      "mlscaler forecast --csv web.csv --capacity 50 -o csv",
      "kubectl mlscaler forecast -A -o json",
    ),
  )
  .action(async (name: string | undefined, options: Options, command: Command) => {
    try {
      const days =
        options.csv === undefined ? await daysInCluster(name, options) : [await dayOfFile(options.csv, options)];
      const text = { json: () => JSON.stringify(days, null, 2), csv: () => csvOf(days) };
      print(options.output === "text" ? days.map(textOf).join("\n\n") : text[options.output]());
    } catch (error) {
      if (error instanceof UsageError) command.error(`error: ${error.message}`);
      tell(errorFields(error).error);
      process.exitCode = unusable;
    }
  });

async function dayOfFile(path: string, options: Options): Promise<DayAhead> {
  const name = path === "-" ? "standard input" : basename(path);
  const trace = readTrace(name, await contentOf(path, "a file of CSV or JSON"), options);
  trace.notes.forEach(note => tell(`note: ${note}`));
  const day = runSlices(tomorrowOf(trace.loads, trace.step, trace.startedAt, options.zone));
  if (!day) throw new InputError(`${name}: has less than two days of load, or ends with a gap`);
  return dayOf(name, day, options.capacity ?? NaN);
}

async function daysInCluster(name: string | undefined, options: Options): Promise<DayAhead[]> {
  checkNamespaces(options);
  const cluster = new Cluster(mlscalerKind, options);
  const { api } = apiOf(options);
  const now = Date.now();
  const found = name === undefined ? await cluster.list() : [await cluster.get(name)];
  const days: DayAhead[] = [];
  for (const { where, manifest } of found) {
    try {
      const { mlscaler, bounds, loads } = await scalerAhead(api, manifest, options.moduleNamespace, now);
      for (const { unit, path, capacity } of loads)
        if (path) days.push(dayOf(`${mlscaler} ${unit}`, path, capacity, bounds));
        else tell(`${mlscaler} ${unit}: has less than two days of history, or a gap`);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      tell(`${where}: ${error.message}`);
    }
  }
  if (days.length === 0) throw new InputError("there is nothing to forecast");
  return days;
}
