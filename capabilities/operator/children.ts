import { errorFields, log } from "../kubernetes/log";
import { keyOf, Metadata } from "../kubernetes/metadata";
import { Context } from "./custom-object";
import { apiVersionOf, Names } from "../definition/resource";
import { watchMetadata } from "../kubernetes/watch";

/** The owner of `child` if it is the controller and of the kind `resource`. */
export const ownerOf = (
  resource: Names,
  { ownerReferences }: Pick<Metadata, "ownerReferences">,
): { name: string; uid: string } | undefined =>
  ownerReferences.find(
    ({ apiVersion, kind, controller }) => controller && kind === resource.kind && apiVersion === apiVersionOf(resource),
  );

/** Wakes the owner of each labelled child that is created, changed or deleted, until `signal`. */
export function watchChildren(
  { api, namespaces, wake }: Context,
  resource: Names,
  path: string,
  labelSelector: string,
  signal: AbortSignal,
): void {
  const ownerKeys = new Map<string, string>();
  const wakeOwner = (owner: string | undefined): void => {
    if (owner !== undefined) wake(resource.kind, owner, "soon");
  };
  const handler = {
    keys: () => ownerKeys.keys(),
    seen: (child: Metadata, key: string) => {
      const before = ownerKeys.get(key);
      const owner = ownerOf(resource, child);
      const after = owner && keyOf({ namespace: child.namespace, name: owner.name });
      if (after !== undefined) ownerKeys.set(key, after);
      else ownerKeys.delete(key);
      wakeOwner(after);
      // The owner that lost the child has to create another.
      if (before !== after) wakeOwner(before);
    },
    gone: (key: string) => {
      wakeOwner(ownerKeys.get(key));
      ownerKeys.delete(key);
    },
    failed: (error: unknown) =>
      log.warn({ kind: resource.kind, path, ...errorFields(error) }, "watch of children broke, re-listing"),
  };
  void watchMetadata(api, path, handler, signal, { labelSelector, namespaces });
}
