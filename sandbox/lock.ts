import { linkSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { alive, readIdentity, startTime, writeIdentity } from "./processes";

/**
 * Runs `work` while no other process runs work under the same lock file. Waits as long as the holder lives;
 * the lock of one that died is taken over.
 * @param waiting called once when there is someone to wait for
 * @param signal ends the waiting, with its reason
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

/** Takes a lock file for as long as this process lives, unless another has it: then returns the pid of that one. */
export function takeLock(path: string): number | undefined {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const own = `${path}.${process.pid}.${Math.random().toString(36).slice(2)}`;
  writeIdentity(own, { pid: process.pid, started: startTime(process.pid) });
  try {
    for (;;) {
      try {
        // A link is made with its content or not at all.
        linkSync(own, path);
        return undefined;
      } catch (error) {
        if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
      }
      const holder = readIdentity(path);
      if (holder && alive(holder)) return holder.pid;
      discard(path, `${own}.dead`);
    }
  } finally {
    rmSync(own, { force: true });
  }
}

/** Moves the lock of one that died out of the way. Another may have done so and taken it meanwhile: that one's goes back. */
function discard(path: string, aside: string): void {
  try {
    renameSync(path, aside);
    const holder = readIdentity(aside);
    if (holder && alive(holder)) linkSync(aside, path);
  } catch (error) {
    // It is gone, or somebody has it.
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code !== "ENOENT" && code !== "EEXIST") throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}
