import { errorFields, log } from "./log";
import { Metadata } from "./objects";
import { Surroundings } from "./reconciler";
import { apiVersionOf, Names } from "./resource";
import { watchMetadata } from "./watch";

/** The object of a kind that controls `child`, if one does. */
export const ownerOf = (
  resource: Names,
  { ownerReferences }: Pick<Metadata, "ownerReferences">,
): { name: string; uid: string } | undefined =>
  ownerReferences.find(
    ({ apiVersion, kind, controller }) => controller && kind === resource.kind && apiVersion === apiVersionOf(resource),
  );

/**
 * Watches the children of a kind, by their metadata and a label, until `signal`: one that is made, changed or deleted
 * wakes its owner, also when that was only seen to have happened after the watch was broken.
 */
export function watchChildren(
  { api, wake }: Surroundings,
  resource: Names,
  path: string,
  labelSelector: string,
  signal: AbortSignal,
): void {
  const owners = new Map<string, string>();
  let unseen: Set<string> | undefined;
  const wakeOwner = (owner: string | undefined): void => {
    if (owner !== undefined) wake(resource.kind, owner, "soon");
  };
  const handler = {
    listing: () => void (unseen = new Set(owners.keys())),
    listed: () => {
      for (const uid of unseen ?? []) {
        wakeOwner(owners.get(uid));
        owners.delete(uid);
      }
      unseen = undefined;
    },
    seen: (child: Metadata) => {
      unseen?.delete(child.uid);
      const owner = ownerOf(resource, child);
      if (owner) owners.set(child.uid, `${child.namespace}/${owner.name}`);
      // One that was taken from its owner wakes it too.
      wakeOwner(owners.get(child.uid));
      if (!owner) owners.delete(child.uid);
    },
    gone: (child: Metadata) => {
      wakeOwner(owners.get(child.uid));
      owners.delete(child.uid);
    },
    failed: (error: unknown) =>
      log.warn({ kind: resource.kind, path, ...errorFields(error) }, "the watch of children broke, it is begun anew"),
  };
  void watchMetadata(api, path, handler, signal, labelSelector);
}
