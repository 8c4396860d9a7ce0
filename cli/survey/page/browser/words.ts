/** The meanings of the words on the page. */
export const words: Record<string, string> = {
  gains: "Nothing that needs no forecast does as well for the same replica-hours.",
  "no gain":
    "An HPA with another target, or a steady count, serves as well, or the difference is too small to count. The load " +
    "has no pattern, or changes so slowly that the HPA keeps up.",
  unsure:
    "Without one of the judged days the verdict would often be another one, or the replicas that the HPA had do not " +
    "fit the load.",
  skill: "How much smaller the error of the forecast is than that of “the load stays as it is”. 100 % is perfect.",
  "unserved now": "The share of the load beyond what the ready replicas can serve, with an HPA as it is, simulated.",
  "with MLScaler": "The same with an MLScaler that has the target of the HPA.",
  "without forecast, equal cost":
    "The same with the better of an HPA with a lower target and a steady count, each for the replica-hours of the " +
    "MLScaler.",
  "node wait":
    "How long pods waited for nodes that were made after them: 90 % waited no longer, in the last seven days. It is not " +
    "replayed; mlscaler simulate --node-start-up does that.",
  "replica-hours against now": "The replica-hours of the MLScaler over those of the HPA as it is.",
  "saved in 30 days":
    "The replica-hours, with --price the money, that the MLScaler saves against the cheaper of an HPA with a lower target and a steady count, " +
    "each set so that it leaves as little unserved.",
};
