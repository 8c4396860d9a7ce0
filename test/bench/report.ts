import Table from "cli-table3";

/** What became of one contender. */
export interface Outcome<Figures> {
  name: string;
  /** What it is, for the head of a column. */
  title: string;
  result:
    | { state: "measured"; figures: Figures }
    /** It cannot be measured on this machine. */
    | { state: "not measured"; why: string }
    /** It did not do what was asked. */
    | { state: "failed"; why: string };
}

/** One line of the tables. Every figure is a cost: the less the better. */
export interface Row<Figures> {
  title: string;
  value: (figures: Figures) => number;
  digits: number;
  /** Whether the contenders are compared by it; they are unless it says false. */
  compared?: false;
}

/** The tables of what was measured, ours beside the others and divided by them, and a line for each that was not. */
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

/** The value that `share` of the numbers do not exceed, between two of them where it lies there. NaN without numbers. */
export function quantile(numbers: number[], share: number): number {
  const sorted = [...numbers].sort((one, other) => one - other);
  const place = (sorted.length - 1) * share;
  const [low = NaN, high = NaN] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  return low + (high - low) * (place - Math.floor(place));
}

const ratio = (one: number, other: number): string => (other > 0 ? (one / other).toFixed(2) : "-");

/** A table as text, figures to the right. */
export function table(head: string[], body: string[][]): string {
  const drawn = new Table({
    head,
    colAligns: head.map((_, index) => (index === 0 ? "left" : "right")),
    style: { head: [], border: [], compact: true },
  });
  drawn.push(...body);
  return drawn.toString();
}
