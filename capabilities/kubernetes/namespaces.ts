import { createHash } from "node:crypto";

/** The largest number of shards. Each watcher reads the Lease of each shard every two seconds. */
export const mostShards = 64;

/** The shard of a namespace, by SHA-256: FNV-1a puts similar names into one (docs/dev/design/watchers.md). */
export function shardOf(namespace: string, total: number): number {
  if (total === 1) return 0;
  const hash = createHash("sha256").update(namespace).digest().readUInt32BE();
  return Math.floor((hash * total) / 2 ** 32);
}

export interface Part {
  includes: (namespace: string) => boolean;
  isEmpty: boolean;
  ended: AbortSignal;
}

/** The names in MLSCALER_NAMESPACES ("shop,blog"), each once; undefined for all namespaces. */
export function namespacesFrom(environment: Record<string, string | undefined>): string[] | undefined {
  const names = (environment.MLSCALER_NAMESPACES ?? "").split(",").map(name => name.trim());
  const given = names.filter(name => name !== "");
  return given.length > 0 ? [...new Set(given)] : undefined;
}

/**
 * The namespaces in which this process acts: all or those that are named, and of these the ones of its shards. With one
 * shard a hot spare watches them, too, so that it knows the objects.
 */
export class Namespaces {
  #ended = new AbortController();
  #part: Part;

  constructor(readonly named?: readonly string[]) {
    this.#part = { includes: namespace => this.acts(namespace), isEmpty: false, ended: this.#ended.signal };
  }

  acts(namespace: string): boolean {
    return this.named?.includes(namespace) ?? true;
  }

  get part(): Part {
    return this.#part;
  }

  /** Watches only the namespaces of these of `total` shards from now on. Watches list their objects again. */
  follow(shards: ReadonlySet<number>, total: number): void {
    const before = this.#ended;
    this.#ended = new AbortController();
    const held = new Set(shards);
    this.#part = {
      includes: namespace => this.acts(namespace) && held.has(shardOf(namespace, total)),
      isEmpty: held.size === 0,
      ended: this.#ended.signal,
    };
    before.abort();
  }

  /** The paths to watch in place of "/api/v1/pods", by namespace, where namespaces are named. */
  pathsInstead(path: string): Map<string, string> | undefined {
    return this.named && new Map(this.named.map(namespace => [namespace, pathIn(namespace, path)]));
  }
}

const pathIn = (namespace: string, path: string): string => path.replace(/\/([^/]+)$/, `/namespaces/${namespace}/$1`);
