import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { excessOf, textsOf, type Parser } from "./cost";
import { parserPackages, parsers, plainPackages } from "./parsers";
import { shapes } from "./shapes";

const capabilities = join(import.meta.dirname, "../../../capabilities");

/** The packages that each file imports, but for their types. */
const imports = readdirSync(capabilities, { recursive: true, encoding: "utf8" })
  .filter(file => file.endsWith(".ts"))
  .flatMap(file =>
    [
      ...readFileSync(join(capabilities, file), "utf8").matchAll(
        /^(?:import|export) (?!type)(?:[^;]*? from )?"([^."][^"]*)";/gm,
      ),
    ].map(([, name = ""]) => ({ file, name })),
  );

it("each package is known here, and each file that imports one with a parser is measured", () => {
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

const named = Object.entries(parsers).flatMap(([file, those]) =>
  Object.entries(those).map(([name, parse]): [string, Parser] => [`${file}: ${name}`, parse]),
);

it.each(shapes)(
  "parsers of foreign text take no more than linear time for $unit over and over, up to 32,000 characters",
  ({ shapes: those }) => {
    const excess = those.flatMap(({ shape, reader }) =>
      named
        .filter(([name]) => reader.test(name))
        .flatMap(([name, parse]) => {
          const texts = textsOf(shape, parse.longest);
          const found = excessOf(parse, texts);
          return found === undefined ? [] : [`${name}: ${JSON.stringify(texts[0]?.slice(0, 40))}…: ${found}`];
        }),
    );
    expect(excess).toEqual([]);
  },
);
