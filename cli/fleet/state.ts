/**
 * The states of MLScalers, the one that needs attention most first. An MLScaler that fits several is in the first.
 *
 * - fault: the last sync found a fault.
 * - not synced: there is no status, or it is of an older spec.
 * - warning: it works, but a bound, a quota, a model or the cluster keeps it from what it wants.
 * - demoted: the forecast is not worth its replicas, and the count follows the load alone.
 * - paused: `spec.pause` holds the count.
 * - learning: the forecast has no upper quantile yet, or is calculated again.
 * - ok: none of these.
 */
export const states = ["fault", "not synced", "warning", "demoted", "paused", "learning", "ok"] as const;
export type State = (typeof states)[number];
