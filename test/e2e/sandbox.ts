import { join } from "node:path";
import { inject } from "vitest";
import { up } from "../../sandbox/api";
import { takeLock } from "../../sandbox/lock";
import { projectRoot } from "../../sandbox/paths";

/**
 * The running sandbox that belongs to a test file for the lifetime of its process. (Vitest's own worker numbers do not
 * work: two workers may have the same number for a moment after the first group of projects.)
 */
export const sandbox = await firstFree(inject("sandboxes"));

if (inject("bringUp") === true)
  await up({
    name: sandbox,
    onStep: ({ step, state, detail, ms }) => {
      if (state === "done") console.log(`${sandbox}: ${step} ${detail ?? ""} ${((ms ?? 0) / 1000).toFixed(1)} s`);
    },
  });

async function firstFree(sandboxes: string[]): Promise<string> {
  for (;;) {
    for (const name of sandboxes) {
      const lock = join(projectRoot, "node_modules", ".cache", `mlscaler-sandbox-${name}.lock`);
      if (takeLock(lock) === undefined) return name;
    }
    await new Promise(resolve => setTimeout(resolve, 200));
  }
}
