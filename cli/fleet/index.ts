import { Command } from "commander";
import { errorFields } from "../../capabilities/kubernetes/log";
import { UsageError } from "../manifests";
import { Sources } from "../reading";
import { examples } from "../usage";
import { fleetIn } from "./fleet";
import { tableOf } from "./table";
import { totalsOf } from "./totals";

interface Options extends Sources {
  json?: boolean;
}

/** Exit codes: an MLScaler with a fault, and no answer. */
const faulty = 1;
const unusable = 2;

/** `mlscaler fleet`: how the MLScalers of a cluster do. */
export const fleetCommand = new Command("fleet")
  .description("Show how the MLScalers of a cluster do, those that need attention first. It only reads.")
  .option("-n, --namespace <namespace>", "namespace; by default that of the context")
  .option("-A, --all-namespaces", "all namespaces")
  .option("--context <context>", "context of the kubeconfig; by default the current one")
  .option("--json", "print the result as JSON")
  .addHelpText(
    "after",
    "\nExit codes: 0, 1 when an MLScaler has a fault or is not synced (all are printed), 2 when nothing can be read.",
  )
  .addHelpText("after", examples("mlscaler fleet -A", "mlscaler fleet -n shop --json", "kubectl mlscaler fleet -A"))
  .action(async (options: Options, command: Command) => {
    try {
      await run(options);
    } catch (error) {
      if (error instanceof UsageError) command.error(`error: ${error.message}`);
      console.error(errorFields(error).error);
      process.exitCode = unusable;
    }
  });

async function run(options: Options): Promise<void> {
  const { rows, faults } = await fleetIn(options);
  const totals = totalsOf(rows);
  faults.forEach(fault => console.error(fault));
  console.log(
    options.json ? JSON.stringify({ totals, mlscalers: rows, faults }, null, 2) : tableOf(rows, totals, Date.now()),
  );
  if (faults.length + totals.states.fault + totals.states["not synced"] > 0) process.exitCode = faulty;
}
