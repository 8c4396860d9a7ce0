import { Option, program } from "commander";
import { down, sandboxEnv, up } from "./api";
import { consoleSteps } from "./console";
import { Foresight } from "./foresight";
import { races, type Race } from "./races";
import { takeStep } from "./steps";
import { messageOf } from "./wait";

interface Options {
  example: keyof typeof races;
  keep?: boolean;
}

/** The sandbox of `npm start`. It is separate from those of `npm run sandbox`. */
const sandbox = "start";

/** How to go on after the story. */
const goOn =
  "To try more: npm start -- --keep keeps the cluster until Ctrl-C, npm run sandbox -- up gives you one of your own,\n" +
  "and docs/getting-started/try-it.md installs the module on a cluster.";

program
  .name("npm start --")
  .description("Shows how MLScaler scales a Deployment before its load rises, on a control plane on this machine.")
  .addOption(
    new Option(
      "--example <kind>",
      "an MLScaler with two weeks of history in Prometheus beside an HPA (forecast), an HPA with an MLScaler in mode " +
        "Assist beside one alone (assist), or the first with nodes that take 4 min (nodes)",
    )
      .choices(Object.keys(races))
      .default("forecast"),
  )
  .option("--keep", "go on after the end of the story, until Ctrl-C")
  .action(async ({ example, keep = false }: Options) => {
    const interrupt = new AbortController();
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => interrupt.abort());
    try {
      await show(races[example], interrupt.signal, keep);
    } catch (error) {
      if (!interrupt.signal.aborted) throw error;
    }
  })
  .parseAsync()
  .catch((error: unknown) => {
    console.error(`\n${messageOf(error)}`);
    process.exitCode = 1;
  });

/** Brings up a sandbox, shows a race on it until `signal` aborts or the race is over, and takes the sandbox down. */
async function show(race: Race, signal: AbortSignal, keep: boolean): Promise<void> {
  try {
    const foresight = await consoleSteps(async onStep => {
      await up({ name: sandbox, onStep, signal });
      Object.assign(process.env, sandboxEnv(sandbox));
      await race.prepare?.(sandbox, onStep, signal);
      // When the module is up, because it sets the time of the rise relative to now.
      return takeStep("two weeks of a load in Prometheus", onStep, () => Foresight.preload(sandbox, race));
    });
    try {
      const end = await foresight.show(signal, keep);
      if (end !== undefined) console.log(`\n${end}\n${goOn}`);
    } finally {
      foresight.stop();
    }
  } finally {
    process.stdout.write("\nending the sandbox … ");
    await down(sandbox);
    process.stdout.write("done\n");
  }
}
