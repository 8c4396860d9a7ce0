import { InvalidArgumentError } from "commander";

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
