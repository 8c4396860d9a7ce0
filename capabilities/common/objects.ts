import { z } from "zod";

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
