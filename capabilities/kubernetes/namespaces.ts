import { createHash } from "node:crypto";

/** The largest number of shards. Each watcher reads the Lease of each shard every two seconds. */
export const mostShards = 64;

/**
 * The shard of a namespace, from 0 to `total` - 1. The hash is SHA-256, because the ranges of the API server's own
 * hash, FNV-1a, put namespaces with similar names into one shard (docs/dev/design/watchers.md).
 */
export function shardOf(namespace: string, total: number): number {
  if (total === 1) return 0;
  const hash = createHash("sha256").update(namespace).digest().readUInt32BE();
  return Math.floor((hash * total) / 2 ** 32);
}

/** The namespaces whose objects are watched, until that changes. */
export interface Part {
  includes: (namespace: string) => boolean;
  /** Whether it includes no namespace. */
  isEmpty: boolean;
  /** Aborted when other namespaces take the place of these. */
  ended: AbortSignal;
}

/** The names in MLSCALER_NAMESPACES ("shop,blog"), each once; undefined for all namespaces. */
export function namespacesFrom(environment: Record<string, string | undefined>): string[] | undefined {
  const names = (environment.MLSCALER_NAMESPACES ?? "").split(",").map(name => name.trim());
  const given = names.filter(name => name !== "");
  return given.length > 0 ? [...new Set(given)] : undefined;
}

/**
 * The namespaces in which this process acts: all or those that are named, and of these the ones of the shards that it
 * holds. With one shard it watches all of them, also while another process holds it, so that a hot spare knows the
 * objects. The module reads its own kinds in all namespaces in any case, because Pepr does.
 */
export class Namespaces {
  #ended = new AbortController();
  #part: Part;

  /** @param named the only namespaces in which the module acts; undefined for all */
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

  /**
   * The paths to watch in place of `path` ("/api/v1/pods"), by namespace: one for each that is named. Undefined when the
   * module acts in all namespaces.
   */
  pathsInstead(path: string): Map<string, string> | undefined {
    return this.named && new Map(this.named.map(namespace => [namespace, pathIn(namespace, path)]));
  }
}

/** Limits a path to one namespace: "/api/v1/pods" becomes "/api/v1/namespaces/shop/pods". */
const pathIn = (namespace: string, path: string): string => path.replace(/\/([^/]+)$/, `/namespaces/${namespace}/$1`);
