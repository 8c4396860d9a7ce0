import { transform } from "esbuild";
import { expect, test } from "vitest";
import { pointsOf } from "./coverage";
import { deathsOf } from "./deaths";
import { bugs } from "./hand-made";
import { mutantOf as mutantOfBug } from "./hand-made/bug";
import { allChanges, changesOf, drawn, mutantOf } from "./mechanical";
import { Mutant, sourcesOf, textOf } from "./mutant";

/** Whether each changed file differs from the one of the work tree and is TypeScript. */
async function isWhole(mutant: Mutant): Promise<boolean> {
  for (const [file, text] of sourcesOf(mutant)) {
    if (text === textOf(file)) return false;
    await transform(text, { loader: "ts" });
  }
  return true;
}

test("each hand-made bug still has its place in the code", () => {
  const stale = bugs.flatMap(bug => {
    try {
      return mutantOfBug(bug).edits.length > 0 ? [] : [bug.name];
    } catch (error) {
      return [String(error)];
    }
  });
  expect(stale, "rewrite these bugs for the code as it is now").toEqual([]);
  expect(new Set(bugs.map(({ name }) => name)).size).toBe(bugs.length);
});

test("each hand-made bug has the seed of its death, or the unit test that notices it", () => {
  const deaths = deathsOf();
  for (const bug of bugs) {
    const { test: noticedBy } = mutantOfBug(bug);
    expect(noticedBy === undefined ? bug.name in deaths : textOf(noticedBy).length > 0, bug.name).toBe(true);
  }
});

test("each hand-made bug changes the code into other code", async () => {
  for (const bug of bugs) expect(await isWhole(mutantOfBug(bug)), bug.name).toBe(true);
});

test("a seed draws the same changes each time, another seed others", async () => {
  const changes = allChanges();
  const first = drawn("1", changes).slice(0, 40);
  expect(drawn("1", [...changes]).slice(0, 40)).toEqual(first);
  expect(drawn("2", changes).slice(0, 40)).not.toEqual(first);
  for (const change of first) expect(await isWhole(mutantOf(change)), mutantOf(change).name).toBe(true);
});

test("changes are of operators, constants, awaits and conditions, not of texts, logs and types", () => {
  const code = `
    const seconds = 30;
    const names = ["0"];
    async function run(count: 1 | 2): Promise<void> {
      if (!count) return;
      log.warn({ left: count + 1 }, \`\${count - 1} left\`);
      await Promise.all(names.map(name => name + "." + count));
      return count < 2 && Math.min(count, seconds) ? later() : undefined;
    }`;
  const texts = changesOf("any.ts", code).map(({ at, end, kind, replacement }) => [
    kind,
    code.slice(at, end),
    replacement,
  ]);
  expect(texts).toEqual([
    ["constant", "30", "0"],
    ["constant", "30", "(10 * 30)"],
    ["guard", "!count", "true"],
    ["guard", "!count", "false"],
    ["operator", "!count", "count"],
    [
      "await",
      'await Promise.all(names.map(name => name + "." + count))',
      'Promise.all(names.map(name => name + "." + count))',
    ],
    ["guard", "count < 2 && Math.min(count, seconds)", "true"],
    ["guard", "count < 2 && Math.min(count, seconds)", "false"],
    ["operator", "&&", "||"],
    ["operator", "<", "<="],
    ["operator", "<", ">="],
    ["constant", "2", "0"],
    ["constant", "2", "(10 * 2)"],
    ["operator", "min", "max"],
  ]);
});

test("branches are functions, arms of conditions, cases and right sides of logical operators", () => {
  const code = "const pick = (one, other) => { if (one) return one; return other ?? (one ? 1 : 2); };";
  const branches = pointsOf("any.ts", code).flatMap(({ branch, at, end }) =>
    branch === undefined ? [] : [`${branch} ${code.slice(at, end)}`],
  );
  expect(branches).toEqual([
    "function { if (one) return one; return other ?? (one ? 1 : 2); }",
    "if return one;",
    "operand (one ? 1 : 2)",
    "choice 1",
    "choice 2",
  ]);
});
