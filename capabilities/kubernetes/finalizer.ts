import { Api, ignoring, jsonPatch } from "./api";
import { Metadata } from "./metadata";

/** Adds `finalizer`; undefined if it was there. Tests the resourceVersion: no other one gets lost. Throws ApiError. */
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

/** Removes `finalizer` if it is still where it was read. Ignores a missing object. Throws ApiError. */
export async function removeFinalizer(api: Api, path: string, metadata: Metadata, finalizer: string): Promise<void> {
  const index = metadata.finalizers.indexOf(finalizer);
  if (index < 0) return;
  const patch = [
    { op: "test", path: `/metadata/finalizers/${index}`, value: finalizer },
    { op: "remove", path: `/metadata/finalizers/${index}` },
  ];
  await ignoring(api.patch(path, jsonPatch, patch), 404);
}
