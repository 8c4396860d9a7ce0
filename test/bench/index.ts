import { Command, InvalidArgumentError, Option } from "commander";
import { messageOf } from "../../sandbox/wait";
import { contenderNames, measureEcho, type EchoSettings } from "./echo";
import { report } from "./report";

const program = new Command("bench").description("Measures the module against plain peers").showHelpAfterError();

program
  .command("echo")
  .description("our Echo controller against the same in controller-runtime (Go) and kube-rs (Rust)")
  .option("--count <echoes>", "Echoes of the burst", count, 200)
  .option("--sequential <echoes>", "Echoes that are created one after another", count, 20)
  .option("--pods <pods>", "pods of each Echo", count, 3)
  .addOption(new Option("--only <which>", "measure some of them").choices(["peers", ...contenderNames]))
  .action(async (settings: EchoSettings) => {
    const interrupt = new AbortController();
    // Kept installed: a second Ctrl-C must not leave the sandbox behind.
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      process.on(signal, () => interrupt.abort(new Error("interrupted")));
    }
    const outcomes = await measureEcho(settings, say, interrupt.signal);
    say(report(outcomes));
    if (outcomes.some(({ result }) => result.state === "failed")) process.exitCode = 1;
  });

program.parseAsync().catch((error: unknown) => {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = 1;
});

function count(text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1) throw new InvalidArgumentError("use an integer of at least 1");
  return number;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
