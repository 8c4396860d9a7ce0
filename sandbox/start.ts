import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { Option, program } from "commander";
import logUpdate from "log-update";
import pc from "picocolors";
import { Api } from "../capabilities/kubernetes/api";
import { down, sandboxEnv, up } from "./api";
import { consoleSteps } from "./console";
import { bar, Display, type Column } from "./display";
import { example, kubectl, look, manifestOf, observe, otherExamples, type OtherExample } from "./example";
import { Foresight } from "./foresight";
import { projectRoot } from "./paths";
import { races, type Race } from "./races";
import { positionAt, replay, selectorOf, type Replay } from "./replay";
import { stepsBut, stepsOf, takeStep } from "./steps";
import { flights, traceFromCsv, type Trace } from "./trace";
import { messageOf, repeat } from "./wait";

interface Options {
  keep?: boolean;
  trace?: string;
  context?: string;
  example?: keyof typeof races | "short-form" | OtherExample;
  peak: string;
  secondsPerStep: string;
}

/** The sandbox of `npm start`. It is separate from those of `npm run sandbox`. */
const sandbox = "start";

/** How to go on after the story. */
const goOn =
  "To try more: npm start -- --keep keeps the cluster until Ctrl-C, npm run sandbox -- up gives you one of your own,\n" +
  "and docs/getting-started/kind-or-minikube.md installs the module on a cluster.";

/** The namespace of the example on an existing cluster. It is deleted at the end. */
const ownNamespace = "mlscaler-example";

program
  .name("npm start --")
  .description("Shows how MLScaler scales a Deployment before its load rises, on a control plane on this machine.")
  .addOption(
    new Option(
      "--example <kind>",
      "what to show: an MLScaler with two weeks of history in Prometheus beside an HPA (forecast), " +
        "the same from 0 replicas (zero), a line through the last samples of a recorded load (short-form), " +
        "or another resource",
    ).choices([...Object.keys(races), "short-form", ...otherExamples]),
  )
  .option("--keep", "go on after the end of the story, until Ctrl-C")
  .option("--trace <file>", "short-form: replay your own load, a CSV of time,value (default: US flight departures)")
  .option("--peak <cores>", "short-form: cores at the maximum of the trace", "1.5")
  .option("--seconds-per-step <seconds>", "short-form: real seconds per step of the trace", "10")
  .option(
    "--context <name>",
    "short-form: use a cluster of your kubeconfig; docs/getting-started/this-machine.md lists what it changes there",
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
    throw new Error(`--example ${kind}: --context and --trace work only with short-form`);
  if (context !== undefined) await onCluster(context, signal);
  else if (kind === "short-form") await showReplay(options, signal);
  else if (kind === "forecast" || kind === "zero") await showRace(races[kind], signal, options.keep ?? false);
  else await onSandbox(signal, () => showOther(kind, signal));
}

/**
 * Brings up a sandbox, runs `work` on it and takes it down.
 * @param preload runs before `work`
 */
async function onSandbox(signal: AbortSignal, work: () => Promise<void>, preload?: () => Promise<void>): Promise<void> {
  try {
    await consoleSteps(preload ? stepsBut() : stepsOf(true), async onStep => {
      await up({ name: sandbox, onStep, signal });
      Object.assign(process.env, sandboxEnv(sandbox));
      if (preload) await takeStep("history", onStep, preload);
    });
    await work();
  } finally {
    await ended("ending the sandbox", () => down(sandbox));
  }
}

async function showRace(race: Race, signal: AbortSignal, keep: boolean): Promise<void> {
  // Created when the module is up, because it sets the time of the rise relative to now.
  let foresight: Foresight | undefined;
  try {
    await onSandbox(
      signal,
      async () => {
        const end = await foresight?.show(signal, keep);
        if (end !== undefined) console.log(`\n${end}\n${goOn}`);
      },
      async () => void (foresight = await Foresight.preload(sandbox, race)),
    );
  } finally {
    foresight?.stop();
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
    const title = `${trace.name}, ${options.secondsPerStep} s per step, at most ${options.peak} cores`;
    const startedAt = Date.now();
    const traceTime = (now: number): Date =>
      new Date(trace.startedAt + positionAt(settings, startedAt, now) * trace.stepMilliseconds);
    await Promise.all([replay(settings, signal), show(api, settings.namespace, title, traceTime, signal)]);
  });
}

/** Shows another resource of the module with the output of kubectl. The user edits it in a second terminal. */
async function showOther(kind: OtherExample, signal: AbortSignal): Promise<void> {
  await kubectl("apply", "-f", manifestOf(kind));
  const hint =
    `in another terminal: eval "$(npm run --silent sandbox -- env --name ${sandbox})", ` +
    `then kubectl edit -f ${manifestOf(kind)}`;
  let before = "";
  await repeat(2000, signal, async () => {
    const now = await look(kind).catch(messageOf);
    if (process.stdout.isTTY) logUpdate(`${now}\n${pc.dim(`${hint}\nCtrl-C ends everything`)}`);
    else if (now !== before) console.log(now);
    before = now;
  });
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
    // Pepr exits with code 0 even on a failure.
    if (!deploy.stdout.includes("Module deployed successfully"))
      throw new Error(`pepr deploy failed:\n${deploy.stdout.slice(-2000)}${deploy.stderr.slice(-2000)}`);
    try {
      // The namespace of an earlier run is reused.
      await kubectl("create", "namespace", ownNamespace).catch((error: unknown) => {
        if (!messageOf(error).includes("AlreadyExists")) throw error;
      });
      await kubectl("apply", "--namespace", ownNamespace, "-f", example.manifest);
      await show(new Api(), ownNamespace, `cluster ${context}`, now => new Date(now), signal);
    } finally {
      await ended(`deleting namespace ${ownNamespace}`, () => kubectl("delete", "namespace", ownNamespace));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const columns: Column[] = [
  { heading: "trace", width: 11 },
  { heading: "load", width: 8 },
  { heading: "forecast", width: 10 },
  { heading: "wanted", width: 8 },
  { heading: "ready", width: 7 },
  { heading: "", width: 24 },
  { heading: "last event", width: 70 },
];

/** Shows a row for each sync of the MLScaler until `signal` aborts. */
async function show(
  api: Api,
  namespace: string,
  title: string,
  traceTime: (now: number) => Date,
  signal: AbortSignal,
): Promise<void> {
  await new Display(title, columns).run(example.syncSeconds * 1000, signal, async now => {
    const { load, forecast, wanted, ready, event } = await observe(api, namespace);
    const at = traceTime(now);
    const trace = `${at.toUTCString().slice(0, 3)} ${at.toISOString().slice(11, 16)}`;
    const counts = [String(wanted ?? "-"), String(ready), bar(ready, wanted ?? 0)];
    return { cells: [trace, load, forecast, ...counts, event] };
  });
}

/** A position shortly before the first rise of the load, so that the load rises soon after the start. */
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

/** Runs `work` and reports its start and end on the console. */
async function ended(what: string, work: () => Promise<unknown>): Promise<void> {
  process.stdout.write(`\n${what} … `);
  await work();
  process.stdout.write("done\n");
}
