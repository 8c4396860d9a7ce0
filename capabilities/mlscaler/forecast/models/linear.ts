import { SLR } from "ml-regression";
import { Window } from "./window";

/**
 * The load `steps` steps after the last one, on the least-squares line through `loads` (ml-regression's
 * SimpleLinearRegression, ordinary least squares); at least 0. x is the index in `loads`: epoch times would lose
 * precision. Throws Error when there are fewer than two loads or the line is not finite.
 * @param loads one load a step, oldest first
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

/** The model of the least-squares line through the newest 20 loads (ml-regression's SimpleLinearRegression). */
export const line = (): Window => new Window({ name: "linear", size: 20, fewest: 2, fit: (x, y) => new SLR(x, y) });
