import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";

const root = resolve(__dirname, "../..");

/** The hashes of the runs whose names contain `text`, or of a part of them, from a new process. */
async function hashes(text: string, part = "1/1"): Promise<Record<string, string>> {
  const parameters = [
    "--max-semi-space-size=64",
    join(__dirname, "index.ts"),
    "--print",
    "--run",
    text,
    "--part",
    part,
  ];
  const { stdout } = await promisify(execFile)(join(root, "node_modules/.bin/tsx"), parameters, { cwd: root });
  return JSON.parse(stdout) as Record<string, string>;
}

describe("simulation", () => {
  test("every run writes what it wrote when its hash was recorded", { timeout: 1_800_000 }, async () => {
    const recorded = JSON.parse(readFileSync(join(__dirname, "hashes.json"), "utf8")) as Record<string, string>;
    const [one, other] = await Promise.all([hashes("", "1/2"), hashes("", "2/2")]);
    const found = { ...one, ...other };
    const different = Object.keys({ ...recorded, ...found }).filter(name => recorded[name] !== found[name]);
    const how = different.map(name => `npm run simulation -- --trace --run "${name}"`);
    expect(how, "these runs differ; compare their traces with those of the commit before").toEqual([]);
  });

  test("a run writes the same in every process, alone or among others", { timeout: 600_000 }, async () => {
    const [alone, again, among] = await Promise.all([
      hashes("takeover: the leader is killed"),
      hashes("takeover: the leader is killed"),
      hashes("takeover"),
    ]);
    expect(again).toEqual(alone);
    expect(among).toMatchObject(alone);
  });
});
