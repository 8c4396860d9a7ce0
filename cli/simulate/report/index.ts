import { reportDataOf } from "./data";
import { page } from "./page";
import { withReport } from "./placeholder";

/** The report as one HTML file without references to other files or the network. */
export const reportOf = (...simulation: Parameters<typeof reportDataOf>): string =>
  withReport(page(), JSON.stringify(reportDataOf(...simulation)));
