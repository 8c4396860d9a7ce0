import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { expect, it } from "vitest";

it("passes the checks of types, rules, imports and format: npm run lint", async () => {
  const prepare = resolve(__dirname, "../build/prepare.mjs");
  const failed = await new Promise<string>(done => {
    execFile(process.execPath, [prepare, "lint"], (error, _, stderr) => done(error ? stderr || error.message : ""));
  });
  expect(failed).toBe("");
});
