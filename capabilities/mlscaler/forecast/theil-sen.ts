import { TheilSenRegression } from "ml-regression";
import { Window } from "./window";

/**
 * The line of the median slope between any two of the newest 20 loads, which a burst does not bend (Theil 1950,
 * Sen 1968; ml-regression's TheilSenRegression).
 */
export const theilSen = (): Window =>
  new Window({ name: "theil_sen", size: 20, fewest: 3, damping: 1, fit: (x, y) => new TheilSenRegression(x, y) });
