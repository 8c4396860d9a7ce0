import { join } from "node:path";
import { inject } from "vitest";
import { takeLock } from "../../sandbox/lock";
import { projectRoot } from "../../sandbox/paths";

/**
 * The sandbox that the tests of this file have for themselves as long as their process lives. (Vitest's own numbers of
 * workers are no help: for a moment after the first group of projects two may have the same.)
 */
export const sandbox = await firstFree(Object.keys(inject("environments")));

async function firstFree(sandboxes: string[]): Promise<string> {
  for (;;) {
    for (const name of sandboxes) {
      const lock = join(projectRoot, "node_modules", ".cache", `mlscaler-sandbox-${name}.lock`);
      if (takeLock(lock) === undefined) return name;
    }
    await new Promise(resolve => setTimeout(resolve, 200));
  }
}
