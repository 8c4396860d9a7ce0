import { PolynomialRegression } from "ml-regression";
import { Window } from "./window";

/** The model of the least-squares parabola through the newest 30 loads (ml-regression's PolynomialRegression). */
export const polynomial = (): Window =>
  new Window({
    name: "polynomial",
    size: 30,
    fewest: 4,

    fit: (x, y) => new PolynomialRegression(x, y, 2),
  });
