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

/**
 * Runs work to its end. Shows its progress and the time left: on a terminal by a bar, elsewhere by a line every 10 s.
 */
export function withProgress<Result>(
  work: Generator<Progress, Result>,
  { stream, now }: Display = { stream: process.stderr, now: Date.now },
): Result {
  const started = now();
  // All of the past counts: the time left by the last updates alone would jump.
  const left = ({ done, total }: Progress): string =>
    done > 0 ? durationText(((now() - started) * (total - done)) / done / 1000) : "?";
  const bar = stream.isTTY ? new SingleBar({ format, clearOnComplete: true, hideCursor: true, stream }) : undefined;
  let next = work.next();
  if (!next.done) bar?.start(next.value.total, 0, { left: "?" });
  let told = started;
  try {
    for (; !next.done; next = work.next()) {
      const progress = next.value;
      bar?.update(progress.done, { left: left(progress) });
      if (bar || now() - told < pause || progress.done >= progress.total) continue;
      told = now();
      stream.write(`${Math.floor((100 * progress.done) / progress.total)} % done, about ${left(progress)} left\n`);
    }
  } finally {
    bar?.stop();
  }
  return next.value;
}

const format = "{bar} {percentage} %, about {left} left";
