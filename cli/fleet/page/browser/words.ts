/** The meanings of the words on the page. */
export const words: Record<string, string> = {
  fault: "The last sync found a fault: the condition Ready is not True.",
  "not synced": "There is no status, or it is of an older spec.",
  warning:
    "It works, but does not get what it asks for: it is at max_replicas, replicas stay Pending, somebody scaled it " +
    "to 0, the model failed, or a quota is used up.",
  demoted: "The forecast is not worth its replicas, so the count follows the load alone.",
  learning: "The forecast has no upper quantile yet, or is calculated again.",
  skill:
    "How much smaller the error of the forecast is than that of “the load stays as it is”, over the last day. " +
    "100 % is perfect.",
  "replica-hours added":
    "Against the same rules without the forecast, in the last 24 hours or since the watcher started. Below 0 the " +
    "forecast saved replica-hours. Observe has none, because another autoscaler makes the replicas.",
  "under target": "How long the load was above what the started replicas should serve by the target, in the same time.",
  "without forecast": "The same by the same rules without the forecast.",
};
