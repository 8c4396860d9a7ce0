import { Api, ApiError, applyPatch, isStatus } from "./api";

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
