import { type Assisted, putBack, readAssisted, type Unassisted } from "../assist/assist";
import { type Quota, withoutForecast } from "../memory/quota";
import type { TargetMetrics } from "../metrics/observer";
import { type BoundsNow, boundsAt, readings } from "../scaling/schedule/schedule";
import type { Ownership } from "../target/ownership";
import type { Ended, Scaler } from "./gather";
import { brokenSync, endedSync, type Sync } from "./steps";

export interface Acting {
  object: Scaler;
  bounds: BoundsNow;
  assisted?: Assisted;
  overQuota?: string;
  refused?: Sync;
}

/** The mode in which an MLScaler acts now, unless it stands back. Throws when HPAs cannot be listed. */
export async function inMode(
  found: Scaler,
  ownership: Ownership,
  quota: Quota,
  metrics: TargetMetrics,
): Promise<Acting> {
  for (const reading of readings(found.spec)) await found.turn("schedules", reading);
  // It waits until the HPAs are known, on which the mode depends.
  const rival = await ownership.conflictOf(found.metadata, found.spec);
  const mode = ownership.modeOf(found.metadata, found.spec);
  const hpas = ownership.hpasOn(found.metadata.namespace, found.spec);
  const moded = found.withSpec({ ...found.spec, mode });
  const assists = mode === "Assist" && !rival && hpas[0];
  const read = assists ? await readAssisted(moded, assists) : undefined;
  const [assisted, unassisted] = read && "reason" in read ? [undefined, read] : [read, undefined];
  const object = assisted ? moded.withSpec(assisted.spec) : moded;
  const bounds = await object.turn("schedules", () => boundsAt(object.spec, object.now.getTime()));
  const refused = (sync: Sync): Acting => ({ object, bounds, refused: sync });
  const notAssisted = unassisted && endedSync(endOf(unassisted));
  if (notAssisted && unassisted.reason === "FailedGetAutoscaler") return refused({ ...notAssisted, leftRaised: true });
  const error = await putBack(object, assisted ? [] : hpas, assisted?.autoscaler.path);
  if (error) return refused({ ...brokenSync(error), leftRaised: true });
  if (notAssisted) return refused(notAssisted);
  if (rival) {
    metrics.release(object.key);
    return refused(endedSync({ failures: [rival] }));
  }
  quota.claim(object.metadata, object.spec);
  const overQuota = quota.exceeded(object.key);
  const within = overQuota === undefined ? object : object.withSpec(withoutForecast(object.spec));
  return { object: within, bounds, assisted, overQuota };
}

const endOf = ({ error, ...condition }: Unassisted): Ended => ({
  failures: [{ type: "AbleToScale", status: "False", ...condition }],
  error,
});
