import { TheilSenRegression } from "ml-regression";
import { Window } from "./window";

/**
 * The model of the line with the median slope of all pairs of the newest 20 loads (Theil 1950, Sen 1968;
 * ml-regression's TheilSenRegression). It is robust against bursts.
 */
export const theilSen = (): Window =>
  new Window({ name: "theil_sen", size: 20, fewest: 3, fit: (x, y) => new TheilSenRegression(x, y) });
