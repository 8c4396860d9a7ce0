import { Command, Option } from "commander";
import { consoleSteps } from "./console";
import { deploy, defaultName, down, sandboxEnv, status, up, type SandboxStatus } from "./api";
import { messageOf } from "./wait";

const program = new Command("sandbox")
  .description("Runs a real Kubernetes control plane on this machine, with the module's pods as processes")
  .showHelpAfterError();

named(program.command("up"))
  .description("bring it up and return when everything is ready; harmless when it is up")
  .option("--without-module", "the control plane alone")
  .action(async ({ name, withoutModule }: { name: string; withoutModule?: boolean }) => {
    const interrupt = new AbortController();
    const onInterrupt = (): void => interrupt.abort(new Error("interrupted"));
    process.once("SIGINT", onInterrupt).once("SIGTERM", onInterrupt);
    const options = { name, withModule: !withoutModule, signal: interrupt.signal };
    say(await consoleSteps(onStep => up({ ...options, onStep })));
    console.log(`\neval "$(npm run -s sandbox -- env --name ${name})"   # points kubectl to the sandbox`);
  });

named(program.command("down"))
  .description("end everything it started and remove its data")
  .action(async ({ name }: { name: string }) => {
    const before = await down(name);
    console.log(`sandbox ${name} ${before === "down" ? "was not up" : "is down"}`);
  });

named(program.command("status"))
  .description("components, pods, addresses, as JSON; exit code 1 unless it is running")
  .action(async ({ name }: { name: string }) => {
    const found = await status(name);
    say(found);
    if (found.state !== "running") process.exitCode = 1;
  });

named(program.command("env"))
  .description('print the environment of a shell: eval "$(npm run -s sandbox -- env)"')
  .action(async ({ name }: { name: string }) => {
    if ((await status(name)).state === "down") throw new Error(`sandbox ${name} is not up`);
    for (const [variable, value] of Object.entries(sandboxEnv(name)))
      console.log(`export ${variable}='${value.replaceAll("'", "'\\''")}'`);
  });

named(program.command("deploy"))
  .description("build what is older than its sources and apply it again")
  .action(async ({ name }: { name: string }) => {
    await consoleSteps(onStep => deploy(name, onStep));
  });

const say = (status: SandboxStatus): void => console.log(JSON.stringify(status, undefined, 2));

function named(command: Command): Command {
  return command.addOption(new Option("--name <name>", "which sandbox").default(defaultName));
}

program.parseAsync().catch((error: unknown) => {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = 1;
});
