import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { Option, program } from "commander";
import logUpdate from "log-update";
import pc from "picocolors";
import { Api } from "../capabilities/common/api";
import { down, sandboxEnv, up } from "./api";
import { consoleSteps } from "./console";
import { Display } from "./display";
import { example, kubectl, look, manifestOf, observe, otherExamples, type OtherExample } from "./example";
import { projectRoot } from "./paths";
import { positionAt, replay, selectorOf, type Replay } from "./replay";
import { stepsOf } from "./steps";
import { flights, traceFromCsv, type Trace } from "./trace";
import { messageOf } from "./wait";

interface Options {
  trace?: string;
  context?: string;
  example: "mlscaler" | OtherExample;
  peak: string;
  secondsPerStep: string;
}

/** The sandbox of `npm start`, beside any that `npm run sandbox` holds. */
const sandbox = "start";

/** On a cluster of one's own the example gets a namespace of its own, which goes away again. */
const ownNamespace = "mlscaler-example";

program
  .name("npm start --")
  .description("Shows a Deployment being scaled by the forecast of a real load, on a control plane of this machine.")
  .option("--trace <file>", "replay a load of your own: a CSV of time,value (default: US flight departures)")
  .option("--peak <cores>", "cores that the trace's maximum stands for", "1.5")
  .option("--seconds-per-step <seconds>", "real seconds that one step of the trace takes", "10")
  .addOption(new Option("--example <kind>", "what to show").choices(["mlscaler", ...otherExamples]).default("mlscaler"))
  .option("--context <name>", "use an existing cluster of your kubeconfig; see README for what is changed in it")
  .action(async (options: Options) => {
    const interrupt = new AbortController();
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => interrupt.abort());
    try {
      if (options.context === undefined && options.example !== "mlscaler")
        await showOther(options.example, interrupt.signal);
      else if (options.context === undefined) await onSandbox(options, interrupt.signal);
      else if (options.example !== "mlscaler")
        throw new Error(
          `--example ${options.example}: on a cluster of yours, kubectl apply -f ${manifestOf(options.example)}`,
        );
      else await onCluster(options.context, interrupt.signal);
    } catch (error) {
      if (interrupt.signal.aborted) return;
      console.error(`\n${messageOf(error)}`);
      process.exitCode = 1;
    }
  });

program.parseAsync().catch((error: unknown) => {
  console.error(messageOf(error));
  process.exitCode = 1;
});

async function onSandbox(options: Options, signal: AbortSignal): Promise<void> {
  const trace = options.trace === undefined ? await flights() : traceFromCsv(options.trace);
  const numbers = {
    secondsPerStep: positive("--seconds-per-step", options.secondsPerStep),
    peakCores: positive("--peak", options.peak),
  };
  try {
    await consoleSteps(stepsOf(true), onStep => up({ name: sandbox, onStep, signal }));
    Object.assign(process.env, sandboxEnv(sandbox));
    await kubectl("apply", "-f", example.manifest);
    const api = new Api();
    const settings: Replay = { api, namespace: "default", selector: "", trace, from: firstRise(trace), ...numbers };
    settings.selector = await selectorOf(api, settings.namespace, example.name);
    const display = new Display(
      process.stdout,
      `${trace.name}, a step in ${options.secondsPerStep} s, at most ${options.peak} cores`,
    );
    const startedAt = Date.now();
    const traceTime = (now: number): Date =>
      new Date(trace.startedAt + positionAt(settings, startedAt, now) * trace.stepMilliseconds);
    await Promise.all([
      replay(settings, signal, error => console.error(messageOf(error))),
      show(api, settings.namespace, display, traceTime, signal),
    ]);
  } finally {
    await ended("ending what was started", () => down(sandbox));
  }
}

/** Shows another resource of this module as kubectl sees it, to be edited from a second terminal. */
async function showOther(kind: OtherExample, signal: AbortSignal): Promise<void> {
  try {
    await consoleSteps(stepsOf(true), onStep => up({ name: sandbox, onStep, signal }));
    Object.assign(process.env, sandboxEnv(sandbox));
    await kubectl("apply", "-f", manifestOf(kind));
    const hint = `in another terminal: eval "$(npm run --silent sandbox -- env --name ${sandbox})", then kubectl edit -f ${manifestOf(kind)}`;
    let before = "";
    while (!signal.aborted) {
      const now = await look(kind).catch(messageOf);
      if (process.stdout.isTTY) logUpdate(`${now}\n${pc.dim(`${hint}\nCtrl-C ends everything`)}`);
      else if (now !== before) console.log(now);
      before = now;
      await pause(2000, undefined, { signal }).catch(() => undefined);
    }
    if (process.stdout.isTTY) logUpdate.done();
  } finally {
    await ended("ending what was started", () => down(sandbox));
  }
}

async function onCluster(context: string, signal: AbortSignal): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "mlscaler-"));
  try {
    const kubeconfig = join(folder, "kubeconfig");
    const minified = await kubectl("config", "view", "--context", context, "--minify", "--flatten", "--raw");
    writeFileSync(kubeconfig, minified, { mode: 0o600 });
    process.env.KUBECONFIG = kubeconfig;
    console.log(`cluster ${context}: applying dist/install`);
    await kubectl("apply", "-R", "-f", join(projectRoot, "dist/install"));
    await kubectl("wait", "--for=condition=Established", "crd/mlscalers.example.com");
    console.log("npx pepr deploy");
    const deploy = await promisify(execFile)("npx", ["pepr", "deploy", "--yes"], {
      cwd: projectRoot,
      signal,
      maxBuffer: 64 << 20,
    });
    // Pepr's exit code is 0 whatever happened.
    if (!deploy.stdout.includes("Module deployed successfully"))
      throw new Error(`pepr deploy failed:\n${deploy.stdout.slice(-2000)}${deploy.stderr.slice(-2000)}`);
    try {
      // One that an earlier run left behind will do.
      await kubectl("create", "namespace", ownNamespace).catch((error: unknown) => {
        if (!messageOf(error).includes("AlreadyExists")) throw error;
      });
      await kubectl("apply", "--namespace", ownNamespace, "-f", example.manifest);
      await show(
        new Api(),
        ownNamespace,
        new Display(process.stdout, `cluster ${context}`),
        now => new Date(now),
        signal,
      );
    } finally {
      await ended(`deleting namespace ${ownNamespace}`, () => kubectl("delete", "namespace", ownNamespace));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Shows a row for each sync of the MLScaler, until `signal`. */
async function show(
  api: Api,
  namespace: string,
  display: Display,
  traceTime: (now: number) => Date,
  signal: AbortSignal,
): Promise<void> {
  const startedAt = Date.now();
  while (!signal.aborted) {
    try {
      const now = Date.now();
      display.show({
        elapsedSeconds: (now - startedAt) / 1000,
        traceTime: traceTime(now),
        ...(await observe(api, namespace)),
      });
    } catch (error) {
      if (!signal.aborted) console.error(messageOf(error));
    }
    await pause(example.syncSeconds * 1000, undefined, { signal }).catch(() => undefined);
  }
  display.end();
}

/** Where the first rise of the load is near, so that there is something to see at once. */
function firstRise({ values }: Trace): number {
  const highest = values.reduce((most, value) => Math.max(most, value), 0);
  const risen = values.findIndex(
    (value, index) => index > 0 && value > highest / 2 && (values[index - 1] ?? 0) <= highest / 2,
  );
  return Math.max(0, risen - 6);
}

function positive(option: string, text: string): number {
  const number = Number(text);
  if (!(number > 0 && Number.isFinite(number))) throw new Error(`${option}: "${text}" is not a number above 0`);
  return number;
}

async function ended(what: string, work: () => Promise<unknown>): Promise<void> {
  process.stdout.write(`\n${what} … `);
  await work();
  process.stdout.write("done\n");
}
