// ml-regression ships without types; these are of the parts used here.
declare module "ml-regression" {
  export { SimpleLinearRegression as SLR } from "ml-regression-simple-linear";
}
