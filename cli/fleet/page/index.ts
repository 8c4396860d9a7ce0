import { conditions } from "../../../capabilities/mlscaler/report/conditions";
import { withReport } from "../../simulate/report/placeholder";
import { durationText, minuteText } from "../../simulate/time";
import { Fleet } from "../fleet";
import { Row } from "../row";
import { sentencesOf } from "../table";
import { Totals, totalsOf } from "../totals";
import { whyOf } from "../why";
import { fleetPage } from "./page";

/** The data of the page. */
export interface FleetData {
  subtitle: string;
  command: string;
  totals: Totals;
  sentences: string[];
  rows: (Row & {
    why: string;
    /** The durations of the last 24 hours in words. */
    under: { target: string; withoutForecast: string };
  })[];
  faults: string[];
  /** The meanings of the reasons in the rows. */
  meanings: Record<string, string>;
}

/** The fleet at a time as one HTML file without references to other files or the network. */
export function fleetPageOf(
  { rows, faults }: Pick<Fleet, "rows" | "faults">,
  { command, at }: { command: string; at: Date },
): string {
  const totals = totalsOf(rows);
  const data: FleetData = {
    subtitle: `By the statuses of ${minuteText(at.toISOString())} UTC`,
    command,
    totals,
    sentences: sentencesOf(totals),
    rows: rows.map(row => {
      const { underprovisioned_seconds: seconds = 0, underprovisioned_seconds_without_forecast: without = 0 } =
        row.last_24_hours ?? {};
      const under = { target: durationText(seconds), withoutForecast: durationText(without) };
      return { ...row, why: whyOf(row, at.getTime()), under };
    }),
    faults,
    meanings: meaningsOf(rows),
  };
  return withReport(fleetPage(), JSON.stringify(data));
}

/** What docs/reference/conditions.md says of each reason in the rows. */
function meaningsOf(rows: Row[]): FleetData["meanings"] {
  const reasons = new Set(rows.flatMap(({ problems }) => problems.map(({ reason }) => reason)));
  return Object.fromEntries(
    Object.values(conditions)
      .flatMap(condition => Object.entries(condition.reasons))
      .flatMap(([reason, { meaning }]) => (reasons.has(reason) ? [[reason, meaning.replaceAll("`", "")]] : [])),
  );
}
