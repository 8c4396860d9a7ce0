import { randomInt } from "node:crypto";
import pc from "picocolors";
import { printable } from "../capabilities/kubernetes/printable";

/** Marks the colours of this process: a text from elsewhere cannot know these numbers. */
const own = `${randomInt(1000, 10_000)};${randomInt(1000, 10_000)}`;

const isColoured = (): boolean => process.stdout.isTTY === true && pc.isColorSupported;

/** A colour for a part of a text that `print` prints. There is none where standard output is no terminal. */
const colour =
  (begin: number, end: number) =>
  (text: string): string =>
    isColoured() ? `\x1b[${begin};${own}m${text}\x1b[${end};${own}m` : text;

export const [bold, dim] = [colour(1, 22), colour(2, 22)];
export const [red, green, yellow] = [colour(31, 39), colour(32, 39), colour(33, 39)];

const marked = new RegExp(`\\\\u001b\\[(\\d+);${own}m`, "g");

/** A text with the colours of this process as escape sequences, and any others as text. */
const shown = (text: string): string => printable(text).replaceAll(marked, "\x1b[$1m");

/** Prints a text to standard output, with a line break at its end. All that commands print goes through here or `tell`. */
export function print(text: string): void {
  // The console takes no harm from a pipe whose reader has ended.
  if (text !== "") console.log(shown(text).replace(/\n$/, ""));
}

/** Prints a line for people to standard error. */
export const tell = (line: string): void => console.error(shown(line));
