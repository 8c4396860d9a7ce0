import { createHash } from "node:crypto";

/** The largest number of shards. Each watcher reads the Lease of each shard every two seconds. */
export const mostShards = 64;

/**
 * The shard of a namespace, from 0 to `total` - 1. The hash is SHA-256, because the ranges of the API server's own
 * hash, FNV-1a, put namespaces with similar names into one shard (docs/design/watchers.md).
 */
export function shardOf(namespace: string, total: number): number {
  if (total === 1) return 0;
  const hash = createHash("sha256").update(namespace).digest().readUInt32BE();
  return Math.floor((hash * total) / 2 ** 32);
}
