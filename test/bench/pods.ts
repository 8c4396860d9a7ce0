import { z } from "zod";
import { Api } from "../../capabilities/kubernetes/api";
import { metadataSchema, type Metadata } from "../../capabilities/kubernetes/metadata";
import { watchObjects } from "../../capabilities/kubernetes/watch";

const schema = z.object({ metadata: metadataSchema });

/** Lists are complete objects, because an empty list of metadata has null items. Events are metadata only. */
const accept = { list: "application/json", object: "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1" };

type Pod = z.infer<typeof schema>;

/** The benchmark's own view of the Echoes' pods, over a separate connection. */
export class PodWatch {
  /** The number of pods that have ever existed. */
  created = 0;
  /** The reason why this view is not reliable. */
  trouble: unknown;
  readonly #pods = new Set<string>();
  readonly #counts = new Map<string, number>();
  readonly #completeAt = new Map<string, number>();
  readonly #stopped = new AbortController();
  readonly #watching: Promise<void>;

  /**
   * @param path path of the pods of a namespace
   * @param wanted number of pods that make an owner complete
   */
  constructor(
    path: string,
    readonly wanted: number,
  ) {
    const handler = {
      seen: ({ metadata }: Pod, key: string) => this.#seen(metadata, key),
      gone: (key: string) => void this.#pods.delete(key),
      keys: () => [],
      failed: (error: unknown) => (this.trouble = error),
    };
    const watched = { path, labelSelector: "owner", schema, accept };
    this.#watching = watchObjects(new Api(), watched, handler, this.#stopped.signal);
  }

  /** The number of pods. */
  get size(): number {
    return this.#pods.size;
  }

  /** The time (performance.now) at which the owner's last pod appeared; undefined while pods are missing. */
  completeAt(owner: string): number | undefined {
    return this.#completeAt.get(owner);
  }

  /** Ends the watch. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#watching;
  }

  #seen({ ownerReferences }: Metadata, key: string): void {
    if (this.#pods.has(key)) return;
    this.#pods.add(key);
    this.created++;
    const owner = ownerReferences.find(({ controller }) => controller)?.uid;
    if (owner === undefined) return;
    const count = (this.#counts.get(owner) ?? 0) + 1;
    this.#counts.set(owner, count);
    if (count === this.wanted) this.#completeAt.set(owner, performance.now());
  }
}
