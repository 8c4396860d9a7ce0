import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { parse } from "yaml";
import { z } from "zod";
import { deploy, status } from "../../sandbox/api";
import { lastLines } from "../../sandbox/logs";
import { sandboxPaths } from "../../sandbox/paths";
import { endGroup, groupMembers, start } from "../../sandbox/processes";
import { buildPeer, peers, releaseOf, type Peer } from "./peers";

/** The sandbox of the benchmarks. It is separate from the sandboxes of a user. */
export const sandbox = "bench";

/** A running contender. */
export interface Running {
  /** Its pid. Throws when it has ended. */
  check: () => void;
  pids: () => Promise<number[]>;
  /** The end of its log, for error messages. */
  log: () => Promise<string>;
  stop: () => Promise<void>;
}

/** A program that the benchmark can measure. */
export interface Contender {
  name: string;
  /** Its description, for the header of a column. */
  title: string;
  /** Builds its programs. @throws ToolMissing when this machine lacks the tool */
  prepare: (tell: (text: string) => void, signal: AbortSignal) => Promise<void>;
  start: (signal: AbortSignal) => Promise<Running>;
}

/** The name of this module. */
export const ours = "mlscaler";

/** All contenders in the order of measurement. This module comes last, because it stays in the sandbox. */
export const contenders: Contender[] = [...peers.map(asContender), theModule()];

const logLines = 15;

/** A peer as a contender. */
export function asContender(peer: Peer): Contender {
  let program = "";
  return {
    name: peer.name,
    title: `${peer.name}\n${releaseOf(peer)}`,
    prepare: async (tell, signal) => void (program = await buildPeer(peer, tell, signal)),
    start: () => startPeer(peer.name, program),
  };
}

/** Starts a program with a kubeconfig of the sandbox. */
export async function startPeer(
  name: string,
  program: string,
  args: string[] = [],
  env: Record<string, string> = {},
): Promise<Running> {
  const { logs, processes } = sandboxPaths(sandbox);
  const log = join(logs, `${name}.log`);
  // Recorded like the sandbox's processes, so that `down` ends it even after a crash of this process.
  const running = await start({
    command: program,
    args,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, KUBECONFIG: await peerKubeconfig(), ...env },
    log,
    record: join(processes, `peer-${name}.json`),
  });
  let ended = false;
  void running.ended.then(() => (ended = true));
  return {
    check: () => {
      if (ended) throw new Error(`${name} has ended`);
    },
    pids: () => Promise.resolve(groupMembers(running.identity.pid).map(({ pid }) => pid)),
    log: () => Promise.resolve(lastLines(log, logLines)),
    stop: () => endGroup(running.identity, 5_000),
  };
}

function theModule(): Contender {
  const watcher = async () => {
    const { pods = [] } = await status(sandbox);
    const [one, ...others] = pods.filter(
      pod => pod.namespace === "pepr-system" && pod.name.includes("watcher") && pod.phase !== "Terminating",
    );
    if (!one || others.length > 0) throw new Error(`expected one watcher, found ${others.length + (one ? 1 : 0)}`);
    return one;
  };
  return {
    name: ours,
    title: "this module",
    prepare: () => Promise.resolve(),
    start: async signal => {
      await deployModule(signal);
      return {
        // Its Deployment restarts it.
        check: () => undefined,
        pids: async () => (await watcher()).processes.map(({ pid }) => pid),
        log: async () => lastLines((await watcher()).log, logLines),
        // It ends with the sandbox.
        stop: () => Promise.resolve(),
      };
    },
  };
}

/** Deploys the module into the sandbox. Throws when that fails, and on `signal`. */
export const deployModule = (signal: AbortSignal): Promise<void> => deploy(sandbox, undefined, signal);

const kubeconfigSchema = z.looseObject({ users: z.array(z.looseObject({ name: z.string() })) });

/** Runs kubectl against the sandbox. Throws with its standard error. */
export async function kubectl(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)("kubectl", args, { maxBuffer: 64 << 20 });
  return stdout;
}

/**
 * A kubeconfig of a ServiceAccount. The API server never queues requests of system:masters, as in the sandbox's own
 * kubeconfig, but it does queue those of a pod, such as the module's.
 */
async function peerKubeconfig(): Promise<string> {
  const { root, kubeconfig } = sandboxPaths(sandbox);
  const path = join(root, "peer.kubeconfig");
  const token = (await kubectl("create", "token", "peer", "--namespace", "default", "--duration=12h")).trim();
  const parsed = kubeconfigSchema.parse(parse(readFileSync(kubeconfig, "utf8")));
  const users = parsed.users.map(({ name }) => ({ name, user: { token } }));
  // JSON is valid YAML, and programs without a YAML parser can read it.
  writeFileSync(path, JSON.stringify({ ...parsed, users }), { mode: 0o600 });
  return path;
}

/** Creates the ServiceAccount of the peers. */
export async function createPeerAccount(): Promise<void> {
  await kubectl("create", "serviceaccount", "peer", "--namespace", "default");
  await kubectl("create", "clusterrolebinding", "peer", "--clusterrole=cluster-admin", "--serviceaccount=default:peer");
}
