import { names } from "../text";

/** The meanings of the words in the report. Each is shown on hover where the word stands, and in the list of words. */
export const words: Record<string, string> = {
  HPA: "The HorizontalPodAutoscaler of Kubernetes: it scales by the current load.",
  MLScaler: "Scales as the HPA does, and earlier where its forecast shows more load to come.",
  [names.hpa_buffer]:
    "The HPA, and nodes with room for a fifth more replicas than it has. When replicas take the room, new nodes come.",
  [names.hpa_forecast_buffer]:
    "The HPA, and nodes with room for the replicas that the forecast expects until a new node would be ready.",
  [names.mlscaler_buffer]:
    "The MLScaler, and nodes with room for the replicas that its forecast expects until a new node would be ready.",
  "short form": "An MLScaler without a forecast block: it draws a line through the last loads.",
  "perfect forecast": "An MLScaler that knows the load to come. No forecast can do better under the same limits.",
  unserved: "Load beyond what the ready replicas can serve, over all load. There is no queue: what is beyond is lost.",
  "time short": "Time with too few ready replicas. The charts shade it.",
  "replica-hours":
    "The cost: all replicas, ready or not, over time. “× oracle” compares with one that has just enough " +
    "replicas at any time.",
  "node-hours":
    "The cost of the nodes: all that were ordered, ready or not, over time. “× oracle” compares with just enough nodes " +
    "for the replicas needed at any time.",
  "actions/day": "How often a day the number of replicas changes.",
  skill:
    "How much smaller the error of the forecast is than that of “the load stays as it is”: 100 % is perfect, 0 % is " +
    "no better.",
  coverage: "The share of the loads at or under their upper quantile. Near the quantile of the settings is right.",
  load: "The total over all replicas, as in the trace: the mean of each step.",
  forecast: "The load that the MLScaler expected for this time, one horizon before.",
  "upper quantile": "The load that is not exceeded with this probability. The MLScaler scales for it.",
  horizon: "How far ahead the forecast looks: until replicas that are started now, or a step later, are ready.",
  "replicas needed": "The fewest replicas that can serve the load.",
  "ready replicas": "Replicas that serve. A new replica is ready after the start-up time.",
  "target utilization": "The target share of a replica's capacity. The rest is its reserve.",
  episode: "Consecutive steps of the trace, in each of which the HPA or the MLScaler had too few replicas for a time.",
};

/** Further words of a report on a target that may go to 0. */
export const zeroWords: Record<string, string> = {
  "cold starts": "How often load met no Ready replica, from its first moment until a replica was Ready.",
  "none Ready": "How long there was load and no Ready replica.",
  "cold load": "The load that met no Ready replica, over all load.",
  idle: "Replica-hours while there was no load.",
  "wakes ahead": "Wakes from 0 replicas whose first load met a Ready replica.",
  late: "Wakes from 0 replicas after a load that met none.",
  "in vain": "Wakes from 0 replicas that met no load until the target went back to 0.",
};
