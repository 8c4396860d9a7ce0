import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { Api, isStatus, jsonPatch, mayPass } from "../../capabilities/kubernetes/api";
import { errorFields } from "../../capabilities/kubernetes/log";
import { apiVersionOf } from "../../capabilities/definition/resource";
import { fieldsSchema, mlscaler, statusSchema } from "../../capabilities/mlscaler/schema";
import { InputError } from "../manifests";
import { durationText } from "../simulate/time";

/** Where an MLScaler is. */
export interface Place {
  api: Api;
  namespace: string;
  name: string;
}

const { target_deployment, target_ref, mode, take_over, min_replicas, guard_replicas } = fieldsSchema.shape;

const objectSchema = z.object({
  metadata: z.object({ name: z.string(), namespace: z.string(), generation: z.int() }),
  spec: z.looseObject({ target_deployment, target_ref, mode, take_over, min_replicas, guard_replicas }),
  status: statusSchema.default({}),
});

/** An MLScaler as the cluster has it. Its spec has the fields that this command does not look at, too. */
export type ScalerObject = z.output<typeof objectSchema>;

const pathOf = ({ namespace, name }: Place): string =>
  `/apis/${apiVersionOf(mlscaler)}/namespaces/${namespace}/${mlscaler.plural}/${name}`;

/** Reads an MLScaler. Throws InputError when there is none, and ApiError. */
export async function readScaler(place: Place): Promise<ScalerObject> {
  const found = await place.api.find(pathOf(place));
  if (found !== undefined) return objectSchema.parse(found);
  throw new InputError(`no MLScaler ${place.name} in namespace ${place.namespace}; use -n or --context`);
}

/**
 * Sets the spec of an MLScaler, unless it changed since it was read. Throws ApiError, also when admission refuses it.
 * @param dryRun whether to ask admission only
 */
export async function writeSpec(
  place: Place,
  { metadata }: ScalerObject,
  spec: object,
  { dryRun = false } = {},
): Promise<void> {
  const patch = [
    { op: "test", path: "/metadata/generation", value: metadata.generation },
    { op: "replace", path: "/spec", value: spec },
  ];
  const query = { fieldManager: "mlscaler-take-over", ...(dryRun && { dryRun: "All" }) };
  await place.api.patch(pathOf(place), jsonPatch, patch, { query });
}

/** How often the status is read while this command waits for it, in ms. */
const pollMilliseconds = 1000;

/**
 * Waits until a sync of the whole spec found no fault, and `missing` has nothing to say. Throws InputError after
 * `timeout` milliseconds, and ApiError.
 */
export async function untilSynced(
  place: Place,
  timeout: number,
  missing: (object: ScalerObject) => string | undefined = () => undefined,
): Promise<void> {
  const end = Date.now() + timeout;
  for (;;) {
    const why = await readScaler(place).then(
      object => unsynced(object) ?? missing(object),
      (error: unknown) => {
        if (error instanceof InputError || !mayPass(error)) throw error;
        return errorFields(error).error;
      },
    );
    if (why === undefined) return;
    if (Date.now() >= end) throw new InputError(`MLScaler ${place.name} after ${durationText(timeout / 1000)}: ${why}`);
    await delay(pollMilliseconds);
  }
}

/** Why the last sync does not tell that an MLScaler works. */
function unsynced({ metadata, status }: ScalerObject): string | undefined {
  if ((status.observedGeneration ?? 0) < metadata.generation)
    return "it is not synced since its spec changed; see whether the watcher runs";
  const ready = status.conditions?.find(({ type }) => type === "Ready");
  return ready?.status === "True" ? undefined : `${ready?.reason}: ${ready?.message}`;
}

/** Waits until there is no object at a path. Throws InputError after `timeout` milliseconds, and ApiError. */
export async function untilGone(api: Api, path: string, what: string, timeout: number): Promise<void> {
  const end = Date.now() + timeout;
  while ((await api.find(path)) !== undefined) {
    if (Date.now() >= end) throw new InputError(`${what} is still there after ${durationText(timeout / 1000)}`);
    await delay(pollMilliseconds);
  }
}

/** Deletes an object, if it is the one that was read. One that is gone is no error. Throws ApiError. */
export async function remove(api: Api, path: string, uid: string | undefined): Promise<void> {
  try {
    await api.delete(path, { apiVersion: "v1", kind: "DeleteOptions", ...(uid && { preconditions: { uid } }) });
  } catch (error) {
    if (!isStatus(error, 404)) throw error;
  }
}
