import { createInterface } from "node:readline/promises";
import { Command, Option } from "commander";
import { errorFields } from "../../capabilities/kubernetes/log";
import { commandLine, duration } from "../command-line";
import { UsageError } from "../manifests";
import { apiOf, Sources } from "../reading";
import { tell } from "../terminal";
import { examples } from "../usage";
import { giveBack, takeOver } from "./steps";

interface Options extends Pick<Sources, "namespace" | "context"> {
  back?: boolean;
  filename?: string;
  server?: string;
  /** Milliseconds. */
  timeout: number;
  yes?: boolean;
  dryRun?: boolean;
}

/** `mlscaler take-over`: an MLScaler scales in place of the autoscaler that it assists. */
export const takeOverCommand = new Command("take-over")
  .description("Have an MLScaler scale its target in place of the HPA or ScaledObject that it assists, and back.")
  .argument("<name>", "an MLScaler")
  .option("-n, --namespace <namespace>", "namespace; by default from the context")
  .option("--context <context>", "context of the kubeconfig; by default the current one")
  .option("--back", "create the HPA or ScaledObject again, and have the MLScaler assist it")
  .option(
    "-f, --filename <file>",
    "file for the way back; it is written, and --back reads it (NAMESPACE.NAME.take-over.yaml)",
  )
  .option("--server <name>", "name of the Prometheus server of a ScaledObject, as in from-keda")
  .addOption(
    new Option("--timeout <duration>", "the longest wait for each step").argParser(duration).default(300_000, "5m"),
  )
  .option("-y, --yes", "do not ask")
  .option("--dry-run", "print what would be done, and change nothing")
  .addHelpText("after", "\nExit codes: 0, 1 when a step failed (the way out is printed), 2 for wrong usage.")
  .addHelpText(
    "after",
    examples(
      "mlscaler take-over web -n shop --dry-run",
      "mlscaler take-over web -n shop --yes",
      "mlscaler take-over web -n shop --back",
    ),
  )
  .action(async (name: string, options: Options, command: Command) => {
    try {
      await run(name, options);
    } catch (error) {
      if (error instanceof UsageError) command.error(`error: ${error.message}`);
      tell(errorFields(error).error);
      process.exitCode = 1;
    }
  });

async function run(name: string, options: Options): Promise<void> {
  const { back = false, dryRun = false, yes = false, timeout, server, context } = options;
  if (!yes && !dryRun && !process.stdin.isTTY)
    throw new UsageError("there is no terminal to ask on: use --yes or --dry-run");
  const place = { ...apiOf(options), name };
  const { namespace } = place;
  const file = options.filename ?? `${namespace}.${name}.take-over.yaml`;
  const where = ["-n", namespace, ...(context === undefined ? [] : ["--context", context])];
  const wayBack = commandLine(["take-over", name, ...where, "--back", "-f", file]);
  const confirmed = (): Promise<boolean> => (yes ? Promise.resolve(true) : asked("Go on? [y/N] "));
  await (back ? giveBack : takeOver)(place, {
    file,
    timeout,
    wayBack,
    dryRun,
    confirmed,
    ...(server !== undefined && { server }),
  });
}

/** Asks a question on the terminal. */
async function asked(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question(question)).trim());
  } finally {
    terminal.close();
  }
}
