import { SingleBar } from "cli-progress";
import { durationText } from "./time";

/** The progress of work, in any unit of effort. */
export interface Progress {
  done: number;
  total: number;
}

/** Where progress is shown, and the time. */
export interface Display {
  stream: NodeJS.WritableStream & { isTTY?: boolean };
  /** Milliseconds. */
  now: () => number;
}

/** Milliseconds between two lines, where there is no terminal. */
const pause = 10_000;

/** Progress that is shown, with the time left: on a terminal by a bar, elsewhere by a line every 10 s. */
export class ProgressDisplay {
  readonly #bar?: SingleBar;
  readonly #started: number;
  #told: number;
  #isShown = false;

  constructor(readonly display: Display = { stream: process.stderr, now: Date.now }) {
    const { stream, now } = display;
    this.#started = this.#told = now();
    if (stream.isTTY) this.#bar = new SingleBar({ format, clearOnComplete: true, hideCursor: true, stream });
  }

  show(progress: Progress): void {
    const { done, total } = progress;
    const { stream, now } = this.display;
    if (!this.#isShown) this.#bar?.start(total, 0, { left: "?" });
    this.#isShown = true;
    this.#bar?.update(done, { left: this.#left(progress) });
    if (this.#bar || now() - this.#told < pause || done >= total) return;
    this.#told = now();
    stream.write(`${Math.floor((100 * done) / total)} % done, about ${this.#left(progress)} left\n`);
  }

  /** Removes the bar. */
  stop(): void {
    this.#bar?.stop();
  }

  /** All of the past counts: the time left by the last updates alone would jump. */
  #left({ done, total }: Progress): string {
    const elapsed = this.display.now() - this.#started;
    return done > 0 ? durationText((elapsed * (total - done)) / done / 1000) : "?";
  }
}

/** Runs work to its end, and shows its progress. */
export function withProgress<Result>(work: Generator<Progress, Result>, display?: Display): Result {
  const shown = new ProgressDisplay(display);
  let next = work.next();
  try {
    for (; !next.done; next = work.next()) shown.show(next.value);
  } finally {
    shown.stop();
  }
  return next.value;
}

const format = "{bar} {percentage} %, about {left} left";
