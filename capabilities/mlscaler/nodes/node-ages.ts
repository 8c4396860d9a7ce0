import { LRUCache } from "lru-cache";
import * as z from "zod";
import { type Api, isStatus } from "../../kubernetes/api";
import { metadataSchema } from "../../kubernetes/metadata";
import { instantOf, type Monotonic } from "../../kubernetes/time";
import { metadataOnly } from "../../kubernetes/watch";

const mostAtOnce = 5;

/** After a refusal nothing is asked for this long, in ms. */
const refusedMilliseconds = 600_000;

const nodeSchema = z.object({ metadata: metadataSchema.pick({ creationTimestamp: true }) });

/** When nodes were made. Each is read once, by name, and without a watch. Without the right to do so none is known. */
export class NodeAges {
  /** In epoch milliseconds; NaN for a node that is gone. */
  readonly #createdAt = new LRUCache<string, number>({ max: 4096 });
  #refusedAt: Monotonic = -Infinity;

  constructor(readonly api: Api) {}

  /** When a node was made, epoch milliseconds; undefined where that is unknown. */
  readonly createdAt = (name: string): number | undefined => {
    const at = this.#createdAt.get(name) ?? NaN;
    return Number.isNaN(at) ? undefined : at;
  };

  /** Reads some of these nodes that are not known yet. Never throws: the next sync asks again. */
  async read(names: string[]): Promise<void> {
    const unknown = [...new Set(names)].filter(name => !this.#createdAt.has(name)).slice(0, mostAtOnce);
    for (const name of unknown) {
      if (performance.now() - this.#refusedAt < refusedMilliseconds) return;
      try {
        const path = `/api/v1/nodes/${encodeURIComponent(name)}`;
        const { metadata } = nodeSchema.parse(await this.api.get(path, { accept: metadataOnly }));
        this.#createdAt.set(name, instantOf(metadata.creationTimestamp) ?? NaN);
      } catch (error) {
        if (isStatus(error, 404)) this.#createdAt.set(name, NaN);
        else if (isStatus(error, 403)) this.#refusedAt = performance.now();
      }
    }
  }
}
