import { faultText } from "../../definition/check";
import type { ConditionUpdate } from "../../kubernetes/conditions";
import { faultsOfForecast } from "../forecast/schema";
import { faultsOfSchedules } from "../scaling/schedule/schedule";
import type { Spec } from "../schema";

/** The reason of Ready when a schedule that passed admission has an invalid cron expression or time zone. */
const invalidSchedule = "InvalidSchedule";
/** The reason of Ready when a forecast block that passed admission has an invalid time zone. */
const invalidForecast = "InvalidForecast";

export const invalidFieldReasons = [invalidSchedule, invalidForecast];

/** The conditions of fields that passed admission and that no rule of the CRD can check. */
export const invalidFields = (spec: Spec): ConditionUpdate[] =>
  [
    { reason: invalidSchedule, faults: faultsOfSchedules(spec) },
    { reason: invalidForecast, faults: faultsOfForecast(spec) },
  ].flatMap(({ reason, faults }): ConditionUpdate[] =>
    faults.length === 0 ? [] : [{ type: "Ready", status: "False", reason, message: faults.map(faultText).join("; ") }],
  );
