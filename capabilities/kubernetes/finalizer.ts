import { Api, isStatus, jsonPatch } from "./api";
import { Metadata } from "./metadata";

/**
 * Adds `finalizer` to the object at `path`, which was read with `metadata`. Returns the new object, or undefined if the
 * finalizer was present. The patch tests the resourceVersion, so that no finalizer of another controller gets lost.
 * Throws ApiError; 409 or 422 when the object changed since it was read.
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

/**
 * Removes `finalizer` from the object at `path`, and tests that its place in the list is as read. Ignores a missing
 * object. Throws ApiError.
 */
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
