import Table from "cli-table3";
import logUpdate from "log-update";
import pc from "picocolors";
import { withoutLines } from "../cli/table";

/** A column of the live display. */
export interface Column {
  heading: string;
  width: number;
}

/** Shows rows as they come: in a terminal the last ones, redrawn in place, above what was told; elsewhere one line each. */
export class Display {
  readonly #rows: string[][] = [];
  readonly #told: string[] = [];
  #headed = false;

  constructor(
    readonly output: NodeJS.WriteStream,
    readonly title: string,
    readonly columns: Column[],
  ) {}

  /** Shows another row, a cell for each column. */
  show(cells: string[]): void {
    this.#rows.push(cells);
    if (this.output.isTTY) return this.#redraw();
    if (!this.#headed) this.output.write(`${this.title}\n${this.#table([this.#headings()])}\n`);
    this.#headed = true;
    this.output.write(`${this.#table([cells])}\n`);
  }

  /** Shows a sentence, which stays. */
  tell(sentence: string): void {
    this.#told.push(sentence);
    if (this.output.isTTY) this.#redraw();
    else this.output.write(`${sentence}\n`);
  }

  /** Leaves what is shown on the screen. */
  end(): void {
    if (this.output.isTTY) logUpdate.done();
  }

  #redraw(): void {
    const fitting = Math.max(5, (this.output.rows ?? 24) - 6 - this.#told.length);
    if (this.#rows.length > fitting) this.#rows.splice(0, this.#rows.length - fitting);
    const headings = this.#headings().map(heading => pc.dim(heading));
    const table = this.#table([headings, ...this.#rows]);
    logUpdate([pc.bold(this.title), table, ...this.#told, pc.dim("Ctrl-C ends everything")].join("\n"));
  }

  #headings(): string[] {
    return this.columns.map(({ heading }) => heading);
  }

  #table(rows: string[][]): string {
    const drawn = new Table({
      chars: withoutLines(),
      colWidths: this.columns.map(({ width }) => width),
      style: { "padding-left": 0, "padding-right": 1 },
    });
    drawn.push(...rows);
    return drawn.toString();
  }
}

/** Ready pods, and in grey those that are asked for and not Ready yet. */
export const bar = (ready: number, wanted: number): string =>
  "█".repeat(ready) + pc.dim("░".repeat(Math.max(0, wanted - ready)));

/** Seconds as hours, minutes and seconds: 00:03:05. */
export const clock = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(11, 19);
