import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { Mutant, sourcesOf } from "./mutant";
import type { Verdict } from "./trial";

const root = resolve(__dirname, "../../..");

/** A test that takes longer is in an endless loop, in milliseconds of real time. */
const longestMilliseconds = 300_000;

/** What unit tests do not need, or need no copy of. */
const left = ["node_modules", ".git", "dist", "docs"];

/**
 * Runs the unit test that has to notice a mutant, in a copy of the project: first without the mutant, then with it.
 * @param test path from the root
 * @throws Error when the test fails without the mutant
 */
export async function runUnitTest(mutant: Mutant, test: string): Promise<Verdict> {
  const copy = mkdtempSync(join(tmpdir(), "mlscaler-mutant-"));
  try {
    cpSync(root, copy, { recursive: true, filter: path => !left.includes(relative(root, path)) });
    symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
    const before = await failureOf(test, copy);
    if (before !== undefined) throw new Error(`${test} fails without the mutant: ${before}`);
    for (const [file, text] of sourcesOf(mutant)) writeFileSync(join(copy, file), text);
    const message = await failureOf(test, copy);
    return { syncs: 0, ...(message !== undefined && { violation: { invariant: test, message } }) };
  } finally {
    rmSync(copy, { recursive: true });
  }
}

/** The first failure of a unit test in a copy of the project; undefined when it passes. */
function failureOf(test: string, copy: string): Promise<string | undefined> {
  const args = ["run", "--project", "unit", "--bail", "1", test];
  const env = { ...process.env, NO_COLOR: "1" };
  const ends = { timeout: longestMilliseconds, killSignal: "SIGKILL", maxBuffer: 64 << 20 } as const;
  return new Promise(resolved =>
    execFile(join(copy, "node_modules/.bin/vitest"), args, { cwd: copy, env, ...ends }, (error, stdout, stderr) => {
      const [, failed] = /FAIL\s+(.+)/.exec(`${stdout}${stderr}`) ?? [];
      resolved(error ? (failed ?? `${error.message} ${stderr}`.slice(0, 300)) : undefined);
    }),
  );
}
