import { Api, ApiError, applyPatch, isStatus } from "./api";
import { controlledBy, type ObjectReference, objectSchema } from "./metadata";
import { moduleName } from "./names";

/** Fields that `apply` took back, and the field managers that had set them. */
export interface TakenBack {
  fields: string[];
  from: string[];
}

/** Applies an object by server-side apply. Takes back fields that others set, and returns them. Throws ApiError. */
export async function apply(
  api: Api,
  path: string,
  object: object,
  fieldManager: string,
): Promise<{ object: unknown; takenBack?: TakenBack }> {
  try {
    return { object: await applyOnce(api, path, object, fieldManager, false) };
  } catch (error) {
    const takenBack = conflictsIn(error);
    if (!takenBack) throw error;
    return { object: await applyOnce(api, path, object, fieldManager, true), takenBack };
  }
}

/** Applies a status, which has one writer, by force. Throws ApiError; 404 or 409 when the object is gone. */
export const applyStatus = (api: Api, path: string, object: object, fieldManager: string): Promise<unknown> =>
  applyOnce(api, `${path}/status`, object, fieldManager, true);

/**
 * Applies an object that `owner` controls. With a uid it changes that object only; without one it only creates.
 * Needs no right on the finalizers of the owner. Returns the uid. Throws ApiError: 409 when another object has the name.
 */
export async function applyOwned(
  api: Api,
  path: string,
  { apiVersion, kind, ...names }: Omit<ObjectReference, "uid"> & { uid?: string },
  content: object,
  owner: ObjectReference,
): Promise<string> {
  const metadata = { ...names, ownerReferences: [{ ...controlledBy(owner), blockOwnerDeletion: false }] };
  const object = { apiVersion, kind, metadata, ...content };
  return objectSchema.parse(await applyOnce(api, path, object, moduleName, names.uid !== undefined)).metadata.uid;
}

const applyOnce = (api: Api, path: string, object: object, fieldManager: string, force: boolean): Promise<unknown> =>
  api.patch(path, applyPatch, object, { query: { fieldManager, force: String(force) } });

/** What an answer names, as 'Apply failed with 1 conflict: conflict with "kubectl" using apps/v1: .spec.replicas'. */
export function conflictsIn(error: unknown): TakenBack | undefined {
  if (!isStatus(error, 409) || !(error instanceof ApiError) || !error.message.startsWith("Apply failed"))
    return undefined;
  return {
    fields: [...new Set(error.message.match(/(?<=: |^- )\..+$/gm) ?? [])],
    from: [...new Set([...error.message.matchAll(/conflicts? with "([^"]+)"/g)].map(([, manager = ""]) => manager))],
  };
}
