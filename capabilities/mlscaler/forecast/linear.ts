import { SLR } from "ml-regression";
import { Window } from "./window";

/**
 * The load `steps` steps after the last one, on the least-squares line through `loads` (oldest first, one a step).
 * x is the index within the window, never the epoch, which loses all precision (ml-regression's SimpleLinearRegression,
 * ordinary least squares). Never negative. Throws when there are fewer than two loads or the line is not finite.
 */
export function linear(loads: number[], steps: number): number {
  if (loads.length < 2) throw new Error(`a line needs 2 samples, there are ${loads.length}`);
  const line = new SLR(
    loads.map((_, index) => index),
    loads,
  );
  const load = line.predict(loads.length - 1 + steps);
  if (!Number.isFinite(load)) throw new Error(`the line through ${loads.length} samples gives ${load}`);
  return Math.max(0, load);
}

/**
 * The least-squares line through the newest 20 loads (ml-regression's SimpleLinearRegression). With `damping` it goes
 * only that share of its slope: among others half of it is worth more than all, which overshoots.
 */
export const line = (damping = 1): Window =>
  new Window({ name: "linear", size: 20, fewest: 2, damping, fit: (x, y) => new SLR(x, y) });
