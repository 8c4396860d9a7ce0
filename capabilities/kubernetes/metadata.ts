import * as z from "zod";

// Some API servers write null into bookmarks.
const nullable = z.string().nullish();

export const metadataSchema = z.object({
  name: z.string(),
  namespace: z.string().default(""),
  uid: z.string(),
  resourceVersion: z.string().default(""),
  generation: z.number().default(0),
  creationTimestamp: nullable.transform(time => time ?? ""),
  deletionTimestamp: nullable.transform(time => time ?? undefined),
  finalizers: z.array(z.string()).default([]),
  ownerReferences: z
    .array(
      z.object({
        apiVersion: z.string(),
        kind: z.string(),
        name: z.string(),
        uid: z.string(),
        controller: z.boolean().default(false),
      }),
    )
    .default([]),
});

export type Metadata = z.infer<typeof metadataSchema>;

export const objectSchema = z.object({ metadata: metadataSchema });

/** The key of an object within its kind: "namespace/name". */
export const keyOf = ({ namespace, name }: Pick<Metadata, "namespace" | "name">): string => `${namespace}/${name}`;

/** The namespace in the key of an object. */
export const namespaceOf = (key: string): string => key.slice(0, key.indexOf("/"));

/** Whether an object is older than another: by creationTimestamp, then by uid. */
export const isOlder = (one: Pick<Metadata, "creationTimestamp" | "uid">, other: typeof one): boolean =>
  one.creationTimestamp === other.creationTimestamp
    ? one.uid < other.uid
    : one.creationTimestamp < other.creationTimestamp;

export interface ObjectReference {
  apiVersion: string;
  kind: string;
  namespace: string;
  name: string;
  uid: string;
}

/** The controller reference of a child to `owner`, with which the garbage collector deletes it. */
export const controlledBy = ({ apiVersion, kind, name, uid }: ObjectReference): object => ({
  apiVersion,
  kind,
  name,
  uid,
  controller: true,
  blockOwnerDeletion: true,
});

/** The message for an object that has the name of a child of `owner` and is not its child. */
export function nameTaken(kind: string, { name, ownerReferences }: Metadata, owner: { kind: string }): string {
  const controller = ownerReferences.find(reference => reference.controller);
  const whose = controller
    ? `is controlled by ${controller.kind} ${controller.name}`
    : `is not controlled by this ${owner.kind}`;
  return (
    `${kind} ${name} already exists and ${whose}; it was not changed; ` +
    `delete it, or create the ${owner.kind} under another name`
  );
}

/** The message for a child that is being deleted. Its owner creates it again. */
export const createdAgain = (kind: string, name: string): string =>
  `${kind} ${name} is being deleted, it is created again after that`;

/** Whether `owner` is the controller of `child`. */
export const isControlledBy = (
  child: Pick<Metadata, "ownerReferences">,
  owner: Pick<ObjectReference, "uid">,
): boolean => child.ownerReferences.some(reference => reference.controller && reference.uid === owner.uid);
