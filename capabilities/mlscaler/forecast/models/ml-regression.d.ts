// ml-regression ships without types; these are of the parts used here.
declare module "ml-regression" {
  import type { BaseRegression } from "ml-regression-base";

  export { SimpleLinearRegression as SLR } from "ml-regression-simple-linear";
  export { PolynomialRegression } from "ml-regression-polynomial";
  export class TheilSenRegression extends BaseRegression {
    constructor(x: number[], y: number[]);
  }
}
