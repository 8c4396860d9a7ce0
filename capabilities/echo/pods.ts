import * as z from "zod";
import { ownerOf } from "../common/children";
import { errorFields, log } from "../common/log";
import { controlledBy, metadataSchema, ObjectReference, selectorText } from "../common/objects";
import { Surroundings } from "../common/reconciler";
import { watchObjects } from "../common/watch";
import { Pod } from "./plan";
import { echo, Spec } from "./schema";

/** How many pods failed, one after the other, before the one that has this annotation. */
const failuresAnnotation = "my-operator.dev/failures";

/** The image that the pod was made with; other admission webhooks may write another into the container. */
const imageAnnotation = "my-operator.dev/image";

const container = "nginx";

const timeSchema = z.string().transform(text => Date.parse(text) || undefined);

const podSchema = z.object({
  metadata: metadataSchema.extend({
    labels: z.record(z.string(), z.string()).default({}),
    annotations: z.record(z.string(), z.string()).default({}),
  }),
  spec: z.object({ containers: z.array(z.object({ name: z.string(), image: z.string().default("") })) }),
  status: z
    .object({
      phase: z.string().default("Pending"),
      conditions: z.array(z.object({ type: z.string(), status: z.string() })).default([]),
      containerStatuses: z
        .array(
          z.object({
            state: z.object({ terminated: z.object({ finishedAt: timeSchema.nullish() }).optional() }).default({}),
          }),
        )
        .default([]),
    })
    .default({ phase: "Pending", conditions: [], containerStatuses: [] }),
});

type PodObject = z.infer<typeof podSchema>;

interface Known {
  pod: Pod;
  /** The name of its Echo. */
  owner: string;
  revision: number;
}

/** The labels of an Echo's pods. */
export const labelsOf = ({ name, uid }: Pick<ObjectReference, "name" | "uid">): Record<string, string> => ({
  app: name,
  owner: uid,
});

/** The same as a label selector. */
export const selectorOf = (owner: Pick<ObjectReference, "name" | "uid">): string => selectorText(labelsOf(owner));

/** A new pod of an Echo, whose name the API server completes. */
export const podManifest = (owner: ObjectReference, { image }: Spec, failures: number): object => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    generateName: `${owner.name}-`,
    labels: labelsOf(owner),
    annotations: { [imageAnnotation]: image, ...(failures > 0 && { [failuresAnnotation]: String(failures) }) },
    ownerReferences: [controlledBy(owner)],
  },
  spec: { containers: [{ name: container, image }] },
});

/**
 * What is known of the pods of all Echoes, from one watch by label and from the answers to our own writes, which are
 * known at once: a sync that follows sees what the one before it did.
 */
export class Pods {
  /** By owner's uid, then by the pod's uid. */
  readonly #byOwner = new Map<string, Map<string, Known>>();
  readonly #owners = new Map<string, string>();
  /** By the Echo's key, names of pods that left the watch without having been seen to be deleted. */
  readonly #lost = new Map<string, Set<string>>();
  /** How far the watch is. Revisions are numbers that grow, the same for all objects of a kind. */
  #revision = 0;
  #seenInList?: Set<string>;
  #complete = false;

  constructor(readonly around: Surroundings) {}

  /** Whether all pods have been seen once; before, an Echo seems to have none. */
  get complete(): boolean {
    return this.#complete;
  }

  /** The pods of an Echo. */
  of(owner: string): Pod[] {
    return [...(this.#byOwner.get(owner)?.values() ?? [])].map(({ pod }) => pod);
  }

  /** Names of pods of the Echo `key` that may have lost their labels. */
  lost(key: string): string[] {
    return [...(this.#lost.get(key) ?? [])];
  }

  /** What became of a lost pod is known. */
  found(key: string, name: string): void {
    this.#lost.get(key)?.delete(name);
    if (this.#lost.get(key)?.size === 0) this.#lost.delete(key);
  }

  /** Takes note of a pod that this process has created or changed. */
  noted(answer: unknown): void {
    const object = podSchema.parse(answer);
    // What the watch has passed it has told already, even if the pod is gone again.
    if (!(Number(object.metadata.resourceVersion) <= this.#revision)) this.#take(object);
  }

  /** Takes note that this process has deleted a pod: it no longer counts, whatever the watch still tells of it. */
  deleted({ uid }: Pick<Pod, "uid">): void {
    const known = this.#byOwner.get(this.#owners.get(uid) ?? "")?.get(uid);
    if (known) known.pod = { ...known.pod, terminating: true };
  }

  /** Watches the pods of all Echoes, until `signal`. */
  start(signal: AbortSignal): void {
    const handler = {
      listing: () => void (this.#seenInList = new Set()),
      listed: () => this.#listed(),
      seen: (object: PodObject) => {
        this.#seenInList?.add(object.metadata.uid);
        const owner = this.#take(object);
        if (owner) this.#wake(`${object.metadata.namespace}/${owner.name}`);
      },
      gone: (object: PodObject) => this.#gone(object),
      failed: (error: unknown) => log.warn(errorFields(error), "the watch of pods broke, it is begun anew"),
      progressed: (revision: string) => void (this.#revision = Math.max(this.#revision, Number(revision) || 0)),
    };
    const watched = {
      path: "/api/v1/pods",
      labelSelector: Object.keys(labelsOf({ name: "", uid: "" })).join(),
      schema: podSchema,
    };
    void watchObjects(this.around.api, watched, handler, signal);
  }

  /** Keeps what is to be known of a pod; returns its owner, if that is an Echo. */
  #take(object: PodObject): { name: string; uid: string } | undefined {
    const { uid } = object.metadata;
    const owner = ownerOf(echo, object.metadata);
    if (owner?.uid !== this.#owners.get(uid)) this.#leave(uid);
    if (!owner) return undefined;
    const pods = this.#byOwner.get(owner.uid) ?? new Map<string, Known>();
    const before = pods.get(uid)?.pod;
    this.#byOwner.set(owner.uid, pods);
    this.#owners.set(uid, owner.uid);
    pods.set(uid, {
      pod: summary(object, owner, before),
      owner: owner.name,
      revision: Number(object.metadata.resourceVersion),
    });
    return owner;
  }

  #gone({ metadata: { uid, deletionTimestamp } }: PodObject): void {
    if (deletionTimestamp) this.#leave(uid);
    else this.#lose(uid);
  }

  /** A pod is no longer to be seen: it is gone, or it has lost its labels, unless it was known to be on its way out. */
  #lose(uid: string): void {
    const { pod, owner } = this.#byOwner.get(this.#owners.get(uid) ?? "")?.get(uid) ?? {};
    if (pod && !pod.terminating && this.around.leading()) {
      const key = `${pod.namespace}/${owner}`;
      this.#lost.set(key, (this.#lost.get(key) ?? new Set()).add(pod.name));
    }
    this.#leave(uid);
  }

  /** What a complete list did not show is no more, unless it is younger than the list. */
  #listed(): void {
    for (const pods of this.#byOwner.values()) {
      for (const [uid, { revision }] of pods) {
        if (this.#seenInList?.has(uid) || revision > this.#revision) continue;
        this.#lose(uid);
      }
    }
    this.#seenInList = undefined;
    this.#complete = true;
  }

  /** A pod is no longer its Echo's: forgotten, and the Echo looks what to do. */
  #leave(uid: string): void {
    const owner = this.#owners.get(uid);
    const pods = this.#byOwner.get(owner ?? "");
    const known = pods?.get(uid);
    if (owner === undefined || !known) return;
    this.#owners.delete(uid);
    pods?.delete(uid);
    if (pods?.size === 0) this.#byOwner.delete(owner);
    this.#wake(`${known.pod.namespace}/${known.owner}`);
  }

  #wake(key: string): void {
    this.around.wake(echo.kind, key, "soon");
  }
}

function summary({ metadata, spec, status }: PodObject, owner: { name: string; uid: string }, before?: Pod): Pod {
  const ended = ["Failed", "Succeeded"].includes(status.phase);
  const finished = status.containerStatuses.map(({ state }) => state.terminated?.finishedAt ?? 0);
  const image = spec.containers.find(({ name }) => name === container)?.image ?? "";
  // From 1.34 on the API server counts the changes of a pod's spec.
  const edited = metadata.generation > 1;
  return {
    namespace: metadata.namespace,
    name: metadata.name,
    uid: metadata.uid,
    image: (edited ? undefined : metadata.annotations[imageAnnotation]) ?? image,
    createdAt: Date.parse(metadata.creationTimestamp) || 0,
    ready: !ended && status.conditions.some(({ type, status }) => type === "Ready" && status === "True"),
    // Once it is being deleted it stays so; an event that was under way may still show it as it was.
    terminating: metadata.deletionTimestamp !== undefined || (before?.terminating ?? false),
    // One that was evicted has no times of its containers; then it ended when that was seen.
    finishedAt: ended ? Math.max(0, ...finished) || (before?.finishedAt ?? Date.now()) : undefined,
    failures: Number(metadata.annotations[failuresAnnotation]) || 0,
    labelled: Object.entries(labelsOf(owner)).every(([label, value]) => metadata.labels[label] === value),
  };
}
