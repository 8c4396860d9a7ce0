import { expect, it } from "vitest";
import { excessOf, textsOf, type Parser } from "./cost";
import { parsers } from "./parsers";
import { shapes } from "./shapes";

const named = Object.entries(parsers).flatMap(([file, those]) =>
  Object.entries(those).map(([name, parse]): [string, Parser] => [`${file}: ${name}`, parse]),
);

it.each(shapes)(
  "parsers of foreign text take no more than linear time for $unit over and over, up to 64,000 characters",
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
