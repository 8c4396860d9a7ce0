import { Shape } from "./cost";

/** What is repeated. Each is a trap for some way of parsing. */
const units = [
  ...["a", "1", ".", "-", "/", ",", " ", "\n", "!", "=", "(", "[", "{", '"', "\\", "*", ":", "&", "+", "é", "\ud800"],
  ..."a,|a.|a-|a=b,|a in (b),|a in (|(a|a b|!a,|a, |1.|1h|1Ki|1,|1 |*/1,".split("|"),
  ...['{"a":', "[1,", "\\u0041", "a: ", "- a\n", "? ", "-----BEGIN CERTIFICATE-----", 'conflict with "', ": ."],
  ...["2026-01-01T00:00:00Z", "AAAA", "<a>", "ln("],
];

/**
 * What is around it: a text may be refused only at its end, after all else was read, or open what never ends. The last
 * one is a trap only for those who read a selector.
 */
const frames: [begin: string, end: string, reader: RegExp][] = [
  ["", "", /./],
  ["", "!", /./],
  ["a in (", "=\n", /selector/i],
];

/** What nests: its begin, what is in the middle, and its end. */
const nests: [begin: string, middle: string, end: string][] = [
  ["(", "a", ")"],
  ["[", "1", "]"],
  ["{", "", "}"],
  ['{"a":', "1", "}"],
  ["abs(", "a", ")"],
  ["sum by (a) (", "a", ")"],
  ["a[1h:1m] + (", "a", ")"],
  ["&a [", "a", "]"],
  ['"', "a", '"'],
];

/** The texts that each parser is measured with, by what is repeated. `reader` is what the names of parsers match. */
export const shapes: { unit: string; shapes: { shape: Shape; reader: RegExp }[] }[] = [
  ...units.map(unit => ({
    unit,
    shapes: frames.map(([begin, end, reader]) => ({
      shape: (size: number): string => begin + unit.repeat(Math.ceil(size / unit.length)) + end,
      reader,
    })),
  })),
  ...nests.map(([begin, middle, end]) => ({
    unit: `${begin}${middle}${end} in itself`,
    shapes: [
      {
        shape: (size: number): string => {
          const depth = Math.ceil(size / (begin.length + end.length));
          return begin.repeat(depth) + middle + end.repeat(depth);
        },
        reader: /./,
      },
    ],
  })),
];
