import { setTimeout as delay } from "node:timers/promises";
import { inject } from "vitest";
import { up } from "../../sandbox/api";
import { takeLock } from "../../sandbox/lock";
import { sandboxPaths } from "../../sandbox/paths";

const use = inject("use");

/** The running sandbox of a test file, which brings it up if it is the first. */
export const sandbox = inject("sandbox");

// A file that needs it alone has it until its process ends, or goes on with the next such file.
while (use === "alone" && takeLock(`${sandboxPaths(sandbox).root}.alone`) !== undefined) await delay(200);

if (use !== undefined)
  await up({
    name: sandbox,
    onStep: ({ step, state, detail, ms }) => {
      if (state === "done") console.log(`${sandbox}: ${step} ${detail ?? ""} ${((ms ?? 0) / 1000).toFixed(1)} s`);
    },
  });
