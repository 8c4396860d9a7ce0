import { failureReason, metricTypes } from "../metrics/registry";

interface Meaning {
  status: "True" | "False" | "Unknown" | "Unknown, False";
  meaning: string;
}

export interface ConditionText {
  description: string;
  reasons: Record<string, Meaning>;
}

/** A reason of a condition that is True, or False. */
const holds = (meaning: string): Meaning => ({ status: "True", meaning });
const fails = (meaning: string): Meaning => ({ status: "False", meaning });

const ambiguousTarget: Meaning = {
  status: "Unknown",
  meaning: "Another autoscaler acts on the target. `AbleToScale` names it.",
};

const hpasUnknown: Meaning = {
  status: "Unknown",
  meaning: "It is unknown whether an HPA scales the target. `AbleToScale` has the right that is missing.",
};

const noAutoscaler: Meaning = {
  status: "Unknown",
  meaning: "With mode Assist: no HPA or ScaledObject is on the target. The MLScaler begins when one is.",
};

const failedMetrics = Object.fromEntries(
  metricTypes.map(type => [failureReason(type), fails(`A metric of type ${type} cannot be read.`)]),
) as Record<ReturnType<typeof failureReason>, Meaning>;

/** The conditions and reasons of an MLScaler, for the types of `findings.ts` and the texts of the reference and of the page of `mlscaler fleet`. */
export const conditions = {
  Ready: {
    description:
      "The last sync found no fault. After a fault, `Ready` has the reason of the condition or the metric that " +
      "failed, or of the API server, for example `Forbidden`. A pause, a bound and a demoted forecast are no faults.",
    reasons: {
      Synced: holds(
        "The MLScaler scales its target, or observes it. The message also names pods whose resize is Infeasible, and a " +
          "`rollout_freeze` without effect.",
      ),
      InvalidSpec: fails("The stored spec breaks a rule of admission. Nothing is scaled."),
      InvalidSchedule: fails("A schedule has an invalid cron expression or time zone. That schedule is ignored."),
      InvalidForecast: fails("`forecast.timezone` is not a time zone. Seasons follow UTC."),
      UnsampledPods: fails(
        "Pods that have been Ready for five minutes have no fresh sample. Scaling goes on: they count as fully " +
          "used before the count falls, and as 0 before it rises.",
      ),
      UnknownAge: fails("The age of a value is unknown. The value can raise the count, but cannot lower it."),
      StateUnreadable: fails("The stored history or state cannot be read."),
    },
  },
  Scaled: {
    description: "This MLScaler has scaled its target. The reason says what decided the last scaling.",
    reasons: {
      PredictionBased: holds("The forecast decided. The message is `Predicted load: 0.60`."),
      LoadBased: holds("The current load decided."),
      BoundsBased: holds("The count was outside the bounds."),
      FloorBased: holds("All metrics failed, and `on_metric_failure.replicas` decided."),
      NotScaledYet: fails("This MLScaler has not scaled its target yet; with mode Assist, has not raised the minimum."),
    },
  },
  AbleToScale: {
    description:
      "MLScaler can read and write the scale of the target. An HPA has the same reasons. It is Unknown when a sync " +
      "ended with another error. The reason and the message then name the error, and MLScaler tries the sync again.",
    reasons: {
      SucceededGetScale: holds("The scale was read."),
      SucceededRescale: holds("The target was scaled."),
      ReadyForNewScale: holds("The target has the replicas that it needs, or may not be scaled."),
      ScaleUpStabilized: holds("A lower recommendation of the scale-up window decided."),
      ScaleDownStabilized: holds("A higher recommendation of the scale-down window decided."),
      FailedGetScale: fails("The scale cannot be read, or the target does not exist."),
      FailedUpdateScale: fails("The target or the API server refused the count."),
      MinimumKept: holds("With mode Assist: the autoscaler of the target has the minimum that its user set."),
      MinimumRaised: holds("With mode Assist: the minimum of the autoscaler is raised. The message has both."),
      FailedGetAutoscaler: fails("With mode Assist: the autoscaler of the target cannot be read."),
      InvalidAutoscaler: fails(
        "With mode Assist: the spec of the autoscaler has a field that an MLScaler cannot follow.",
      ),
      FailedUpdateMinimum: fails("With mode Assist: the API server refused the minimum of the autoscaler."),
      AmbiguousTarget: fails(
        "An HPA, an older MLScaler, or the object that made the target sets its replicas. This " + "MLScaler does not.",
      ),
      HPAsUnknown: fails("HPAs may not be listed, so one may scale the target. This MLScaler does not scale it."),
      NoAutoscaler: { ...noAutoscaler, status: "False" },
    },
  },
  ScalingActive: {
    description: "MLScaler calculated a count from the metrics. An HPA has the same reasons.",
    reasons: {
      ValidMetricFound: holds(
        "At least one metric gave a count. If another metric failed, it asks for at least the current count.",
      ),
      ScalingDisabled: fails(
        "Somebody else scaled the target to 0, which switches scaling off, or `min_replicas` is not 0.",
      ),
      Paused: fails("`spec.pause` holds the count."),
      ...failedMetrics,
      InvalidMetricSourceType: fails("A metric has no block for its type."),
      InvalidSelector: fails("The target has no valid label selector in its scale."),
      AmbiguousSelector: fails("The selector also matches pods of another active MLScaler."),
      AmbiguousTarget: { ...ambiguousTarget, status: "False" },
      HPAsUnknown: { ...hpasUnknown, status: "False" },
      NoAutoscaler: { ...noAutoscaler, status: "False" },
    },
  },
  ScalingLimited: {
    description:
      "A bound or a limit on the speed changed the count. An HPA has the same reasons, except `ForecastLimited`. " +
      "The message has the count that the forecast asks for where that is higher.",
    reasons: {
      DesiredWithinRange: fails("The count is within the bounds and the limits."),
      TooManyReplicas: holds("The count is above `max_replicas` of the spec or of a schedule."),
      TooFewReplicas: holds("The count is below `min_replicas` of the spec or of a schedule."),
      ScaleUpLimit: holds("The count grows faster than `behavior.scaleUp` allows."),
      ScaleDownLimit: holds("The count falls faster than `behavior.scaleDown` allows."),
      ForecastLimited: holds(
        "`forecast.max_extra_percent` holds the forecast back. The message has the count that the forecast asks for.",
      ),
      AmbiguousTarget: ambiguousTarget,
      HPAsUnknown: hpasUnknown,
      NoAutoscaler: noAutoscaler,
    },
  },
  ScaledToZero: {
    description:
      "This MLScaler scaled its target to 0 replicas. It wakes the target by its metrics, or when `min_replicas` is " +
      "raised. The condition is absent for a target that never goes to 0. An HPA has the same reasons.",
    reasons: {
      ScaledToZero: holds("The last scaling of this MLScaler was to 0."),
      NotScaledToZero: fails("The last scaling was to more than 0, or somebody else scaled the target up since."),
    },
  },
  ForecastReady: {
    description: "The forecast may raise the count.",
    reasons: {
      Trusted: holds("The forecast has an upper quantile, and is worth its replicas as far as it was tried."),
      Fitted: holds("The line of the short form has its samples, and is worth its replicas as far as it was tried."),
      Learning: fails(
        "The load is not known for long enough for an upper quantile, or for `forecast.act_after_seconds`: " +
          "`Learning 2 of 3 samples`.",
      ),
      Demoted: fails(
        "In the last 7 days HPA's rule without the forecast was short of as few replicas for the same money: " +
          "`costs 12 % more replica-hours and saves nothing`.",
      ),
      Replaying: {
        status: "Unknown, False",
        meaning:
          "A trusted forecast is calculated again from its history, for example after a restart. " +
          "Unknown holds the count for at most 10 minutes. False holds nothing.",
      },
      ModelFailed: fails("The model failed. The message has its error."),
      NoTotal: fails("All targets in `metrics` are of type Value. They have no total load."),
      Off: fails('`forecast.model` is `"off"`.'),
      QuotaExceeded: fails("Older MLScalers use all forecasts of the namespace or the watcher."),
      AmbiguousTarget: ambiguousTarget,
      HPAsUnknown: hpasUnknown,
      NoAutoscaler: noAutoscaler,
    },
  },
  ReplicasPending: {
    description: "Replicas wait for longer than a start takes. The condition is absent when none does.",
    reasons: {
      Unschedulable: holds("No node has room for a pod."),
      SchedulingGated: holds("A pod has a scheduling gate."),
      ReplicasMissing: holds("Pods are not created, for example because of a quota."),
    },
  },
  NodesAhead: {
    description:
      "The MLScaler requests nodes before their pods, where a forecast expects more pods than exist. The condition " +
      "exists with `capacity_buffer`.",
    reasons: {
      Requested: holds("The CapacityBuffer asks for nodes. Their autoscaler does not say that it has planned them."),
      Planned: holds(
        "The autoscaler of the nodes has room for the CapacityBuffer, on nodes that exist or that it has ordered.",
      ),
      NothingMissing: holds("The forecast expects no more pods than exist."),
      NotTrusted: fails(
        "No trusted forecast asks for nodes, or the target may not grow. The CapacityBuffer asks for none.",
      ),
      NotTakenUp: {
        status: "Unknown",
        meaning:
          "No autoscaler of the cluster has taken up the CapacityBuffer. Until one does, the MLScaler orders pods earlier by " +
          "the time of a node.",
      },
      Failed: fails("The autoscaler of the nodes says that it failed. The message is its own."),
      NoCapacityBuffers: fails("The cluster has no CapacityBuffer of a version that this module knows."),
      Forbidden: fails(
        "The module may not read or write CapacityBuffers or their PodTemplates. The message has the right.",
      ),
      NameTaken: fails(
        "A CapacityBuffer of this name exists that the MLScaler does not own. The MLScaler does not change it.",
      ),
      Unavailable: { status: "Unknown", meaning: "The API server did not answer, or refused the CapacityBuffer." },
    },
  },
  ClockSkewed: {
    description:
      "The clock of MLScaler, or of a Prometheus server, is more than 60 s from the clock of the API server. " +
      "The condition is absent when they agree.",
    reasons: { ClockSkewed: holds("The message names the server and the difference.") },
  },
} as const satisfies Record<string, ConditionText>;

export type ConditionType = keyof typeof conditions;
export type Reason<Type extends ConditionType> = keyof (typeof conditions)[Type]["reasons"] & string;
