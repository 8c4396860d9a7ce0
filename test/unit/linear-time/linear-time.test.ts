import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { excessOf, textsOf } from "./cost";
import { bounded, Parser, parsers } from "./parsers";
import { shapes } from "./shapes";

const capabilities = join(import.meta.dirname, "../../../capabilities");

/** What code looks like that parses a text. */
const parsing =
  /\.(split|match|matchAll|replace|replaceAll|exec|test)\(|RegExp\(|(JSON|Date)\.parse\(|parse(Float|Int)\(/;

describe("the parsers of foreign text", () => {
  it("are all known here", () => {
    const files = readdirSync(capabilities, { recursive: true, encoding: "utf8" }).filter(file => file.endsWith(".ts"));
    const parse = files.filter(file => parsing.test(readFileSync(join(capabilities, file), "utf8")));
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
        const texts = textsOf(shape);
        return named
          .filter(([name]) => reader.test(name))
          .flatMap(([name, parse]) => {
            const found = excessOf(parse, texts);
            return found === undefined ? [] : [`${name}: ${JSON.stringify(texts[0]?.slice(0, 40))}…: ${found}`];
          });
      });
      expect(excess).toEqual([]);
    },
  );
});
