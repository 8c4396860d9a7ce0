import { Command } from "commander";
import { errorFields } from "../../capabilities/kubernetes/log";
import { commandLine, moduleNamespaceOption, nextOption, outputOptions, ResultFormat } from "../command-line";
import { UsageError } from "../manifests";
import { writeOut } from "../output";
import { Sources } from "../reading";
import { checkWritable } from "../simulate/input";
import { print, tell } from "../terminal";
import { examples } from "../usage";
import { fleetIn } from "./fleet";
import { fleetAhead, nextDayText } from "./next-day";
import { fleetPageOf } from "./page";
import { tableOf } from "./table";
import { totalsOf } from "./totals";

interface Options extends Sources {
  html?: string;
  next?: string;
  moduleNamespace: string;
  output: ResultFormat;
}

/** Exit codes: an MLScaler with a fault, and no answer. */
const faulty = 1;
const unusable = 2;

const [output, json] = outputOptions();

/** `mlscaler fleet`: the state of the MLScalers of a cluster. */
export const fleetCommand = new Command("fleet")
  .description("Show the state of the MLScalers of a cluster, those that need attention first. It only reads.")
  .option("-n, --namespace <namespace>", "namespace; by default from the context")
  .option("-A, --all-namespaces", "all namespaces")
  .option("--context <context>", "context of the kubeconfig; by default the current one")
  .addOption(nextOption().conflicts("html"))
  .addOption(moduleNamespaceOption())
  .option("--html <file>", "write a page with the table, which needs no network")
  .addOption(output)
  .addOption(json)
  .addHelpText(
    "after",
    "\nExit codes: 0, 1 when an MLScaler has a fault or is not synced (all are printed), 2 when nothing can be read.",
  )
  .addHelpText(
    "after",
    examples("mlscaler fleet -A", "mlscaler fleet -n shop --next 24h", "kubectl mlscaler fleet -A --html fleet.html"),
  )
  .action(async (options: Options, command: Command) => {
    try {
      if (options.html !== undefined) checkWritable("--html", options.html);
      await run(options);
    } catch (error) {
      if (error instanceof UsageError) command.error(`error: ${error.message}`);
      tell(errorFields(error).error);
      process.exitCode = unusable;
    }
  });

async function run(options: Options): Promise<void> {
  if (options.next !== undefined) {
    const ahead = await fleetAhead(options, Date.now());
    print(options.output === "json" ? JSON.stringify(ahead, null, 2) : nextDayText(ahead));
    return;
  }
  const fleet = await fleetIn(options);
  const now = new Date();
  const { rows, faults, notes } = fleet;
  const totals = totalsOf(rows);
  if (options.html !== undefined)
    writeOut(options.html, "report", fleetPageOf(fleet, { command: commandLine(), at: now }));
  notes.forEach(note => tell(`note: ${note}`));
  faults.forEach(tell);
  const result = { totals, mlscalers: rows, faults };
  print(options.output === "json" ? JSON.stringify(result, null, 2) : tableOf(rows, totals, now.getTime()));
  if (faults.length + totals.states.fault + totals.states["not synced"] > 0) process.exitCode = faulty;
}
