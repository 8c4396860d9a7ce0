import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { Page, root } from "./page";

/** The files of the module, by their paths in capabilities/. */
const files = new Map(
  readdirSync(join(root, "capabilities"), { recursive: true, encoding: "utf8" })
    .filter(path => path.endsWith(".ts"))
    .map(path => [path, readFileSync(join(root, "capabilities", path), "utf8")]),
);

/** The files that define a name at their top level, or as a method. */
const defining = (name: string): string[] =>
  [...files].flatMap(([path, text]) =>
    new RegExp(`^((export )?(const|function|async function) |  (async )?)${name}\\b( =|:|<|\\()`, "m").test(text)
      ? [path]
      : [],
  );

describe("Where to change what", () => {
  const { lines } = new Page("docs/explanation/architecture.md");
  const begin = lines.indexOf("## Where to change what") + 1;
  const section = lines.slice(begin, begin + lines.slice(begin).findIndex(line => line.startsWith("## ")));
  const places = [...section.join("\n").matchAll(/`(\w+)` in `([\w/.-]+\.ts)`/g)].map(
    ([, name = "", file = ""]): [name: string, file: string] => [name, file],
  );

  it("names places", () => expect(places.length).toBeGreaterThan(10));

  it.each(places)("%s is in %s, a constant nowhere else", (name, file) => {
    const found = defining(name);
    const path = found.find(path => path === file || path === `mlscaler/${file}`);
    expect(path, `${file}, not ${found.join(", ")}`).toBeDefined();
    const isConstant = new RegExp(`const ${name} = [\\w.]+;`).test(files.get(path ?? "") ?? "");
    if (isConstant) expect(found).toEqual([path]);
  });
});
