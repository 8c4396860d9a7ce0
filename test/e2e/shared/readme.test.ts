import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { entriesIn } from "../../../build/figures";
import { projectRoot } from "../../../sandbox/paths";
import { kube } from "../cluster";

const read = (path: string): string => readFileSync(join(projectRoot, path), "utf8");

/** Runs a command as a user does who copies it, in the namespace default. Returns what the terminal shows. */
const run = (command: string): Promise<string> =>
  new Promise(resolve => {
    const settings = { cwd: projectRoot, env: process.env };
    execFile("bash", ["-c", `${command} 2>&1`], settings, (_, stdout) => resolve(stdout));
  });

/** An output without what depends on the moment: ages, loads, the width of columns, and kubectl's own log. */
const comparable = (output: string): string =>
  output
    .replaceAll(/^[IWE]\d{4} \d\d:.*\n/gm, "")
    .replaceAll(/\b0\.\d+\b/g, "LOAD")
    .replaceAll(/\b(\d+m)?\d+s$/gm, "AGE")
    .replaceAll(/ +/g, " ")
    .replaceAll(/ $/gm, "")
    .trim();

afterEach(async () => {
  await kube(["delete", "mls,deployment,service", "web", "load", "--ignore-not-found"]);
});

it("the commands of docs/getting-started/try-it.md print what it shows", async () => {
  const entries = entriesIn(read("docs/getting-started/try-it.md"));
  expect(entries).toHaveLength(10);
  for (const { command, output } of entries)
    expect(`$ ${command}\n${comparable(await run(command))}`).toBe(`$ ${command}\n${comparable(output)}`);
});
