/**
 * Sizes of the texts whose costs are compared, in characters, below the limits above which parsers refuse a text. At
 * 32,000 characters a quadratic parser takes a second, and one that only copies the rest at each character 100 ms.
 */
const sizes = [250, 32_000];

const megabyte = "a".repeat(1 << 20);

/** A linear parser takes twice as long for twice the text. Three times that is noise. */
const mostNoise = 3;

/** A cost of so many scans of 1 MB passes at once. A quadratic parser that passes here harms nobody. */
const cheapScans = 20;

/** The most that a parser may cost, in scans of the same text. A scan of 1 MB takes about a millisecond. */
const mostScans = 1000;

const attempts = 10;

/** Builds a text of about so many characters. */
export type Shape = (size: number) => string;

/** Reads each character of a text once. This is the unit of cost, because a slow or busy machine slows it as well. */
function scan(text: string): number {
  let sum = 0;
  for (let index = 0; index < text.length; index++) sum = (sum * 31 + text.charCodeAt(index)) | 0;
  return sum;
}

/**
 * The CPU time that `run` takes, in ms: on a busy machine the clock tells more about other processes. A throw is an
 * answer, too.
 */
function timeOf(run: () => unknown): number {
  const begin = process.cpuUsage();
  try {
    run();
  } catch {
    // The text was refused.
  }
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / 1000;
}

let unit = Math.min(...Array.from({ length: attempts }, () => timeOf(() => scan(megabyte))));

/** The texts of a shape, none above `longest` characters by much. */
export const textsOf = (shape: Shape, longest = Infinity): string[] =>
  sizes.map(size => shape(Math.min(size, longest)));

/** Parses a text. */
export interface Parser {
  (text: string): unknown;
  /** The longest text that it is measured with, in characters. */
  longest?: number;
  /** The cost that passes at once, in scans of 1 MB; 20 by default. */
  scans?: number;
}

/** Says by how much the cost of `parse` is more than linear in the sizes of `texts`; undefined when it is linear. */
export function excessOf(parse: Parser, texts: string[]): string | undefined {
  for (const [index, text] of texts.entries()) {
    const excess = excessAt(parse, text, texts[index - 1] ?? "");
    if (excess !== undefined) return excess;
  }
  return undefined;
}

function excessAt(parse: Parser, text: string, shorter: string): string | undefined {
  let [time, before] = [Infinity, Infinity];
  // The least of some attempts counts, because other work, as a collection of garbage, only ever adds.
  for (let attempt = 0; attempt < attempts; attempt++) {
    time = Math.min(
      time,
      timeOf(() => parse(text)),
    );
    if (time <= (parse.scans ?? cheapScans) * unit) return undefined;
    before = Math.min(
      before,
      timeOf(() => parse(shorter)),
    );
    unit = Math.min(
      unit,
      timeOf(() => scan(megabyte)),
    );
    const most = (mostScans * unit * text.length) / megabyte.length;
    if (time <= most && time <= (mostNoise * before * text.length) / shorter.length) return undefined;
  }
  const inMilliseconds = (one: number): string => `${one.toFixed(2)} ms`;
  return (
    `${text.length} characters took ${inMilliseconds(time)}, ${shorter.length} took ${inMilliseconds(before)}, ` +
    `a scan of 1 MB ${inMilliseconds(unit)}`
  );
}
