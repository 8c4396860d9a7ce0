import { shardOf } from "./shards";

/** The namespaces whose objects this process watches, until that changes. */
export interface Part {
  includes: (namespace: string) => boolean;
  /** Whether it includes no namespace. */
  isEmpty: boolean;
  /** Aborted when other namespaces take the place of these. */
  ended: AbortSignal;
}

/**
 * Which namespaces the watches of this process follow: those of the shards that it holds. With one shard all
 * namespaces are followed, also while another process holds it, so that a hot spare knows the objects.
 */
class Slice {
  #ended = new AbortController();
  #part: Part = { includes: () => true, isEmpty: false, ended: this.#ended.signal };

  get part(): Part {
    return this.#part;
  }

  /** Follows the namespaces of these of `total` shards from now on. Watches list their objects again. */
  follow(shards: ReadonlySet<number>, total: number): void {
    const before = this.#ended;
    this.#ended = new AbortController();
    const held = new Set(shards);
    this.#part = {
      includes: namespace => held.has(shardOf(namespace, total)),
      isEmpty: held.size === 0,
      ended: this.#ended.signal,
    };
    before.abort();
  }
}

/** The slice of this process. */
export const slice = new Slice();
