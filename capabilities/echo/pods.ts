import * as z from "zod";
import { ownerOf } from "../operator/children";
import { errorFields, log } from "../kubernetes/log";
import { controlledBy, keyOf, metadataSchema, ObjectReference } from "../kubernetes/metadata";
import { selectorText } from "../kubernetes/selector";
import { milliseconds } from "../kubernetes/time";
import { Context } from "../operator/reconciler";
import { watchObjects } from "../kubernetes/watch";
import { Pod } from "./plan";
import { echo, Spec } from "./schema";

/** The number of pods that failed in a row before the pod with this annotation. */
const failuresAnnotation = "my-operator.dev/failures";

/** The image of the pod in its manifest. Other admission webhooks may change the image of the container. */
const imageAnnotation = "my-operator.dev/image";

const container = "nginx";

const timeSchema = z.string().transform(milliseconds);

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

interface KnownPod {
  pod: Pod;
  owner: string;
  revision: number;
}

/** The labels of an Echo's pods. */
export const labelsOf = ({ name, uid }: Pick<ObjectReference, "name" | "uid">): Record<string, string> => ({
  app: name,
  owner: uid,
});

/** The selector of an Echo's pods. */
export const selectorOf = (owner: Pick<ObjectReference, "name" | "uid">): string =>
  selectorText({ matchLabels: labelsOf(owner) });

/** The manifest of a new pod. The API server completes its name. */
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
 * The pods of all Echoes, from one watch by label and from the answers to our own writes. The answers count at once, so
 * that a sync sees the result of the sync before it.
 */
export class Pods {
  readonly #byOwner = new Map<string, Map<string, KnownPod>>();
  /** The owner's uid, by the pod's namespace/name. */
  readonly #ownerOf = new Map<string, string>();
  /** By the Echo's key, names of pods that left the watch without a deletion. */
  readonly #lost = new Map<string, Set<string>>();
  /** The revision that the watch has reached. Revisions are numbers that grow, the same for all objects of a kind. */
  #revision = 0;
  #complete = false;

  constructor(readonly context: Context) {}

  /** Whether all pods were listed once; before that an Echo seems to have none. */
  get complete(): boolean {
    return this.#complete;
  }

  of(owner: string): Pod[] {
    return [...(this.#byOwner.get(owner)?.values() ?? [])].map(({ pod }) => pod);
  }

  /** Names of pods of the Echo `key` that may have lost their labels. */
  lost(key: string): string[] {
    return [...(this.#lost.get(key) ?? [])];
  }

  /** Removes a pod from the lost ones, because its state is known. */
  found(key: string, name: string): void {
    this.#lost.get(key)?.delete(name);
    if (this.#lost.get(key)?.size === 0) this.#lost.delete(key);
  }

  noted(answer: unknown): void {
    const object = podSchema.parse(answer);
    // The watch has already shown every state up to its own revision, even if the pod is gone again.
    if (!(Number(object.metadata.resourceVersion) <= this.#revision)) this.#add(keyOf(object.metadata), object);
  }

  /** Marks a pod that this process has deleted as terminating, whatever late events of the watch say. */
  deleted(pod: Pick<Pod, "namespace" | "name" | "uid">): void {
    const known = this.#find(keyOf(pod));
    if (known?.pod.uid === pod.uid) known.pod = { ...known.pod, terminating: true };
  }

  start(signal: AbortSignal): void {
    const handler = {
      keys: () => this.#keys(),
      seen: (object: PodObject, key: string) => {
        const owner = this.#add(key, object);
        if (owner) this.#wake(keyOf({ namespace: object.metadata.namespace, name: owner.name }));
      },
      gone: (key: string, last?: PodObject) => this.#gone(key, last),
      complete: (isComplete: boolean) => void (this.#complete ||= isComplete),
      moved: () => void (this.#complete = false),
      failed: (error: unknown) => log.warn(errorFields(error), "watch of pods broke, re-listing"),
      progressed: (revision: string) => void (this.#revision = Math.max(this.#revision, Number(revision) || 0)),
    };
    const { api, namespaces } = this.context;
    const watched = {
      ...{ path: "/api/v1/pods", namespaces },
      labelSelector: Object.keys(labelsOf({ name: "", uid: "" })).join(),
      schema: podSchema,
    };
    void watchObjects(api, watched, handler, signal);
  }

  *#keys(): Generator<string> {
    for (const pods of this.#byOwner.values()) yield* pods.keys();
  }

  #find(key: string): KnownPod | undefined {
    return this.#byOwner.get(this.#ownerOf.get(key) ?? "")?.get(key);
  }

  /** Adds or replaces a pod. Returns its owner if that is an Echo. */
  #add(key: string, object: PodObject): { name: string; uid: string } | undefined {
    const owner = ownerOf(echo, object.metadata);
    if (owner?.uid !== this.#ownerOf.get(key)) this.#remove(key);
    if (!owner) return undefined;
    const pods = this.#byOwner.get(owner.uid) ?? new Map<string, KnownPod>();
    const before = pods.get(key)?.pod;
    this.#byOwner.set(owner.uid, pods);
    this.#ownerOf.set(key, owner.uid);
    pods.set(key, {
      pod: summary(object, owner, before?.uid === object.metadata.uid ? before : undefined),
      owner: owner.name,
      revision: Number(object.metadata.resourceVersion),
    });
    return owner;
  }

  #gone(key: string, last?: PodObject): void {
    const known = this.#find(key);
    if (!known) return;
    // A pod that was created after the list began is not missing.
    if (!last && known.revision > this.#revision) return;
    if (last && last.metadata.uid !== known.pod.uid) return;
    // A pod that left the watch without a deletion has lost its labels.
    const isLost = !last?.metadata.deletionTimestamp && !known.pod.terminating;
    if (isLost && this.context.holdsLease(known.pod.namespace)) {
      const owner = keyOf({ namespace: known.pod.namespace, name: known.owner });
      this.#lost.set(owner, (this.#lost.get(owner) ?? new Set()).add(known.pod.name));
    }
    this.#remove(key);
  }

  #remove(key: string): void {
    const owner = this.#ownerOf.get(key);
    const pods = this.#byOwner.get(owner ?? "");
    const known = pods?.get(key);
    if (owner === undefined || !known) return;
    this.#ownerOf.delete(key);
    pods?.delete(key);
    if (pods?.size === 0) this.#byOwner.delete(owner);
    this.#wake(keyOf({ namespace: known.pod.namespace, name: known.owner }));
  }

  #wake(key: string): void {
    this.context.wake(echo.kind, key, "soon");
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
    createdAt: milliseconds(metadata.creationTimestamp) ?? 0,
    ready: !ended && status.conditions.some(({ type, status }) => type === "Ready" && status === "True"),
    // A deletion is final; a late event may still show the pod as before.
    terminating: metadata.deletionTimestamp !== undefined || (before?.terminating ?? false),
    // An evicted pod has no times of its containers; it ended when the watch first showed that.
    finishedAt: ended ? Math.max(0, ...finished) || (before?.finishedAt ?? Date.now()) : undefined,
    failures: Number(metadata.annotations[failuresAnnotation]) || 0,
    labelled: Object.entries(labelsOf(owner)).every(([label, value]) => metadata.labels[label] === value),
  };
}
