import Table from "cli-table3";

/** The outcome of one contender. */
export interface Outcome<Figures> {
  name: string;
  /** Its description, for the header of a column. */
  title: string;
  result: { state: "measured"; figures: Figures } | { state: "failed"; why: string };
}

/** One row of the tables. Every figure is a cost: lower is better. */
export interface Row<Figures> {
  title: string;
  value: (figures: Figures) => number;
  digits: number;
  /** Whether the contenders are compared by this figure; true by default. */
  compared?: false;
}

/** The tables of the results: the figures, the ratios to ours, and a line for each contender without figures. */
export function report<Figures>(outcomes: Outcome<Figures>[], rows: Row<Figures>[], ours: string): string {
  const measured = outcomes.flatMap(({ name, title, result }) =>
    result.state === "measured" ? [{ name, title, figures: result.figures }] : [],
  );
  const missing = outcomes.flatMap(({ name, result }) =>
    result.state === "measured" ? [] : [`${name}: ${result.state}: ${result.why}`],
  );
  const parts = [...missing];
  if (measured.length > 0) {
    parts.unshift(
      table(
        ["", ...measured.map(({ title }) => title)],
        rows.map(({ title, value, digits }) => [
          title,
          ...measured.map(({ figures }) => value(figures).toFixed(digits)),
        ]),
      ),
    );
  }
  const own = measured.find(({ name }) => name === ours);
  const others = measured.filter(({ name }) => name !== ours);
  if (own && others.length > 0) {
    parts.push(
      table(
        ["this module ÷", ...others.map(({ title }) => title)],
        rows
          .filter(({ compared }) => compared !== false)
          .map(({ title, value }) => [
            title,
            ...others.map(({ figures }) => ratio(value(own.figures), value(figures))),
          ]),
      ),
      "Below 1 is better for this module, above 1 for the other: everything here is a cost.",
    );
  }
  return ["", ...parts].join("\n");
}

/** The quantile `share` of the numbers, interpolated. NaN without numbers. */
export function quantile(numbers: number[], share: number): number {
  const sorted = [...numbers].sort((one, other) => one - other);
  const place = (sorted.length - 1) * share;
  const [low = NaN, high = NaN] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  return low + (high - low) * (place - Math.floor(place));
}

const ratio = (one: number, other: number): string => (other > 0 ? (one / other).toFixed(2) : "-");

/** A table as text with right-aligned figures. */
export function table(head: string[], body: string[][]): string {
  const drawn = new Table({
    head,
    colAligns: head.map((_, index) => (index === 0 ? "left" : "right")),
    style: { head: [], border: [], compact: true },
  });
  drawn.push(...body);
  return drawn.toString();
}
