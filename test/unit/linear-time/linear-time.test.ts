import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { excessOf, Parser, textsOf } from "./cost";
import { bounded, parserPackages, parsers, plainPackages } from "./parsers";
import { shapes } from "./shapes";

const capabilities = join(import.meta.dirname, "../../../capabilities");

/** What code looks like that parses a text. */
const parsing =
  /\.(split|match|matchAll|replace|replaceAll|exec|test)\(|RegExp\(|(JSON|Date)\.parse\(|parse(Float|Int)\(/;

const files = readdirSync(capabilities, { recursive: true, encoding: "utf8" }).filter(file => file.endsWith(".ts"));
const textOf = (file: string): string => readFileSync(join(capabilities, file), "utf8");

/** The packages that a file imports, but for their types. */
const packagesOf = (file: string): string[] =>
  [...textOf(file).matchAll(/^(?:import|export) (?!type)(?:[^;]*? from )?"([^."][^"]*)";/gm)].map(
    ([, name = ""]) => name,
  );

describe("the parsers of foreign text", () => {
  it("are in packages that are known here, and each file that imports one is measured", () => {
    const imports = files.flatMap(file => packagesOf(file).map(name => ({ file, name })));
    const known = [...parserPackages, ...plainPackages];
    expect(
      [...new Set(imports.map(({ name }) => name))].filter(name => !known.includes(name)),
      "add the package to parserPackages or plainPackages of test/unit/linear-time/parsers.ts",
    ).toEqual([]);
    expect(known.filter(name => !imports.some(one => one.name === name))).toEqual([]);
    expect(
      imports.filter(({ file, name }) => parserPackages.includes(name) && !(file in parsers)),
      "add its parser to test/unit/linear-time/parsers.ts",
    ).toEqual([]);
  });

  it("are all known here", () => {
    const parse = files.filter(file => parsing.test(textOf(file)));
    const known = [...Object.keys(parsers), ...Object.keys(bounded)];
    const remedy = "add its parser to test/unit/linear-time/parsers.ts, or why it needs none";
    expect(
      parse.filter(file => !known.includes(file)),
      remedy,
    ).toEqual([]);
    expect(known.filter(file => !files.includes(file))).toEqual([]);
  });

  const named = Object.entries(parsers).flatMap(([file, those]) =>
    Object.entries(those).map(([name, parse]): [string, Parser] => [`${file}: ${name}`, parse]),
  );

  it.each(shapes)(
    "cost no more than linear time for $unit over and over, up to 64,000 characters",
    ({ shapes: those }) => {
      const excess = those.flatMap(({ shape, reader }) => {
        return named
          .filter(([name]) => reader.test(name))
          .flatMap(([name, parse]) => {
            const texts = textsOf(shape, parse.longest);
            const found = excessOf(parse, texts);
            return found === undefined ? [] : [`${name}: ${JSON.stringify(texts[0]?.slice(0, 40))}…: ${found}`];
          });
      });
      expect(excess).toEqual([]);
    },
  );
});
