import { step } from "./step";

/** The folders whose imports .dependency-cruiser.mjs restricts. */
const folders = ["capabilities", "pepr.ts", "build", "cli", "sandbox", "test"];

/** The folder of the site's own program. */
const site = "docs/.vitepress";

/** Checks types, lint rules, imports and format. Prints all failures and sets exit code 1. */
async function lint(): Promise<void> {
  const results = await Promise.allSettled([
    // The TypeScript project of the tests includes all sources but those of the site.
    step("types and rules", "oxlint", "--tsconfig", "test/tsconfig.json", "--ignore-pattern", site),
    step("types and rules of the site", "oxlint", "--tsconfig", `${site}/tsconfig.json`, site),
    step("folders", "depcruise", "--config", ".dependency-cruiser.mjs", ...folders),
    step("format", "oxfmt", "--check"),
  ]);
  for (const result of results) {
    if (result.status === "fulfilled") continue;
    process.exitCode = 1;
    console.error(result.reason instanceof Error ? result.reason.message : result.reason);
  }
}

void lint();
