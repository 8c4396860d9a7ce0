import { spawn, execFileSync, type ChildProcess } from "node:child_process";
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { waitFor } from "./wait";

const markName = "MLSCALER_SANDBOX_PROCESS";
const markValue = "1";
const mark = `${markName}=${markValue}`;

/** The record of a process. `started` is its start time in the notation of the system, and "" when it is gone. */
const identitySchema = z.object({ pid: z.int().min(2), started: z.string() });

/** Identifies a process across restarts of the daemon. A pid alone is not enough, because the system reuses pids. */
export type ProcessIdentity = z.infer<typeof identitySchema>;

/** A started process. */
export interface RunningProcess {
  pid: number;
  /** Resolves when the process and its group have ended and its record is gone. Never rejects. */
  ended: Promise<Exit>;
  /** The end of the grace period of `stop`, in ms since the epoch. */
  graceUntil?: number;
}

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface StartOptions {
  name: string;
  command: string;
  args: string[];
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  /** File to which standard output and error are appended. */
  log: string;
  /** Folder with a record of each living process, for the cleanup after a crash. */
  records: string;
}

/**
 * Starts a process in a process group of its own and records it.
 * @throws when the program cannot be started
 */
export async function start(options: StartOptions): Promise<RunningProcess> {
  mkdirSync(options.records, { recursive: true });
  const log = openSync(options.log, "a", 0o600);
  let child: ChildProcess;
  try {
    child = spawn(options.command, options.args, {
      env: { ...(options.env ?? process.env), [markName]: markValue },
      cwd: options.cwd,
      detached: true,
      stdio: ["ignore", log, log],
    });
  } finally {
    closeSync(log);
  }
  const { pid } = child;
  const exited = new Promise<Exit>((resolve, reject) => {
    child.once("exit", (code, signal) => resolve({ code, signal }));
    child.once("error", reject);
  });
  if (pid === undefined) {
    await exited;
    throw new Error(`${options.command} did not start`);
  }
  const record = join(options.records, `${options.name}.json`);
  writeIdentity(record, { pid, started: startTime(pid) });
  const ended = exited.then(
    async exit => {
      // Pepr's controller.js ends at once and does not wait for the module, which has the rest of the grace period.
      const graceMs = (running.graceUntil ?? 0) - Date.now();
      if (graceMs > 0) await groupGone(pid, graceMs).catch(() => undefined);
      // The group may outlive its leader. No other code ends the remaining processes.
      signalGroup(pid, "SIGKILL");
      // On a busy machine even a killed process takes seconds to go.
      await groupGone(pid, Infinity);
      rmSync(record, { force: true });
      return exit;
    },
    () => ({ code: null, signal: null }),
  );
  const running: RunningProcess = { pid, ended };
  return running;
}

/** Sends `signal` to the process group, and SIGKILL after `graceMs`. Returns when the group has ended. */
export async function stop(
  running: RunningProcess,
  graceMs: number,
  signal: NodeJS.Signals = "SIGTERM",
): Promise<void> {
  running.graceUntil = Date.now() + graceMs;
  signalGroup(running.pid, signal);
  const timer = setTimeout(() => signalGroup(running.pid, "SIGKILL"), graceMs);
  await running.ended;
  clearTimeout(timer);
}

/** Ends the process groups that a dead daemon recorded in a folder. */
export async function sweep(records: string): Promise<void> {
  const files = existsSync(records) ? readdirSync(records).filter(file => file.endsWith(".json")) : [];
  for (const file of files) {
    const path = join(records, file);
    const identity = readIdentity(path);
    if (identity) await endGroup(identity);
    rmSync(path, { force: true });
  }
}

/** Ends what is left of a recorded process and its group. */
export async function endGroup(identity: ProcessIdentity): Promise<void> {
  // The leader may be dead while its children live. The id of a group stays reserved while it has a member. So when
  // another process has the pid of the leader, the group is not ours.
  const now = startTime(identity.pid);
  if (now !== "" && now !== identity.started) return;
  if (now === "" && !groupMembers(identity.pid).some(member => isOurs(member.pid))) return;
  if (signalGroup(identity.pid, "SIGKILL")) await groupGone(identity.pid, 60_000);
}

/** Whether a process has the mark that `start` sets in the environment. Always true outside Linux. */
function isOurs(pid: number): boolean {
  if (process.platform !== "linux") return true;
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").includes(mark);
  } catch {
    return false;
  }
}

/** True while the recorded process is running. */
export function alive(identity: ProcessIdentity): boolean {
  return identity.started !== "" && startTime(identity.pid) === identity.started;
}

/** The start time of a process, as text that is only good for comparison; "" for no process and for a zombie. */
export function startTime(pid: number): string {
  try {
    if (process.platform === "linux") {
      // The name in parentheses may contain any character. The state is field 3, the start time field 22.
      const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
        .replace(/^.*\) /s, "")
        .split(" ");
      if (fields[0] === "Z" || fields[0] === "X") return "";
      return `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()}/${fields[19] ?? ""}`;
    }
    const out = execFileSync("ps", ["-o", "stat=,lstart=", "-p", String(pid)], { encoding: "utf8" }).trim();
    return out.startsWith("Z") ? "" : out.replace(/^\S+\s+/, "");
  } catch {
    return "";
  }
}

/** Reads a record; undefined when it is missing or invalid. */
export function readIdentity(path: string): ProcessIdentity | undefined {
  try {
    return identitySchema.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    return undefined;
  }
}

/** Writes a record atomically. */
export function writeIdentity(path: string, identity: ProcessIdentity): void {
  writeFileSync(`${path}.new`, JSON.stringify(identity), { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/** Returns false when the group has no member left. */
function signalGroup(pgid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-pgid, signal);
    return true;
  } catch {
    return false;
  }
}

async function groupGone(pgid: number, timeoutMs: number): Promise<void> {
  // A zombie that its parent has not reaped keeps its group, but counts as ended.
  await waitFor(() => !signalGroup(pgid, 0) || (startTime(pgid) === "" && groupMembers(pgid).length === 0), {
    what: `end of process group ${pgid}`,
    timeoutMs,
    everyMs: 20,
  });
}

/** One process of a group and its resident memory in bytes. */
export interface GroupMember {
  pid: number;
  residentBytes: number;
}

/** The living processes of a group. Empty where `ps` is missing. */
export function groupMembers(pgid: number): GroupMember[] {
  let table = "";
  try {
    table = execFileSync("ps", ["-A", "-o", "pid=,pgid=,rss=,stat="], { encoding: "utf8" });
  } catch {
    return [];
  }
  return table.split("\n").flatMap(line => {
    const [pid, group, rss, stat = "Z"] = line.trim().split(/\s+/);
    if (Number(group) !== pgid || stat.startsWith("Z")) return [];
    return { pid: Number(pid), residentBytes: Number(rss) * 1024 };
  });
}
