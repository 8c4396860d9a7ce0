import { faultText } from "../../definition/check";
import type { ConditionUpdate } from "../../kubernetes/conditions";
import { type Skew, skewText } from "../../kubernetes/server-clock";
import { faultsOfForecast } from "../forecast/schema";
import { clockSkewed } from "../report/report";
import { faultsOfSchedules } from "../scaling/schedule/schedule";
import type { Spec } from "../schema";

const [invalidSchedule, invalidForecast] = ["InvalidSchedule", "InvalidForecast"] as const;

export const invalidFieldReasons = [invalidSchedule, invalidForecast];

/** The conditions of fields that passed admission and that no rule of the CRD can check. */
export const invalidFields = (spec: Spec): ConditionUpdate[] =>
  [
    { reason: invalidSchedule, faults: faultsOfSchedules(spec) },
    { reason: invalidForecast, faults: faultsOfForecast(spec) },
  ].flatMap(({ reason, faults }): ConditionUpdate[] =>
    faults.length === 0 ? [] : [{ type: "Ready", status: "False", reason, message: faults.map(faultText).join("; ") }],
  );

/** The condition of clocks that differ: `own` of this process, `others` of servers of metrics. */
export function skewFailures(own: Skew | undefined, others: Skew[]): ConditionUpdate[] {
  const ours = "that of MLScaler; correct the clock of its node";
  const theirs = "that of the API server; correct it, until then its values lower nothing";
  const texts = [...(own ? [skewText(own, ours)] : []), ...others.map(skew => skewText(skew, theirs))];
  const message = [...new Set(texts)].join("; ");
  return message ? [{ type: clockSkewed, status: "True", reason: clockSkewed, message }] : [];
}
