import Table from "cli-table3";
import logUpdate from "log-update";
import pc from "picocolors";

/** One line of the live display. */
export interface Row {
  /** Seconds since the start. */
  elapsedSeconds: number;
  /** The time in the trace. */
  traceTime: Date;
  load: string;
  forecast: string;
  wanted: number | undefined;
  ready: number;
  event: string;
}

const headings = ["time", "trace", "load", "forecast", "wanted", "ready", "", "last event"];
const widths = [10, 11, 8, 10, 8, 7, 24, 70];

/** Shows rows as they come: in a terminal the last ones, redrawn in place; elsewhere one line each. */
export class Display {
  readonly #rows: string[][] = [];
  #headed = false;

  constructor(
    readonly output: NodeJS.WriteStream,
    readonly title: string,
  ) {}

  /** Shows another row. */
  show(row: Row): void {
    const time = new Date(row.elapsedSeconds * 1000).toISOString().slice(11, 19);
    const trace = `${row.traceTime.toUTCString().slice(0, 3)} ${row.traceTime.toISOString().slice(11, 16)}`;
    const bar = "█".repeat(row.ready) + pc.dim("░".repeat(Math.max(0, (row.wanted ?? 0) - row.ready)));
    const cells = [time, trace, row.load, row.forecast, String(row.wanted ?? "-"), String(row.ready), bar, row.event];
    this.#rows.push(cells);
    if (this.output.isTTY) this.#redraw();
    else this.#print(cells);
  }

  /** Leaves what is shown on the screen. */
  end(): void {
    if (this.output.isTTY) logUpdate.done();
  }

  #redraw(): void {
    const fitting = Math.max(5, (this.output.rows ?? 24) - 6);
    if (this.#rows.length > fitting) this.#rows.splice(0, this.#rows.length - fitting);
    logUpdate(
      `${pc.bold(this.title)}\n${table([headings.map(heading => pc.dim(heading)), ...this.#rows])}\n${pc.dim("Ctrl-C ends everything")}`,
    );
  }

  #print(cells: string[]): void {
    if (!this.#headed) this.output.write(`${this.title}\n${table([headings])}\n`);
    this.#headed = true;
    this.output.write(`${table([cells])}\n`);
  }
}

function table(rows: string[][]): string {
  const none = {
    top: "",
    "top-mid": "",
    "top-left": "",
    "top-right": "",
    bottom: "",
    "bottom-mid": "",
    "bottom-left": "",
    "bottom-right": "",
  };
  const inner = { left: "", "left-mid": "", mid: "", "mid-mid": "", right: "", "right-mid": "", middle: "" };
  const drawn = new Table({
    chars: { ...none, ...inner },
    colWidths: widths,
    style: { "padding-left": 0, "padding-right": 1 },
  });
  drawn.push(...rows);
  return drawn.toString();
}
