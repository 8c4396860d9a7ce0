import { z } from "zod";
import { Api } from "../../capabilities/common/api";
import { metadataSchema, type Metadata } from "../../capabilities/common/objects";
import { watchObjects } from "../../capabilities/common/watch";

const schema = z.object({ metadata: metadataSchema });

/** The list is empty, and an empty list of mere metadata has null for its items; events are as small as they can be. */
const accept = { list: "application/json", object: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1" };

type Pod = z.infer<typeof schema>;

/** The benchmark's own view of the Echoes' pods, over one connection that nothing else uses. */
export class PodWatch {
  /** Pods that have ever been there. */
  created = 0;
  /** Why this view cannot be trusted. */
  trouble: unknown;
  readonly #pods = new Set<string>();
  readonly #counts = new Map<string, number>();
  readonly #completeAt = new Map<string, number>();
  readonly #stopped = new AbortController();
  readonly #watching: Promise<void>;

  /**
   * @param path of the pods of a namespace
   * @param wanted how many pods make an owner complete
   */
  constructor(
    path: string,
    readonly wanted: number,
  ) {
    const handler = {
      seen: ({ metadata }: Pod) => this.#seen(metadata),
      gone: ({ metadata }: Pod) => void this.#pods.delete(metadata.uid),
      failed: (error: unknown) => (this.trouble = error),
    };
    const watched = { path, labelSelector: "owner", schema, accept };
    this.#watching = watchObjects(new Api(), watched, handler, this.#stopped.signal);
  }

  /** How many pods there are. */
  get size(): number {
    return this.#pods.size;
  }

  /** When (performance.now) the last of the owner's pods came into being; undefined while one is missing. */
  completeAt(owner: string): number | undefined {
    return this.#completeAt.get(owner);
  }

  /** Ends the watch. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#watching;
  }

  #seen({ uid, ownerReferences }: Metadata): void {
    if (this.#pods.has(uid)) return;
    this.#pods.add(uid);
    this.created++;
    const owner = ownerReferences.find(({ controller }) => controller)?.uid;
    if (owner === undefined) return;
    const count = (this.#counts.get(owner) ?? 0) + 1;
    this.#counts.set(owner, count);
    if (count === this.wanted) this.#completeAt.set(owner, performance.now());
  }
}
