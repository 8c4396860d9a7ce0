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
import { bar, clock, Display, type Column } from "./display";
import { example, kubectl, look, manifestOf, observe, otherExamples, type OtherExample } from "./example";
import { showForesight } from "./foresight";
import { projectRoot } from "./paths";
import { positionAt, replay, selectorOf, type Replay } from "./replay";
import { stepsOf } from "./steps";
import { flights, traceFromCsv, type Trace } from "./trace";
import { messageOf } from "./wait";

interface Options {
  trace?: string;
  context?: string;
  example?: "forecast" | "short-form" | OtherExample;
  peak: string;
  secondsPerStep: string;
}

/** The sandbox of `npm start`, beside any that `npm run sandbox` holds. */
const sandbox = "start";

/** On a cluster of one's own the example gets a namespace of its own, which goes away again. */
const ownNamespace = "mlscaler-example";

program
  .name("npm start --")
  .description("Shows a Deployment being scaled before its load comes, on a control plane of this machine.")
  .addOption(
    new Option(
      "--example <kind>",
      "what to show: two weeks of history in Prometheus and an HPA beside (forecast), a line through the last samples of a real load (short-form), or another resource",
    ).choices(["forecast", "short-form", ...otherExamples]),
  )
  .option(
    "--trace <file>",
    "short-form: replay a load of your own, a CSV of time,value (default: US flight departures)",
  )
  .option("--peak <cores>", "short-form: cores that the trace's maximum stands for", "1.5")
  .option("--seconds-per-step <seconds>", "short-form: real seconds that one step of the trace takes", "10")
  .option(
    "--context <name>",
    "short-form: use an existing cluster of your kubeconfig; see README for what is changed in it",
  )
  .action(async (options: Options) => {
    const interrupt = new AbortController();
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => interrupt.abort());
    try {
      await run(options, interrupt.signal);
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

async function run(options: Options, signal: AbortSignal): Promise<void> {
  const { context, trace } = options;
  const ofShortForm = context !== undefined || trace !== undefined;
  const kind = options.example ?? (ofShortForm ? "short-form" : "forecast");
  if (ofShortForm && kind !== "short-form")
    throw new Error(`--example ${kind}: only short-form can be shown with --context or --trace`);
  if (context !== undefined) await onCluster(context, signal);
  else if (kind === "short-form") await showReplay(options, signal);
  else if (kind === "forecast") await onSandbox(signal, () => showForesight(sandbox, signal));
  else await onSandbox(signal, () => showOther(kind, signal));
}

/** Works on a sandbox of its own. */
async function onSandbox(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  try {
    await consoleSteps(stepsOf(true), onStep => up({ name: sandbox, onStep, signal }));
    Object.assign(process.env, sandboxEnv(sandbox));
    await work();
  } finally {
    await ended("ending what was started", () => down(sandbox));
  }
}

async function showReplay(options: Options, signal: AbortSignal): Promise<void> {
  const trace = options.trace === undefined ? await flights() : traceFromCsv(options.trace);
  const numbers = {
    secondsPerStep: positive("--seconds-per-step", options.secondsPerStep),
    peakCores: positive("--peak", options.peak),
  };
  await onSandbox(signal, async () => {
    await kubectl("apply", "-f", example.manifest);
    const api = new Api();
    const settings: Replay = { api, namespace: "default", selector: "", trace, from: firstRise(trace), ...numbers };
    settings.selector = await selectorOf(api, settings.namespace, example.name);
    const display = new Display(
      process.stdout,
      `${trace.name}, a step in ${options.secondsPerStep} s, at most ${options.peak} cores`,
      columns,
    );
    const startedAt = Date.now();
    const traceTime = (now: number): Date =>
      new Date(trace.startedAt + positionAt(settings, startedAt, now) * trace.stepMilliseconds);
    await Promise.all([
      replay(settings, signal, error => console.error(messageOf(error))),
      show(api, settings.namespace, display, traceTime, signal),
    ]);
  });
}

/** Shows another resource of this module as kubectl sees it, to be edited from a second terminal. */
async function showOther(kind: OtherExample, signal: AbortSignal): Promise<void> {
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
        new Display(process.stdout, `cluster ${context}`, columns),
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

const columns: Column[] = [
  { heading: "time", width: 10 },
  { heading: "trace", width: 11 },
  { heading: "load", width: 8 },
  { heading: "forecast", width: 10 },
  { heading: "wanted", width: 8 },
  { heading: "ready", width: 7 },
  { heading: "", width: 24 },
  { heading: "last event", width: 70 },
];

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
      const { load, forecast, wanted, ready, event } = await observe(api, namespace);
      const at = traceTime(now);
      const trace = `${at.toUTCString().slice(0, 3)} ${at.toISOString().slice(11, 16)}`;
      const counts = [String(wanted ?? "-"), String(ready), bar(ready, wanted ?? 0)];
      display.show([clock((now - startedAt) / 1000), trace, load, forecast, ...counts, event]);
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
