import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { down, sandboxEnv, status, up, type PodReport } from "../../sandbox/api";
import { consoleSteps } from "../../sandbox/console";
import { projectRoot } from "../../sandbox/paths";
import { stepsOf } from "../../sandbox/steps";
import { messageOf, waitFor } from "../../sandbox/wait";
import { usageOf } from "../usage";
import { asContender, createPeerAccount, deployModule, kubectl, ours, sandbox, startPeer } from "./contenders";
import type { Contender } from "./contenders";
import type { FootprintFigures } from "./footprint-figures";
import { peers, ToolMissing } from "./peers";
import type { Outcome } from "./report";

/** Options of the command line. */
export interface FootprintSettings {
  seconds: number;
}

const namespace = "pepr-system";

/** A minimal Node program, for comparison with the peers in other languages. */
const contenders: Contender[] = [
  {
    name: "node:https",
    title: `node:https\n${process.version}`,
    prepare: () => Promise.resolve(),
    start: () => startPeer("node-https", process.execPath, [join(__dirname, "peers/node-https/main.mjs")]),
  },
  ...peers.map(asContender),
];

/**
 * Brings a sandbox up, measures all idle contenders, and takes it down, also on an error and on
 * `signal`. Measures the module as `pepr deploy` deploys it, and then in our own image.
 * @throws when the benchmark itself fails; the result contains contenders that fail
 */
export async function measureFootprint(
  { seconds }: FootprintSettings,
  say: (text: string) => void,
  signal: AbortSignal,
): Promise<Outcome<FootprintFigures>[]> {
  if (!existsSync("/proc/self/smaps_rollup"))
    throw new Error("this benchmark reads /proc/PID/smaps_rollup: it needs Linux");
  try {
    // Removes the leftovers of an interrupted run.
    await down(sandbox);
    await consoleSteps(stepsOf(false), onStep => up({ name: sandbox, withModule: false, onStep, signal }));
    Object.assign(process.env, sandboxEnv(sandbox));
    await kubectl("apply", "-R", "-f", join(projectRoot, "dist/install"));
    await kubectl("wait", "--for=condition=Established", "crd/echoes.my-operator.dev", "--timeout=60s");
    await createPeerAccount();
    say(`idle for ${seconds} s: ${contenders.map(({ name }) => name).join(", ")}`);
    // Idle contenders do not disturb each other, so they run at the same time.
    const others = await Promise.all(
      contenders.map(({ name, title, prepare, start }) =>
        measured(
          name,
          title,
          async () => {
            await prepare(text => say(`${name}: ${text}`), signal);
            const running = await start(signal);
            try {
              return await idle(async () => ({ launcher: [], others: await running.pids() }), seconds, signal);
            } finally {
              await running.stop();
            }
          },
          signal,
        ),
      ),
    );
    return [...others, ...(await measureModule(seconds, say, signal))];
  } finally {
    await down(sandbox);
  }
}

/** The two kinds of pods of the module, in Pepr's image and in ours. */
async function measureModule(
  seconds: number,
  say: (text: string) => void,
  signal: AbortSignal,
): Promise<Outcome<FootprintFigures>[]> {
  const outcomes: Outcome<FootprintFigures>[] = [];
  const add = async (admission: string, watcher: string, title: string): Promise<void> =>
    void outcomes.push(
      ...(await Promise.all([
        measured(admission, `${title},\nadmission`, () => pod("admission", seconds, signal), signal),
        measured(watcher, `${title},\nwatcher`, () => pod("watcher", seconds, signal), signal),
      ])),
    );
  try {
    say("the module in Pepr's image");
    await deployModule(signal);
    await useImage("pepr/controller");
    await add("Pepr's image, admission", "Pepr's image", "Pepr's image");
    say("the module in our image");
    await useImage("mlscaler:bench");
    await add("our image, admission", ours, "our image");
  } catch (error) {
    signal.throwIfAborted();
    outcomes.push({ name: ours, title: "our image", result: { state: "failed", why: messageOf(error) } });
  }
  return outcomes;
}

/** The sandbox runs our own image where its name is mlscaler, else Pepr's. */
async function useImage(image: string): Promise<void> {
  const containers = { "pepr-mlscaler-watcher": "watcher", "pepr-mlscaler": "server" };
  for (const [name, container] of Object.entries(containers)) {
    await kubectl("set", "image", `deployment/${name}`, "-n", namespace, `${container}=${image}`);
    await kubectl("rollout", "status", `deployment/${name}`, "-n", namespace, "--timeout=120s");
  }
}

async function measured(
  name: string,
  title: string,
  measure: () => Promise<FootprintFigures>,
  signal: AbortSignal,
): Promise<Outcome<FootprintFigures>> {
  try {
    return { name, title, result: { state: "measured", figures: await measure() } };
  } catch (error) {
    signal.throwIfAborted();
    const state = error instanceof ToolMissing ? "not measured" : "failed";
    return { name, title, result: { state, why: messageOf(error) } };
  }
}

/** The usage of one pod of the module. */
async function pod(role: "watcher" | "admission", seconds: number, signal: AbortSignal): Promise<FootprintFigures> {
  const ready = (): Promise<PodReport | undefined> =>
    status(sandbox).then(({ pods = [] }) =>
      pods.find(
        one => one.ready && one.phase !== "Terminating" && one.name.includes("watcher") === (role === "watcher"),
      ),
    );
  await waitFor(ready, { what: `a pod of the ${role}`, timeoutMs: 60_000, signal });
  return idle(
    async () => {
      const { processes = [], pid } = (await ready()) ?? {};
      const pids = processes.map(process => process.pid);
      // The launcher leads the process group. In our image, the leader is the module.
      return pids.length > 1
        ? { launcher: pids.filter(one => one === pid), others: pids.filter(one => one !== pid) }
        : { launcher: [], others: pids };
    },
    seconds,
    signal,
  );
}

/** Waits for the duration of a measurement, so that the effects of the start settle, then measures. */
async function idle(
  processes: () => Promise<{ launcher: number[]; others: number[] }>,
  seconds: number,
  signal: AbortSignal,
): Promise<FootprintFigures> {
  await delay(seconds * 1000, undefined, { signal });
  const { launcher, others } = await processes();
  const usage = (): ReturnType<typeof usageOf> => usageOf([...launcher, ...others]);
  const [before, since] = [usage(), performance.now()];
  await delay(seconds * 1000, undefined, { signal });
  const [after, took] = [usage(), (performance.now() - since) / 1000];
  return {
    ...after,
    launcherBytes: launcher.length > 0 ? usageOf(launcher).residentBytes : 0,
    cpuPercent: (100 * (after.cpuSeconds - before.cpuSeconds)) / took,
  };
}
