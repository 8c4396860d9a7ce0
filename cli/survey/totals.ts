import { Verdict, verdicts } from "../simulate/gain";
import { Row } from "./judge";

/** The sums of a survey. Hours and money are for 30 days. */
export interface Totals {
  workloads: number;
  verdicts: Record<Verdict, number>;
  /** Of those that gain: replica-hours against what serves as well without a forecast. */
  saved_replica_hours: number;
  saved_money?: number;
}

/** @param price the price of a replica-hour, in any currency */
export function totalsOf(rows: Row[], price: number | undefined): Totals {
  const gaining = rows.filter(({ verdict }) => verdict === "gains");
  const saved = gaining.reduce((sum, row) => sum + row.saved_replica_hours, 0);
  return {
    workloads: rows.length,
    verdicts: Object.fromEntries(
      verdicts.map(verdict => [verdict, rows.filter(row => row.verdict === verdict).length]),
    ) as Totals["verdicts"],
    saved_replica_hours: saved,
    ...(price !== undefined && { saved_money: Math.round(100 * saved * price) / 100 }),
  };
}
