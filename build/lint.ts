import { step } from "./step";

/** The folders whose imports .dependency-cruiser.mjs restricts. */
const folders = ["capabilities", "pepr.ts", "build", "cli", "sandbox", "test"];

/** Checks types, lint rules, imports, format, and the links of the docs. Prints all failures and sets exit code 1. */
async function lint(): Promise<void> {
  const results = await Promise.allSettled([
    // The TypeScript project of the tests includes all sources.
    step("type check", "tsc", "-p", "test"),
    step("type check of the site", "tsc", "-p", "docs/.vitepress"),
    step("eslint", "eslint", ".", "--max-warnings", "0"),
    step("folders", "depcruise", "--config", ".dependency-cruiser.mjs", ...folders),
    // Dead links fail the build of the site.
    step("docs", "vitepress", "build", "docs", "--outDir", "node_modules/.cache/mlscaler-docs"),
    step("prettier", "prettier", "--check", "--log-level", "warn", "."),
  ]);
  for (const result of results) {
    if (result.status === "fulfilled") continue;
    process.exitCode = 1;
    console.error(result.reason instanceof Error ? result.reason.message : result.reason);
  }
}

void lint();
