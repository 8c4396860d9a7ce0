import Table from "cli-table3";
import logUpdate from "log-update";
import pc from "picocolors";
import { withoutLines } from "../cli/table";
import { repeat } from "./wait";

/** A column of the display. */
export interface Column {
  heading: string;
  width: number;
}

/** The output of one turn of a display: the cells of a row, one per column, and sentences that stay below the rows. */
export interface Turn {
  cells?: string[];
  sentences?: string[];
}

/**
 * Shows rows and sentences as they come, each with the time since the start. On a terminal, redraws the last rows above
 * the sentences. Elsewhere, writes one line each.
 */
export class Display {
  readonly #output = process.stdout;
  readonly #columns: Column[];
  readonly #rows: string[][] = [];
  readonly #told: string[] = [];
  readonly #startedAt = Date.now();
  #headed = false;

  constructor(
    readonly title: string,
    columns: Column[],
  ) {
    this.#columns = [{ heading: "time", width: 10 }, ...columns];
  }

  /** Shows the result of `turn` every `everyMs` until `signal` aborts. Writes errors of `turn` to standard error. */
  async run(everyMs: number, signal: AbortSignal, turn: (now: number) => Promise<Turn>): Promise<void> {
    await repeat(everyMs, signal, async () => {
      const now = Date.now();
      const { cells, sentences = [] } = await turn(now);
      const time = new Date(now - this.#startedAt).toISOString().slice(11, 19);
      if (cells) this.#show([time, ...cells]);
      for (const sentence of sentences) this.#tell(`${time}  ${sentence}`);
    });
    if (this.#output.isTTY) logUpdate.done();
  }

  #show(cells: string[]): void {
    this.#rows.push(cells);
    if (this.#output.isTTY) return this.#redraw();
    if (!this.#headed) this.#output.write(`${this.title}\n${this.#table([this.#headings()])}\n`);
    this.#headed = true;
    this.#output.write(`${this.#table([cells])}\n`);
  }

  #tell(sentence: string): void {
    this.#told.push(sentence);
    if (this.#output.isTTY) this.#redraw();
    else this.#output.write(`${sentence}\n`);
  }

  #redraw(): void {
    const fitting = Math.max(5, (this.#output.rows ?? 24) - 6 - this.#told.length);
    if (this.#rows.length > fitting) this.#rows.splice(0, this.#rows.length - fitting);
    const headings = this.#headings().map(heading => pc.dim(heading));
    const table = this.#table([headings, ...this.#rows]);
    logUpdate([pc.bold(this.title), table, ...this.#told, pc.dim("Ctrl-C ends everything")].join("\n"));
  }

  #headings(): string[] {
    return this.#columns.map(({ heading }) => heading);
  }

  #table(rows: string[][]): string {
    const drawn = new Table({
      chars: withoutLines(),
      colWidths: this.#columns.map(({ width }) => width),
      style: { "padding-left": 0, "padding-right": 1 },
    });
    drawn.push(...rows);
    return drawn.toString();
  }
}

/** A bar of the Ready pods, followed by the missing ones in grey. */
export const bar = (ready: number, wanted: number): string =>
  "█".repeat(ready) + pc.dim("░".repeat(Math.max(0, wanted - ready)));
