import { execFileSync, spawn } from "node:child_process";
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
import { dirname, join } from "node:path";
import { z } from "zod";
import { waitFor } from "./wait";

const markName = "MLSCALER_SANDBOX_PROCESS";
const mark = `${markName}=1`;

/** The record of a process. `started` is its start time in the notation of the system, and "" when it is gone. */
const identitySchema = z.object({ pid: z.int().min(2), started: z.string() });

/** Identifies a process. A pid alone is not enough, because the system reuses pids. */
export type ProcessIdentity = z.infer<typeof identitySchema>;

/** A started process. */
export interface RunningProcess {
  identity: ProcessIdentity;
  /** Resolves to what ended the process, such as "code 0". */
  ended: Promise<string>;
}

export interface StartOptions {
  command: string;
  args: string[];
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  /** File to which standard output and error are appended. */
  log: string;
  /** File with the identity of the process, to end it later. */
  record: string;
}

/**
 * Starts a process in a process group of its own, which outlives this process, and records it.
 * @throws when the program cannot be started
 */
export async function start({ command, args, env, cwd, log, record }: StartOptions): Promise<RunningProcess> {
  mkdirSync(dirname(record), { recursive: true });
  const output = openSync(log, "a", 0o600);
  const child = spawn(command, args, {
    env: { ...(env ?? process.env), [markName]: "1" },
    cwd,
    detached: true,
    stdio: ["ignore", output, output],
  });
  closeSync(output);
  const ended = new Promise<string>(resolve =>
    child.once("exit", (code, signal) => resolve(signal ?? `code ${code ?? "unknown"}`)),
  );
  await new Promise((resolve, reject) => child.once("spawn", resolve).once("error", reject));
  child.unref();
  const { pid = 0 } = child;
  const identity = { pid, started: startTime(pid) };
  writeIdentity(record, identity);
  return { identity, ended };
}

/**
 * Ends a recorded process and its group: by SIGTERM, and by SIGKILL what is left after the grace period. Returns when
 * the group has ended.
 */
export async function endGroup(identity: ProcessIdentity, graceMilliseconds = 0): Promise<void> {
  const { pid } = identity;
  // The leader may be dead while its children live. The id of a group stays reserved while it has a member. So when
  // another process has the pid of the leader, the group is not ours.
  const now = startTime(pid);
  if (now !== "" && now !== identity.started) return;
  if (now === "" && !groupMembers(pid).some(member => hasMark(member.pid))) return;
  if (graceMilliseconds > 0 && signalGroup(pid, "SIGTERM"))
    await groupGone(pid, graceMilliseconds).catch(() => undefined);
  // On a busy machine even a killed process takes seconds to go.
  if (signalGroup(pid, "SIGKILL")) await groupGone(pid, 60_000);
}

/** Ends the process groups that are recorded in a folder. */
export async function sweep(records: string): Promise<void> {
  const sweepOne = async (file: string): Promise<void> => {
    const identity = readIdentity(join(records, file));
    if (identity) await endGroup(identity);
    rmSync(join(records, file), { force: true });
  };
  // The runner ends first, because it starts pods again.
  await sweepOne("runner.json");
  await Promise.all((existsSync(records) ? readdirSync(records) : []).map(sweepOne));
}

/** Whether a process has the mark that `start` sets in the environment. Always true outside Linux. */
function hasMark(pid: number): boolean {
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

async function groupGone(pgid: number, timeoutMilliseconds: number): Promise<void> {
  // A zombie that its parent has not reaped keeps its group, but counts as ended.
  await waitFor(() => !signalGroup(pgid, 0) || (startTime(pgid) === "" && groupMembers(pgid).length === 0), {
    what: `end of process group ${pgid}`,
    timeoutMilliseconds,
    everyMilliseconds: 20,
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

/** The last lines of a text file; "" when the file does not exist. */
export function lastLines(path: string, count: number): string {
  return existsSync(path) ? readFileSync(path, "utf8").trimEnd().split("\n").slice(-count).join("\n") : "";
}
