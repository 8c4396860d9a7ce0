import { tablePageOf } from "../../table-page/page";

/**
 * The page of a fleet, with the placeholder REPORT for the data. The build of the CLI replaces this module by the
 * finished page.
 */
export const fleetPage = (): string =>
  tablePageOf(__dirname, {
    title: "mlscaler fleet",
    heading: "State of the MLScalers",
    rows: "MLScalers",
    faults: "Not understood",
  });
