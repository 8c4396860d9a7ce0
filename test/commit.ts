import { execFileSync } from "node:child_process";

/**
 * The seed of all that tests draw, from the hash of the commit: a commit is green or red for good. MLSCALER_SEED comes
 * first. Outside of a git checkout the seed is 1.
 */
export function seedOfCommit(): number {
  if (process.env.MLSCALER_SEED !== undefined) return Number(process.env.MLSCALER_SEED);
  try {
    const hash = execFileSync("git", ["rev-parse", "HEAD"], { cwd: __dirname, encoding: "utf8", stdio: "pipe" });
    return parseInt(hash.slice(0, 7), 16);
  } catch {
    return 1;
  }
}
