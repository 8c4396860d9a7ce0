import { spawn, execFileSync, type ChildProcess } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync, readdirSync, rmSync, writeFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { waitFor } from "./wait";

const markName = "MLSCALER_SANDBOX_PROCESS";
const markValue = "1";
const mark = `${markName}=${markValue}`;

/** A process as it is known across restarts of the daemon: a pid alone may have been given to someone else since. */
export interface ProcessIdentity {
  pid: number;
  /** When it started, in the system's own notation; "" when it is gone. */
  started: string;
}

/** What a started process looks like to its owner. */
export interface RunningProcess {
  name: string;
  pid: number;
  /** Settles when the process has ended and its record is gone. Never rejects. */
  ended: Promise<Exit>;
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
  /** File that standard output and error are appended to. */
  log: string;
  /** Folder that keeps one record per living process, for whoever has to clean up after a crash. */
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
      // The group may outlive its leader; whoever is left belongs to nobody.
      signalGroup(pid, "SIGKILL");
      await groupGone(pid);
      rmSync(record, { force: true });
      return exit;
    },
    () => ({ code: null, signal: null }),
  );
  return { name: options.name, pid, ended };
}

/** Asks the whole group to end, and ends it after `graceMs`. */
export async function stop(
  running: RunningProcess,
  graceMs: number,
  signal: NodeJS.Signals = "SIGTERM",
): Promise<void> {
  signalGroup(running.pid, signal);
  const timer = setTimeout(() => signalGroup(running.pid, "SIGKILL"), graceMs);
  await running.ended;
  clearTimeout(timer);
}

/** Ends every process group recorded in a folder by a daemon that is no more, if it still is the recorded one. */
export async function sweep(records: string): Promise<string[]> {
  const swept: string[] = [];
  for (const file of listRecords(records)) {
    const path = join(records, file);
    const identity = readIdentity(path);
    if (identity && (await endGroup(identity))) swept.push(file.replace(/\.json$/, ""));
    rmSync(path, { force: true });
  }
  return swept;
}

/** Ends a recorded process with its group. Returns false when nothing of it was left. */
export async function endGroup(identity: ProcessIdentity, graceMs = 0): Promise<boolean> {
  // The leader may be dead while its children live: the group's id stays taken as long as one of them does,
  // so a group whose leader's pid now is someone else's process cannot be ours.
  const now = startTime(identity.pid);
  if (now !== "" && now !== identity.started) return false;
  if (now === "" && !groupMembers(identity.pid).some(member => isOurs(member.pid))) return false;
  if (!signalGroup(identity.pid, graceMs > 0 ? "SIGTERM" : "SIGKILL")) return false;
  await groupGone(identity.pid, graceMs).catch(() => signalGroup(identity.pid, "SIGKILL"));
  await groupGone(identity.pid);
  return true;
}

/** Whether a process carries the mark that `start` puts into the environment. Cannot be seen outside Linux: then it is believed. */
function isOurs(pid: number): boolean {
  if (process.platform !== "linux") return true;
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0").includes(mark);
  } catch {
    return false;
  }
}

/** True while the very process that was recorded lives. */
export function alive(identity: ProcessIdentity): boolean {
  return identity.started !== "" && startTime(identity.pid) === identity.started;
}

/** When a process started, as text to compare with; "" when there is none (or only its zombie). */
export function startTime(pid: number): string {
  try {
    if (process.platform === "linux") {
      // The name in parentheses may hold anything; state is field 3, start time field 22.
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

/** Reads a record; undefined when it is missing or broken. */
export function readIdentity(path: string): ProcessIdentity | undefined {
  try {
    const parsed: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (typeof parsed !== "object" || parsed === null || !("pid" in parsed) || !("started" in parsed)) return undefined;
    const { pid, started } = parsed;
    return Number.isInteger(pid) && Number(pid) > 1 && typeof started === "string"
      ? { pid: Number(pid), started }
      : undefined;
  } catch {
    return undefined;
  }
}

/** Writes a record so that a reader sees all of it or none. */
export function writeIdentity(path: string, identity: ProcessIdentity): void {
  writeFileSync(`${path}.new`, JSON.stringify(identity), { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

function listRecords(records: string): string[] {
  try {
    return readdirSync(records).filter(file => file.endsWith(".json"));
  } catch {
    return [];
  }
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

async function groupGone(pgid: number, timeoutMs = 5000): Promise<void> {
  // A zombie keeps its group: after SIGKILL one that its parent has not yet reaped is as good as gone.
  await waitFor(() => !signalGroup(pgid, 0) || (startTime(pgid) === "" && !hasLivingMember(pgid)), {
    what: `end of process group ${pgid}`,
    timeoutMs,
    everyMs: 20,
  });
}

function hasLivingMember(pgid: number): boolean {
  return groupMembers(pgid).length > 0;
}

/** One process of a group with its resident memory in bytes. */
export interface GroupMember {
  pid: number;
  residentBytes: number;
}

/** The living processes of a group. */
export function groupMembers(pgid: number): GroupMember[] {
  return groups().get(pgid) ?? [];
}

/** All living processes of this machine by process group. Empty where `ps` is missing. */
export function groups(): Map<number, GroupMember[]> {
  const members = new Map<number, GroupMember[]>();
  let table = "";
  try {
    table = execFileSync("ps", ["-A", "-o", "pid=,pgid=,rss=,stat="], { encoding: "utf8" });
  } catch {
    return members;
  }
  for (const line of table.split("\n")) {
    const [pid, group, rss, stat] = line.trim().split(/\s+/);
    if (stat === undefined || stat.startsWith("Z")) continue;
    const list = members.get(Number(group)) ?? [];
    list.push({ pid: Number(pid), residentBytes: Number(rss) * 1024 });
    members.set(Number(group), list);
  }
  return members;
}
