import { type Assisted, setMinimum } from "../assist/assist";
import { nextMinimum } from "../assist/minimum";
import { instantOf } from "../../kubernetes/time";
import { type AssistedNow, failedUpdateMinimum } from "../report/report";
import type { Plan } from "../scaling/plan";
import type { Action, Conflicts } from "./act";
import type { Ended, Gathered, Scaler } from "./gather";

/** Sets the minimum of an assisted autoscaler. Failures are part of the result. Throws when the Lease was lost. */
export async function assist(
  object: Scaler,
  { autoscaler, own }: Assisted,
  found: Ended | (Gathered & { planned: Plan }),
  conflicts: Conflicts,
): Promise<Action & { assisted?: AssistedNow }> {
  const { key, spec, now } = object;
  const isPlanned = "world" in found;
  const replicas = isPlanned ? found.scale.replicas : (found.current ?? 0);
  const isGone = !isPlanned && found.error === undefined;
  const horizons = isPlanned ? found.planned.forecasts.map(forecast => forecast?.horizonSeconds ?? 0) : [];
  const situation = { spec, own, now: now.getTime(), horizonSeconds: Math.max(0, ...horizons) };
  const plan = isPlanned ? { ...found.planned, world: found.world } : undefined;
  const minimum = isGone ? { own, replicas: own } : nextMinimum(autoscaler, plan, situation);

  const { written, conflict, failure } = await setMinimum(object, autoscaler, minimum);
  const action = { decided: true, scaled: false, replicas, failures: [] };
  if (conflict && conflicts.mayRetry(key)) return { ...action, decided: false, conflict };
  if (!conflict) conflicts.end(key);
  const { minimum: before, note } = autoscaler;
  const left = { own, replicas: before, until: instantOf(note?.until) };
  const assisted = { autoscaler, before, written, minimum: written ? minimum : left };
  const message = failure?.message ?? (conflict && `${autoscaler.text} changes at each write of its minimum`);
  if (message === undefined) return { ...action, assisted };
  const condition = { type: "AbleToScale", status: "False", reason: failedUpdateMinimum, message } as const;
  return { ...action, failures: [condition], assisted, error: failure ? failure.error : new Error(message) };
}
