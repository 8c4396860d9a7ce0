import { setTimeout as delay } from "node:timers/promises";
import { inject } from "vitest";
import { up } from "../../sandbox/api";
import { takeLock } from "../../sandbox/lock";
import { sandboxPaths } from "../../sandbox/paths";

const use = inject("use");

/** The running sandbox of a test file, which brings it up if it is the first. */
export const sandbox = await chosen(inject("sandboxes"));

if (use !== undefined)
  await up({
    name: sandbox,
    onStep: ({ step, seconds }) => {
      if (seconds !== undefined) console.log(`${sandbox}: ${step} ${seconds.toFixed(1)} s`);
    },
  });

/** The sandbox of the files that share one; else the first that no other file has, for the life of this process. */
async function chosen([first = "", ...others]: string[]): Promise<string> {
  if (use !== "alone") return first;
  for (;;) {
    for (const name of [first, ...others]) if (takeLock(`${sandboxPaths(name).root}.alone`) === undefined) return name;
    await delay(200);
  }
}
