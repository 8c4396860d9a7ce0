import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Page, root } from "./page";

const { lines } = new Page("docs/dev/architecture.md");
const text = lines.join("\n");

/** The folders that the paths of the page begin at. */
const bases = ["", "capabilities", "capabilities/mlscaler"];

/** The files that a path of the page may mean. */
const meaning = (path: string): string[] => bases.map(base => join(root, base, path)).filter(file => existsSync(file));

/** The code of the module, by file. */
const files = new Map(
  readdirSync(join(root, "capabilities"), { recursive: true, encoding: "utf8" })
    .filter(path => path.endsWith(".ts"))
    .map(path => join(root, "capabilities", path))
    .map(path => [path, readFileSync(path, "utf8")]),
);

/** The files that define a name at their top level, or as a member of a class. */
const defining = (name: string): string[] =>
  [...files].flatMap(([path, code]) =>
    new RegExp(`^((export )?(const|function|async function) |  (readonly |async )?)${name}\\b( =|:|<|\\()`, "m").test(
      code,
    )
      ? [path]
      : [],
  );

describe("the page of the architecture", () => {
  const paths = new Set([
    ...[...text.matchAll(/`([\w.-]+(?:\/[\w.-]*)+)`/g)].map(([, path = ""]) => path),
    ...[...text.matchAll(/(?<![\w./])[\w-]+(?:\/[\w.-]+)*\.ts\b/g)].map(([path]) => path),
  ]);

  it("names paths", () => expect(paths.size).toBeGreaterThan(40));

  it.each([...paths])("%s exists", path => expect(meaning(path)).not.toEqual([]));
});

describe("Where to change what", () => {
  const places = [...text.matchAll(/`(\w+)` in `([\w/.-]+\.ts)`/g)].map(
    ([, name = "", file = ""]): [name: string, file: string] => [name, file],
  );

  it("names places", () => expect(places.length).toBeGreaterThan(15));

  it.each(places)("%s is in %s, a constant nowhere else", (name, file) => {
    const found = defining(name);
    const path = meaning(file).find(one => found.includes(one));
    expect(path, `${file}, not ${found.join(", ")}`).toBeDefined();
    const isConstant = new RegExp(`^(export )?const ${name} = [\\w.]+;`, "m").test(files.get(path ?? "") ?? "");
    if (isConstant) expect(found).toEqual([path]);
  });
});

describe("a constant", () => {
  /** Numbers, products of them, and texts by name and value, with the files that define them. */
  const places = new Map<string, string[]>();
  for (const [path, code] of files)
    for (const [, name, value] of code.matchAll(/^(?:export )?const (\w+) = ("[^"]*"|\w[\w .*/<-]*);/gm)) {
      const constant = `${name} = ${value}`;
      places.set(constant, [...(places.get(constant) ?? []), path]);
    }

  it("is found", () => expect(places.size).toBeGreaterThan(200));

  it("of one name and value is defined once", () =>
    expect([...places].filter(([, paths]) => paths.length > 1)).toEqual([]));
});
