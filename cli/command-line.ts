import { InvalidArgumentError, Option } from "commander";
import { IANAZone } from "luxon";
import { parseDuration } from "./simulate/time";

/** The command line of this process, quoted for a shell. */
export function commandLine(given = process.argv.slice(2)): string {
  const quoted = given.map(one => (/^[\w./:=@%+,-]+$/.test(one) ? one : `'${one.replaceAll("'", "'\\''")}'`));
  return ["mlscaler", ...quoted].join(" ");
}

/** A parser of numbers above `least`. Throws InvalidArgumentError. */
export function above(least: number): (text: string) => number {
  return text => {
    const number = Number(text);
    if (text.trim() !== "" && number > least && Number.isFinite(number)) return number;
    throw new InvalidArgumentError(`Use a number above ${least}.`);
  };
}

/** A parser of numbers from 0 to `most`. Throws InvalidArgumentError. */
export function from0To(most: number): (text: string) => number {
  return text => {
    const number = Number(text);
    if (text.trim() !== "" && number >= 0 && number <= most) return number;
    throw new InvalidArgumentError(`Use a number from 0 to ${most}.`);
  };
}

/** A parser of whole numbers above 0. Throws InvalidArgumentError. */
export function count(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number > 0) return number;
  throw new InvalidArgumentError("Use a whole number above 0.");
}

/** A parser of durations to milliseconds. Throws InvalidArgumentError. */
export function duration(text: string): number {
  const milliseconds = parseDuration(text);
  if (!Number.isNaN(milliseconds)) return milliseconds;
  throw new InvalidArgumentError("Use for example 30s, 3m or 1h.");
}

/** A parser of names of time zones. Throws InvalidArgumentError. */
export function zone(name: string): string {
  if (IANAZone.isValidZone(name)) return name;
  throw new InvalidArgumentError("Use a name of the tz database, for example Europe/Berlin.");
}

/** The formats of a command whose result is one object. */
export type ResultFormat = "text" | "json";

/** `-o` and `--json`, the same for all commands. */
export const outputOptions = (formats: string[] = ["text", "json"]): [output: Option, json: Option] => [
  new Option("-o, --output <format>", "format of the result").choices(formats).default("text"),
  new Option("--json", "the same as --output json").implies({ output: "json" }),
];

/** `--price`, the same for all commands. */
export const priceOption = (): Option =>
  new Option("--price <money>", "price of a replica-hour, in any currency").argParser(above(0));

/** `--next`, the same for all commands. */
export const nextOption = (): Option => new Option("--next <duration>", "how far to look ahead").choices(["24h"]);

/** `--module-namespace`, the same for all commands. */
export const moduleNamespaceOption = (): Option =>
  new Option("--module-namespace <namespace>", "namespace of the module, which stores the histories").default(
    "pepr-system",
  );

/** `-f`, the same for all commands. */
export const filenameOption = (): Option =>
  new Option(
    "-f, --filename <path>",
    "a file or folder of manifests, or - for standard input; may be repeated",
  ).argParser((path: string, before?: string[]) => [...(before ?? []), path]);
