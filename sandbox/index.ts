import { Command, Option } from "commander";
import { consoleSteps } from "./console";
import {
  deploy,
  defaultName,
  down,
  sandboxEnv,
  startComponent,
  status,
  stopComponent,
  up,
  type SandboxStatus,
} from "./api";
import { componentNames } from "./components";
import { showLogs } from "./show-logs";
import { deploySteps, stepsOf } from "./steps";
import { messageOf } from "./wait";
import { statusTable } from "./status-table";

interface Named {
  name: string;
}

const program = new Command("sandbox")
  .description("A real Kubernetes control plane on this machine, with the module's pods as processes")
  .showHelpAfterError();

named(program.command("up"))
  .description("bring it up and return when everything is ready; harmless when it is up")
  .option("--without-module", "the control plane alone")
  .option("--rootless", "start the module's processes as where one is not root")
  .action(async ({ name, withoutModule, rootless }: Named & { withoutModule?: boolean; rootless?: boolean }) => {
    const withModule = !withoutModule;
    const interrupt = new AbortController();
    const onInterrupt = (): void => interrupt.abort(new Error("interrupted"));
    process.once("SIGINT", onInterrupt).once("SIGTERM", onInterrupt);
    const result = await consoleSteps(stepsOf(withModule), onStep =>
      up({
        name,
        withModule,
        rootless,
        onStep,
        signal: interrupt.signal,
        onWait: pid => note(`waiting for process ${pid}`),
      }),
    );
    if (!result.fresh) note(`sandbox ${name} is running already`);
    if (result.isolation === "environment" && withModule) {
      note("without root on Linux: the module gets its paths by environment and its webhook is called by URL");
    }
    note(
      `\n${statusTable(result)}\n\neval "$(npm run -s sandbox -- env${name === defaultName ? "" : ` --name ${name}`})"   # then kubectl speaks to it`,
    );
  });

named(program.command("down"))
  .description("end everything it started and remove its data")
  .action(async ({ name }: Named) => {
    const before = await down(name);
    note(
      before === "down"
        ? `sandbox ${name} was not up`
        : `sandbox ${name} is down${before === "crashed" ? ", leftovers of a crash removed" : ""}`,
    );
  });

named(program.command("status"))
  .description("components, pods, addresses; exit code 1 unless it is running")
  .option("--json", "for programs")
  .action(async ({ name, json }: Named & { json?: boolean }) => {
    const found: SandboxStatus = await status(name);
    note(json ? JSON.stringify(found, undefined, 2) : statusTable(found));
    if (found.state !== "running") process.exitCode = 1;
  });

named(program.command("env"))
  .description('print what a shell needs to know: eval "$(npm run -s sandbox -- env)"')
  .action(async ({ name }: Named) => {
    if ((await status(name)).state === "down") throw new Error(`sandbox ${name} is not up`);
    for (const [variable, value] of Object.entries(sandboxEnv(name)))
      note(`export ${variable}='${value.replaceAll("'", "'\\''")}'`);
  });

named(program.command("logs"))
  .description(
    "show logs: of a component, `daemon`, `install`, `deploy`, or of a pod by the beginning of its name; all without an argument",
  )
  .argument("[what]")
  .option("-n, --lines <count>", "how many lines from the end", "50")
  .option("-f, --follow", "go on as they grow")
  .action((what: string | undefined, { name, lines, follow }: Named & { lines: string; follow?: boolean }) =>
    showLogs(name, what, lines, follow),
  );

named(program.command("stop"))
  .description("end a component, to see what happens")
  .argument("<component>", componentNames.join(", "))
  .option("--kill", "SIGKILL, as in a crash")
  .action((component: string, { name, kill }: Named & { kill?: boolean }) => stopComponent(component, name, kill));

named(program.command("start"))
  .description("start a component again: same port, same data, same flags")
  .argument("<component>", componentNames.join(", "))
  .action((component: string, { name }: Named) => startComponent(component, name));

named(program.command("deploy"))
  .description("apply dist/install and run pepr deploy again")
  .action(async ({ name }: Named) => {
    await consoleSteps(deploySteps, onStep => deploy(name, onStep));
  });

function named(command: Command): Command {
  return command.addOption(new Option("--name <name>", "which sandbox").default(defaultName));
}

function note(text: string): void {
  process.stdout.write(`${text}\n`);
}

program.parseAsync().catch((error: unknown) => {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = 1;
});
