import * as z from "zod";

/** What every sync needs to know of an object's metadata; the rest is left alone. */
export const metadataSchema = z.object({
  name: z.string(),
  namespace: z.string().default(""),
  uid: z.string(),
  resourceVersion: z.string().default(""),
  generation: z.number().default(0),
  // Some API servers write null into bookmarks.
  creationTimestamp: z
    .string()
    .nullish()
    .transform(time => time ?? ""),
  deletionTimestamp: z
    .string()
    .nullish()
    .transform(time => time ?? undefined),
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

/** An object that conditions, events, logs and owner references speak of. */
export interface ObjectReference {
  apiVersion: string;
  kind: string;
  namespace: string;
  name: string;
  uid: string;
}

/** The owner reference of a child that `owner` controls: it is garbage-collected with it, and no other controller takes it. */
export const controlledBy = ({ apiVersion, kind, name, uid }: ObjectReference): object => ({
  apiVersion,
  kind,
  name,
  uid,
  controller: true,
  blockOwnerDeletion: true,
});

/** Labels as the text of a selector: "app=web,tier=front". */
export const selectorText = (labels: Record<string, string>): string =>
  Object.entries(labels)
    .map(([label, value]) => `${label}=${value}`)
    .join(",");

/** What to say of an object that has the name of a child of `owner` and is not its child. */
export function nameTaken(kind: string, { name, ownerReferences }: Metadata, owner: { kind: string }): string {
  const controller = ownerReferences.find(reference => reference.controller);
  const whose = controller ? `${controller.kind} ${controller.name}` : `no ${owner.kind}`;
  return `${kind} ${name} is there already, belongs to ${whose} and is left alone; delete it, or create the ${owner.kind} under another name`;
}

/** Whether the object is controlled by `owner`. */
export const isControlledBy = (
  child: Pick<Metadata, "ownerReferences">,
  owner: Pick<ObjectReference, "uid">,
): boolean => child.ownerReferences.some(reference => reference.controller && reference.uid === owner.uid);
