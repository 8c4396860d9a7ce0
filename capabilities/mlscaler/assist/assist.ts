import * as z from "zod";
import { isStatus, mayPass, mergePatch } from "../../kubernetes/api";
import { asError, errorFields } from "../../kubernetes/log";
import { checkSpec } from "../../definition/check";
import { installAgain } from "../../operator/installed";
import type { Context, CustomObject } from "../../operator/custom-object";
import { isKnownWithoutPods } from "../metrics/registry";
import { scaleToZeroSchema } from "../scaling/zero/scale-to-zero";
import { mlscaler, type Spec, type Status } from "../schema";
import type { Hpa } from "../target/horizontal-pod-autoscalers";
import { type Autoscaler, type HeldMinimum, placeNamed, placeOf, readAutoscaler, readMinimum } from "./autoscaler";
import { defaultMetric, metricAsRead } from "./hpa-metrics";
import { fieldManager, type LastSet, type Minimum, ownMinimum, patchFor } from "./minimum";

export interface Assisted {
  autoscaler: Autoscaler;
  /** The minimum that its user set. */
  own: number;
  spec: Spec;
}

type Used = "context" | "metadata" | "spec" | "status" | "mustHoldLease";

export interface Unassisted {
  reason: "FailedGetAutoscaler" | "InvalidAutoscaler";
  message: string;
  /** Present when a retry may repair it. */
  error?: Error;
}

/** Reads an autoscaler, and completes the spec that assists it. Failures are part of the result. */
export async function readAssisted(
  { context, spec, status }: Pick<CustomObject<Spec, Status>, "spec" | "status"> & { context: Pick<Context, "api"> },
  hpa: Hpa,
): Promise<Assisted | Unassisted> {
  try {
    const autoscaler = await readAutoscaler(context.api, hpa);
    const gone = `${hpa.text} is being deleted`;
    if (!autoscaler) return { reason: "FailedGetAutoscaler", message: gone, error: new Error(gone) };
    const own = ownMinimum(autoscaler, lastSet(status), spec.guard_replicas ?? false);
    const { spec: completed, faults } = completedBy(spec, autoscaler, own);
    if (completed) return { autoscaler, own, spec: completed };
    return { reason: "InvalidAutoscaler", message: `${hpa.text}: ${faults.join("; ")}` };
  } catch (error) {
    const shape = error instanceof z.ZodError;
    const message = `${hpa.text}: ${shape ? z.prettifyError(error) : errorFields(error).error}`;
    const mayRecover = !shape && mayPass(error);
    return {
      reason: shape ? "InvalidAutoscaler" : "FailedGetAutoscaler",
      message: isStatus(error, 403) ? `${message}; ${remedy}` : message,
      ...(mayRecover && { error: asError(error) }),
    };
  }
}

const remedy =
  "grant get and patch of horizontalpodautoscalers of the group autoscaling, and of scaledobjects of the group " +
  `keda.sh (${installAgain}; assist.enabled=true in the Helm chart)`;

/** The minimum that a status names. */
export const lastSet = ({ assist }: Status): LastSet | undefined =>
  assist && { own: assist.own_min_replicas, raised: assist.min_replicas };

/** The spec of an MLScaler, with what its autoscaler has where it says nothing; or the faults of that. */
function completedBy(
  { written, mode }: Spec,
  { maximum, metrics, behavior }: Autoscaler,
  own: number,
): { spec?: Spec; faults: string[] } {
  if (!written) throw new RangeError("only a spec that assists is completed");
  const { min_replicas: least, max_replicas = maximum } = written;
  const read = metrics.map(metricAsRead);
  const most = Math.min(max_replicas, maximum);
  // 1 is the default, which may be above that of an autoscaler that scales to 0.
  const min_replicas = Math.min(least > 1 ? Math.max(least, own) : own, most);
  const { spec, faults } = checkSpec(mlscaler, {
    ...written,
    mode: "Active",
    // What the autoscaler decides alone.
    ...{ scale_to_zero: undefined, on_metric_failure: undefined },
    // The autoscaler wakes its target, whatever metrics the MLScaler has.
    min_replicas: Math.max(1, min_replicas),
    max_replicas: Math.max(1, most),
    ...(written.metric === undefined && { metrics: written.metrics ?? (read.length > 0 ? read : [defaultMetric]) }),
    ...(behavior !== undefined && written.behavior === undefined && { behavior }),
  });
  if (!spec) return { faults };
  // Work is what the metrics say that are known at 0 replicas.
  const sleeps = min_replicas === 0 && spec.metrics.some(isKnownWithoutPods);
  const zero = sleeps && { scale_to_zero: scaleToZeroSchema.parse({}) };
  return { spec: { ...spec, ...zero, mode, min_replicas, written }, faults: [] };
}

interface Raised {
  written: boolean;
  failure?: { message: string; error?: Error };
  /** Present when the autoscaler changed between the read and the write. */
  conflict?: true;
}

/** Sets the minimum of an autoscaler, if it is another one. Throws when the Lease was lost. */
export async function setMinimum(
  object: Pick<CustomObject<unknown, Status>, "context" | "metadata" | "mustHoldLease">,
  autoscaler: HeldMinimum,
  minimum: Minimum,
): Promise<Raised> {
  const patch = patchFor(autoscaler, minimum, object.metadata.name);
  if (!patch) return { written: false };
  object.mustHoldLease();
  try {
    const answer = await object.context.api.patch(autoscaler.path, mergePatch, patch, { query: { fieldManager } });
    if (minimum.until === undefined) await disown(object, autoscaler.path, answer);
    return { written: true };
  } catch (error) {
    if (isStatus(error, 409)) return { written: false, conflict: true };
    const { text, field } = autoscaler;
    const message = `${field} of ${text} cannot be set to ${minimum.replicas}: ${errorFields(error).error}`;
    if (mayPass(error)) return { written: false, failure: { message, error: asError(error) } };
    return { written: false, failure: { message: isStatus(error, 403) ? `${message}; ${remedy}` : message } };
  }
}

const managedSchema = z.object({
  metadata: z.object({
    resourceVersion: z.string(),
    managedFields: z.array(z.looseObject({ manager: z.string().optional() })).default([]),
  }),
});

// Gives up the field of a minimum that was put back, so that an apply of others meets no conflict. No write can set and
// disown it. A failure leaves that to the next one. An HPA gets its status at once, so it tries three times.
async function disown(
  object: Pick<CustomObject<unknown, Status>, "context" | "mustHoldLease">,
  path: string,
  found: unknown,
  tries = 3,
): Promise<void> {
  const { api } = object.context;
  const { data } = managedSchema.safeParse(found);
  const { resourceVersion, managedFields = [] } = data?.metadata ?? {};
  const others = managedFields.filter(({ manager }) => manager !== fieldManager);
  if (others.length === managedFields.length) return;
  object.mustHoldLease();
  // An empty list would change nothing.
  const metadata = { resourceVersion, managedFields: others.length > 0 ? others : [{}] };
  const failure = await api
    .patch(path, mergePatch, { metadata }, { query: { fieldManager } })
    .then(() => undefined, asError);
  if (tries > 1 && isStatus(failure, 409))
    await disown(object, path, await api.find(path).catch(() => undefined), tries - 1);
}

/** Puts back raised minimums of the target and in the status, but `kept`. Returns a failure that a retry may repair. */
export async function putBack(
  object: Pick<CustomObject<Spec | undefined, Status>, Used | "log">,
  hpas: Hpa[],
  kept?: string,
): Promise<Error | undefined> {
  const { context, metadata, spec, status } = object;
  // At a deletion, no watch and no status is late.
  const isAsked = status.assist !== undefined || metadata.deletionTimestamp !== undefined;
  const places = hpas.filter(hpa => isAsked || hpa.assistedBy === metadata.name).map(placeOf);
  if (status.assist) places.push(placeNamed(status.assist.autoscaler, metadata.namespace));
  for (const place of new Map(places.map(one => [one.path, one])).values()) {
    if (place.path === kept) continue;
    const read = await readMinimum(context.api, place).catch(asError);
    if (read instanceof Error) {
      if (mayPass(read)) return read;
      object.log("warn", "FailedGetAutoscaler", `the minimum of ${place.text} is not put back: ${read.message}`);
      continue;
    }
    const isOurs = read && (read.note ? read.note.by === metadata.name : status.assist?.autoscaler === place.text);
    if (!isOurs) continue;
    const own = ownMinimum(read, lastSet(status), spec?.guard_replicas ?? false);
    const { conflict, failure } = await setMinimum(object, read, { own, replicas: own });
    if (conflict) return new Error(`${place.text} changed while its minimum was put back`);
    if (failure?.error) return failure.error;
    if (failure) object.log("warn", "FailedUpdateMinimum", failure.message);
  }
  return undefined;
}
