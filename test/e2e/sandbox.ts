import { setTimeout as delay } from "node:timers/promises";
import { inject } from "vitest";
import { up } from "../../sandbox/api";
import { takeLock } from "../../sandbox/lock";
import { sandboxPaths } from "../../sandbox/paths";

/** The running sandbox of the test files of a project. The first file brings it up. */
export const sandbox = inject("sandbox");

const use = inject("use");

// The lock ends with the process of the test file.
if (use === "alone") while (takeLock(`${sandboxPaths(sandbox).root}.alone`) !== undefined) await delay(200);

if (use !== undefined)
  await up({
    name: sandbox,
    onStep: ({ step, state, detail, ms }) => {
      if (state === "done") console.log(`${sandbox}: ${step} ${detail ?? ""} ${((ms ?? 0) / 1000).toFixed(1)} s`);
    },
  });
