import { execFile } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { parse } from "yaml";
import { z } from "zod";
import { deploy, status } from "../../sandbox/api";
import { lastLines } from "../../sandbox/logs";
import { sandboxPaths } from "../../sandbox/paths";
import { groupMembers, start, stop, type RunningProcess } from "../../sandbox/processes";
import { buildPeer, peers, releaseOf, type Peer } from "./peers";

/** The sandbox of the benchmark: its own, beside any that a user has up. */
export const sandbox = "bench";

/** One that is measured while it runs. */
export interface Running {
  /** @throws when it has ended for good */
  check: () => void;
  pids: () => Promise<number[]>;
  /** The end of its log, to say why it did not do what was asked. */
  log: () => Promise<string>;
  stop: () => Promise<void>;
}

/** One that can be measured. */
export interface Contender {
  name: string;
  /** What it is, for the head of a column. */
  title: string;
  /** Builds what it needs. @throws ToolMissing when that cannot be done on this machine */
  prepare: (tell: (text: string) => void, signal: AbortSignal) => Promise<void>;
  start: (signal: AbortSignal) => Promise<Running>;
}

/** The name of our own. */
export const ours = "mlscaler";

/** All of them, in the order in which they are measured: ours last, because the module stays in the sandbox. */
export const contenders: Contender[] = [...peers.map(asContender), theModule()];

const logLines = 15;

/** A peer as one that can be measured. */
export function asContender(peer: Peer): Contender {
  let program = "";
  return {
    name: peer.name,
    title: `${peer.name}\n${releaseOf(peer)}`,
    prepare: async (tell, signal) => void (program = await buildPeer(peer, tell, signal)),
    start: () => startPeer(peer.name, program),
  };
}

/** Starts a program that knows the sandbox by its kubeconfig. */
export async function startPeer(name: string, program: string, args: string[] = []): Promise<Running> {
  const { logs, processes } = sandboxPaths(sandbox);
  const log = join(logs, `${name}.log`);
  // Recorded as the sandbox's own processes are, in a group of its own: `down` ends it even after a crash of this one.
  const running: RunningProcess = await start({
    name: `peer-${name}`,
    command: program,
    args,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, KUBECONFIG: await peerKubeconfig() },
    log,
    records: processes,
  });
  let ended = false;
  void running.ended.then(() => (ended = true));
  return {
    check: () => {
      if (ended) throw new Error(`${name} has ended`);
    },
    pids: () => Promise.resolve(groupMembers(running.pid).map(({ pid }) => pid)),
    log: () => Promise.resolve(lastLines(log, logLines)),
    stop: () => stop(running, 5_000),
  };
}

function theModule(): Contender {
  const watcher = async () => {
    const { pods = [] } = await status(sandbox);
    const [one, ...others] = pods.filter(
      pod => pod.namespace === "pepr-system" && pod.name.includes("watcher") && pod.phase !== "Terminating",
    );
    if (!one || others.length > 0)
      throw new Error(`there is not exactly one watcher, there are ${others.length + (one ? 1 : 0)}`);
    return one;
  };
  return {
    name: ours,
    title: "this module",
    prepare: () => Promise.resolve(),
    start: async signal => {
      await deployModule(signal);
      return {
        // Its Deployment starts it again.
        check: () => undefined,
        pids: async () => (await watcher()).processes.map(({ pid }) => pid),
        log: async () => lastLines((await watcher()).log, logLines),
        // It goes with the sandbox.
        stop: () => Promise.resolve(),
      };
    },
  };
}

/** Deploys the module into the sandbox. @throws when that fails, and at once on `signal` */
export async function deployModule(signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  // It cannot be interrupted by itself; the sandbox's end, which follows, ends it.
  const interrupted = once(signal, "abort").then(() => signal.throwIfAborted());
  await Promise.race([deploy(sandbox), interrupted]);
}

const kubeconfigSchema = z.looseObject({ users: z.array(z.looseObject({ name: z.string() })) });

/** Runs kubectl against the sandbox. @throws with what it wrote to standard error */
export async function kubectl(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)("kubectl", args, { maxBuffer: 64 << 20 });
  return stdout;
}

/**
 * A ServiceAccount's kubeconfig: the sandbox's own is a system:masters one, whose requests the API server never queues,
 * while those of a pod, such as the module's, it does.
 */
async function peerKubeconfig(): Promise<string> {
  const { root, kubeconfig } = sandboxPaths(sandbox);
  const path = join(root, "peer.kubeconfig");
  const token = (await kubectl("create", "token", "peer", "--namespace", "default", "--duration=12h")).trim();
  const parsed = kubeconfigSchema.parse(parse(readFileSync(kubeconfig, "utf8")));
  const users = parsed.users.map(({ name }) => ({ name, user: { token } }));
  // JSON is YAML, and can be read by who has no parser for YAML.
  writeFileSync(path, JSON.stringify({ ...parsed, users }), { mode: 0o600 });
  return path;
}

/** Makes the ServiceAccount that the peers speak for. */
export async function createPeerAccount(): Promise<void> {
  await kubectl("create", "serviceaccount", "peer", "--namespace", "default");
  await kubectl("create", "clusterrolebinding", "peer", "--clusterrole=cluster-admin", "--serviceaccount=default:peer");
}
