import type { ConditionUpdate } from "../../kubernetes/conditions";
import { type Skew, skewText } from "../../kubernetes/server-clock";
import { clockSkewed } from "../report/report";

/** The condition of clocks that differ: `own` of this process, `others` of servers of metrics. */
export function skewFailures(own: Skew | undefined, others: Skew[]): ConditionUpdate[] {
  const ours = "that of MLScaler; correct the clock of its node";
  const theirs = "that of the API server; correct it, until then its values lower nothing";
  const texts = [...(own ? [skewText(own, ours)] : []), ...others.map(skew => skewText(skew, theirs))];
  const message = [...new Set(texts)].join("; ");
  return message ? [{ type: clockSkewed, status: "True", reason: clockSkewed, message }] : [];
}
