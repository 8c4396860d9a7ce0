import { Api, isStatus, jsonPatch } from "./api";
import { Metadata } from "./objects";

/**
 * Adds `finalizer` to the object at `path`, where `metadata` is how it was read, and returns the object that it is now,
 * or undefined when it was there. The patch tests that the list is still as read, so that no other's finalizer is lost.
 * Throws ApiError (409 or 422 when it changed meanwhile: read again).
 */
export async function addFinalizer(api: Api, path: string, metadata: Metadata, finalizer: string): Promise<unknown> {
  if (metadata.finalizers.includes(finalizer)) return undefined;
  const { finalizers, resourceVersion } = metadata;
  return api.patch(path, jsonPatch, [
    { op: "test", path: "/metadata/resourceVersion", value: resourceVersion },
    finalizers.length === 0
      ? { op: "add", path: "/metadata/finalizers", value: [finalizer] }
      : { op: "add", path: "/metadata/finalizers/-", value: finalizer },
  ]);
}

/** Removes `finalizer` from the object at `path`, testing that it is where it was read. An object already gone is fine. Throws ApiError. */
export async function removeFinalizer(api: Api, path: string, metadata: Metadata, finalizer: string): Promise<void> {
  const index = metadata.finalizers.indexOf(finalizer);
  if (index < 0) return;
  try {
    await api.patch(path, jsonPatch, [
      { op: "test", path: `/metadata/finalizers/${index}`, value: finalizer },
      { op: "remove", path: `/metadata/finalizers/${index}` },
    ]);
  } catch (error) {
    if (!isStatus(error, 404)) throw error;
  }
}
