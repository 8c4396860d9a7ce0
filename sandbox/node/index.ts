// Runs a command in the namespaces of a real node: `tsx sandbox/node/index.ts COMMAND…`. The command starts the node by
// `startNode`. Only the command sees the network, the mounts and the processes of the node. They end with the command.
import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { localEnvironment } from "../controlplane";
import { findBinaries } from "../binaries";
import { findHelm, findNodePrograms } from "../build";
import { withLock } from "../lock";
import { endGroup, readIdentity, startTime, writeIdentity } from "../processes";
import { messageOf } from "../wait";
import { makeControlGroup, removeControlGroup } from "./control-groups";
import { missingPackages } from "./packages";
import { nodePaths } from "./paths";

const paths = nodePaths();

/** Of the process that holds the namespaces. Beside the folder of the node, which comes and goes. */
const record = `${paths.root}.json`;

async function run(command: string[]): Promise<number> {
  if (process.platform !== "linux" || process.getuid?.() !== 0) {
    console.error("A real node needs Linux and root: use sudo --preserve-env=PATH,HOME.");
    return 1;
  }
  const missing = missingPackages();
  if (missing.length > 0) {
    console.error(`apt-get update && apt-get install --yes --no-install-recommends ${missing.join(" ")}`);
    return 1;
  }
  return withLock(
    `${paths.root}.lock`,
    () => runOnNode(command),
    pid => console.log(`process ${pid} runs the node, waiting for it`),
  );
}

async function runOnNode(command: string[]): Promise<number> {
  // There is no network to download anything in the namespaces.
  await findBinaries(console.log);
  await findNodePrograms(console.log);
  await findHelm(console.log);
  await removeLeftovers();
  mkdirSync(paths.root, { recursive: true, mode: 0o700 });
  makeControlGroup();
  const code = await inNamespaces(command);
  await removeLeftovers(code !== 0);
  if (code !== 0) console.error(`The logs are in ${paths.logs} until the next run.`);
  return code;
}

/** Runs a command with namespaces of its own for network, mounts, processes and host name. Returns its exit code. */
async function inNamespaces([program = "", ...args]: string[]): Promise<number> {
  // The shell is process 1 of the namespace: when it ends, so does every process there.
  const shell = ["sh", "-c", '"$@"; exit $?', "sh", program, ...args];
  const child = spawn(
    "unshare",
    ["--net", "--mount", "--pid", "--uts", "--ipc", "--fork", "--kill-child", "--mount-proc", ...shell],
    { stdio: "inherit", env: { ...localEnvironment(), MLSCALER_NODE: "1" }, detached: true },
  );
  if (child.pid !== undefined) writeIdentity(record, { pid: child.pid, started: startTime(child.pid) });
  const end = (): void => void child.kill("SIGKILL");
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  for (const signal of signals) process.on(signal, end);
  try {
    return await new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", code => resolve(code ?? 1));
    });
  } finally {
    for (const signal of signals) process.off(signal, end);
  }
}

/** Ends the processes of a run and removes its files, without `keepLogs` also the logs. */
async function removeLeftovers(keepLogs = false): Promise<void> {
  const holder = readIdentity(record);
  if (holder) await endGroup(holder);
  rmSync(record, { force: true });
  await removeControlGroup();
  if (!keepLogs) rmSync(paths.root, { recursive: true, force: true });
  else
    for (const name of readdirSync(paths.root)) {
      if (name !== basename(paths.logs)) rmSync(join(paths.root, name), { recursive: true, force: true });
    }
}

run(process.argv.slice(2)).then(
  code => (process.exitCode = code),
  (error: unknown) => {
    console.error(messageOf(error));
    process.exitCode = 1;
  },
);
