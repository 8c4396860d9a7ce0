import { linkSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { alive, readIdentity, startTime, writeIdentity } from "./processes";
import { codeOf } from "./wait";

/**
 * Runs `work` while this process holds a lock file. Waits while another living process holds it, and takes over the
 * lock of a dead one.
 * @param waiting called once with the pid of the holder when there is one
 * @param signal ends the wait
 * @throws the error of `work`, and the reason of `signal`
 */
export async function withLock<T>(
  path: string,
  work: () => Promise<T>,
  waiting?: (pid: number) => void,
  signal?: AbortSignal,
): Promise<T> {
  let told = false;
  for (let holder = takeLock(path); holder !== undefined; holder = takeLock(path)) {
    if (!told) waiting?.(holder);
    told = true;
    await delay(200, undefined, { signal });
  }
  try {
    return await work();
  } finally {
    rmSync(path, { force: true });
  }
}

/** The pid of the living process that holds a lock file. */
function holderOf(path: string): number | undefined {
  const holder = readIdentity(path);
  return holder && alive(holder) ? holder.pid : undefined;
}

/** Takes a lock file for the lifetime of this process. Returns the pid of the holder when another process holds it. */
export function takeLock(path: string): number | undefined {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const own = `${path}.${process.pid}.${Math.random().toString(36).slice(2)}`;
  writeIdentity(own, { pid: process.pid, started: startTime(process.pid) });
  try {
    for (;;) {
      try {
        // A link is atomic: no reader sees the lock without its content.
        linkSync(own, path);
        return undefined;
      } catch (error) {
        if (codeOf(error) !== "EEXIST") throw error;
      }
      const holder = holderOf(path);
      if (holder !== undefined) return holder;
      discard(path, `${own}.dead`);
    }
  } finally {
    rmSync(own, { force: true });
  }
}

/** Removes the lock of a dead process. Restores the lock when another process has taken it over in the meantime. */
function discard(path: string, aside: string): void {
  try {
    renameSync(path, aside);
    if (holderOf(aside) !== undefined) linkSync(aside, path);
  } catch (error) {
    // The lock is gone, or another process holds it.
    if (!["ENOENT", "EEXIST"].includes(codeOf(error) ?? "")) throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}
