import { execFile, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { text } from "node:stream/consumers";
import { join } from "node:path";
import { promisify } from "node:util";
import { keptSlots } from "../../capabilities/mlscaler/history/retention";
import type { Trace } from "./trace";
import { messageOf } from "../../sandbox/wait";
import { accuracyOf, forecastAll, historyOf, quantileStep, type Accuracy, type Forecasts } from "./forecast-accuracy";
import { ownTraces, tracesIn } from "./forecast-traces";

/** The forecasters of main.py, and what each is. */
const peerForecasters = {
  prophet: "Prophet, refitted daily",
  lightgbm: "LightGBM, refitted daily",
  "holt-winters": "Holt-Winters of PHPA's example",
  "holt-winters-calm": "the same, slower parameters",
} as const;
export type PeerForecaster = keyof typeof peerForecasters;
export const peerForecasterNames = Object.keys(peerForecasters) as PeerForecaster[];

export interface PeersForecastSettings {
  /** A folder of traces; absent for those of the project. */
  traces?: string;
  only?: PeerForecaster;
}

/** The accuracy of one forecaster on each trace, by the name of the trace, and the time it took. */
export interface Contender {
  name: string;
  accuracies: Map<string, Accuracy>;
  seconds: number;
  /** Why there is none. */
  skipped?: string;
}

const folder = join(__dirname, "peers", "forecasters");

/** Forecasts every trace by the engine, by the last value, and by the peers in Python where there is Python. */
export async function measurePeersForecast(
  { traces: from, only }: PeersForecastSettings,
  say: (text: string) => void,
  signal: AbortSignal,
): Promise<Contender[]> {
  const traces = from ? tracesIn(from) : await ownTraces();
  const own = (name: string, model: "auto" | "last"): Promise<Contender> =>
    contend(name, traces, trace => Promise.resolve(forecastAll(trace, model)), say);
  const contenders = [await own("MLScaler", "auto"), await own("last value", "last")];
  const python = await environment(say, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    return { skipped: messageOf(error) };
  });
  for (const peer of only ? [only] : peerForecasterNames) {
    const name = peerForecasters[peer];
    contenders.push(
      typeof python === "string"
        ? await contend(name, traces, trace => forecastBy(python, peer, trace, signal), say)
        : { name, accuracies: new Map(), seconds: 0, ...python },
    );
  }
  return contenders;
}

/** Forecasts all traces. A failure on one of them ends the contender. */
async function contend(
  name: string,
  traces: Trace[],
  forecast: (trace: Trace) => Promise<Forecasts>,
  say: (text: string) => void,
): Promise<Contender> {
  const contender: Contender = { name, accuracies: new Map(), seconds: 0 };
  for (const trace of traces) {
    say(`${name}: ${trace.name}`);
    const started = performance.now();
    contender.accuracies.set(trace.name, accuracyOf(await forecast(trace)));
    contender.seconds += (performance.now() - started) / 1000;
  }
  return contender;
}

/** The forecasts of a peer, for the one step ahead at which quantiles are judged. */
async function forecastBy(python: string, peer: PeerForecaster, trace: Trace, signal: AbortSignal): Promise<Forecasts> {
  const { values, startedAt, stepMilliseconds } = trace;
  const from = historyOf(trace);
  const child = spawn(python, [join(folder, "main.py")], { signal, stdio: ["pipe", "pipe", "pipe"] });
  const ended = new Promise<number | null>((resolve, reject) => child.on("error", reject).on("close", resolve));
  // A child that ends early has its say in its exit code.
  child.stdin.on("error", () => undefined);
  child.stdin.end(
    JSON.stringify({
      ...{ peer, values, from, steps: quantileStep, kept: keptSlots },
      ...{ stepSeconds: stepMilliseconds / 1000, startedAt: startedAt / 1000 },
    }),
  );
  const [output, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (code !== 0)
    throw new Error(`${peer} failed on ${trace.name}:\n${errors.trim().split("\n").slice(-15).join("\n")}`);
  const { loads, uppers } = JSON.parse(output) as { loads: number[]; uppers: number[] };
  const atStep = (forecasts: number[]): number[][] =>
    forecasts.map(forecast => Array.from({ length: quantileStep }, () => forecast));
  return { trace, from, loads: atStep(loads), uppers: { 0.9: atStep(uppers), 0.95: [] }, ofModels: [] };
}

/**
 * The Python of a virtual environment with the pinned packages. Makes it unless an earlier run has.
 * @throws an error when there is no Python, or no pip, or when a package cannot be installed
 */
async function environment(say: (text: string) => void, signal: AbortSignal): Promise<string> {
  const pinned = join(folder, "requirements.txt");
  const digest = createHash("sha256").update(readFileSync(pinned)).digest("hex").slice(0, 16);
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "mlscaler", "bench");
  const home = join(cache, `forecasters-${process.platform}-${process.arch}-${digest}`);
  const python = join(home, "bin", "python3");
  // The last file that is written, so that an existing one is complete. An environment cannot be renamed.
  const complete = join(home, "complete");
  if (existsSync(complete)) return python;
  const run = promisify(execFile);
  await run("python3", ["-c", "import venv, ensurepip"], { signal }).catch(() => {
    signal.throwIfAborted();
    throw new Error("python3 with venv and pip is not installed");
  });
  say("installing the packages of the peers, some minutes the first time");
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home, { recursive: true });
  await run("python3", ["-m", "venv", home], { signal });
  await run(python, ["-m", "pip", "install", "--quiet", "--requirement", pinned], { signal, maxBuffer: 64 << 20 });
  writeFileSync(complete, "");
  return python;
}
