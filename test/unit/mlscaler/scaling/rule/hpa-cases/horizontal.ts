import { Behavior } from "../../../../../../capabilities/mlscaler/scaling/rule/behavior-schema";
import { cpu, external, Measured, object, qps, unknown, up } from "./notation";

// Inputs and results from podautoscaler/horizontal_test.go of Kubernetes 1.36 (Apache-2.0), in a notation of our own;
// 1.37 has them without these names, as rows of tables: upstream test, spec.replicas, bounds, metrics, pods, replicas,
// reasons of those that are not the usual, and the rest. What upstream tests of its replica calculator as well is in
// calculator.ts alone.

interface More {
  requests?: string;
  statusReplicas?: number;
  behavior?: Behavior;
  /** Whether the condition ScaledToZero is True. */
  scaledToZero?: true;
  /** Replicas, and how many seconds ago they were recommended. */
  recommendations?: [replicas: number, seconds: number][];
}

interface Reasons {
  /** Of ScalingActive, when a metric failed. */
  failed?: string;
  ableToScale?: string;
  scalingLimited?: string;
}

type Row = [
  from: string,
  specReplicas: number,
  bounds: [min: number, max: number],
  metrics: Measured[],
  pods: string,
  replicas: number,
  reasons: Reasons,
  more?: More,
];

const few = { scalingLimited: "TooFewReplicas" };
const many = { scalingLimited: "TooManyReplicas" };
const uneven = { requests: "900 1000 1100" };
const small = { requests: "100 100 100" };
const scaledToZero = { scaledToZero: true } as const;
const broken = external(NaN, "100m");

// prettier-ignore
export const rows: Row[] = [
  ["TestScaleUp", 3, [2, 6], [cpu(30)], "300 500 700", 5, {}],
  ["TestScaleUpCMUnreadyandCpuHot", 3, [2, 6], [qps("15.0")], "50000UH 15000 30000UH", 6, many],
  ["TestScaleUpFromZeroCMObject", 0, [0, 6], [object(20000, "15.0")], "", 2, {}, scaledToZero],
  ["TestScaleUpFromZeroIgnoresToleranceCMObject", 0, [0, 6], [object(1000, "1.0")], "", 1, {}, scaledToZero],
  ["TestScaleToZeroBehavior, from zero without condition", 0, [0, 6], [object(20000, "15.0")], "", 0, {}],
  ["TestScaleToZeroBehavior, minReplicas increased with condition", 0, [2, 6], [object(10000, "15.0")], "", 2, few, scaledToZero],
  ["TestScaleToZeroBehavior, stale condition cleared on normal rescale", 3, [1, 6], [cpu(30)], "300 500 700", 5, {}, scaledToZero],
  ["TestScaleDown", 5, [2, 6], [cpu(50)], "100 300 500 250 250", 3, {}],
  ["TestScaleDownWithScalingRules", 5, [2, 6], [cpu(50)], "100 300 500 250 250", 3, {}, { behavior: up(0, 0, 100, 15, 30) }],
  ["TestScaleUpOneMetricInvalid", 3, [2, 6], [unknown, cpu(30)], "300 400 500", 4, { failed: "InvalidMetricSourceType" }],
  ["TestScaleUpOneMetricEmpty", 3, [2, 6], [broken, cpu(30)], "300 400 500", 4, { failed: "FailedGetExternalMetric" }],
  ["TestScaleUpBothMetricsEmpty", 3, [2, 6], [unknown], "- - -", 3, { failed: "InvalidMetricSourceType" }],
  ["TestNoScaleDownOneMetricInvalid", 5, [2, 6], [unknown, cpu(50)], "100 300 500 250 250", 5, { failed: "InvalidMetricSourceType" }],
  ["TestNoScaleDownOneMetricEmpty", 5, [2, 6], [broken, cpu(50)], "100 300 500 250 250", 5, { failed: "FailedGetExternalMetric" }],
  ["TestScaleDownStabilizeInitialSize", 5, [2, 6], [cpu(50)], "100 300 500 250 250", 5, { ableToScale: "ScaleDownStabilized" }, { recommendations: [[5, 0]] }],
  ["TestScaleDownToZeroCMObject", 5, [0, 6], [object(0, "20.0")], "- - - - -", 0, {}],
  ["TestScaleDownToZeroCMExternal", 5, [0, 6], [external(0, "14400m")], "- - - - -", 0, {}],
  ["TestScaleUpFromZeroWhenMinReplicasIncreased without the condition", 0, [2, 6], [object(10000, "15.0")], "", 0, {}],
  ["TestManualScaleToZeroDisablesHPA", 0, [1, 6], [cpu(50)], "", 0, { failed: "FailedGetResourceMetric" }],
  ["TestConfigurableTolerance of 1 % up", 3, [1, 5], [cpu(100)], "1010 1030 1020", 4, {}, { ...uneven, behavior: { scaleUp: { tolerance: "0.01" } } }],
  ["TestConfigurableTolerance of 90 % down", 3, [1, 5], [cpu(100)], "300 300 300", 3, {}, { behavior: { scaleDown: { tolerance: "0.9" } } }],
  ["TestMinReplicas", 3, [2, 5], [cpu(90)], "10 95 10", 2, few, uneven],
  ["TestZeroMinReplicasDesiredZero", 3, [0, 5], [cpu(90)], "0 0 0", 0, {}, uneven],
  ["TestMinReplicasDesiredZero", 3, [2, 5], [cpu(90)], "0 0 0", 2, few, uneven],
  ["from zero with invalid metric", 0, [0, 6], [cpu(30), unknown], "", 0, { failed: "FailedGetResourceMetric" }],
  ["TestZeroReplicas", 0, [3, 5], [cpu(90)], "", 0, { failed: "FailedGetResourceMetric" }],
  ["TestTooFewReplicas", 2, [3, 5], [cpu(90)], "", 3, { ...few, failed: "FailedGetResourceMetric" }],
  ["TestTooManyReplicas", 10, [3, 5], [cpu(90)], "", 5, { ...many, failed: "FailedGetResourceMetric" }],
  ["TestMaxReplicas", 3, [2, 5], [cpu(90)], "8000 9500 1000", 5, many, uneven],
  ["TestEmptyMetrics", 4, [2, 6], [cpu(100)], "- - - -", 4, { failed: "FailedGetResourceMetric" }],
  ["TestEmptyCPURequest", 1, [1, 5], [cpu(100)], "200", 1, { failed: "FailedGetResourceMetric" }, { requests: "-" }],
  ["TestEventCreated", 1, [1, 5], [cpu(50)], "200", 2, {}, { requests: "200" }],
  ["TestEventNotCreated", 2, [1, 5], [cpu(50)], "200 200", 2, {}, { requests: "400 400" }],
  ["TestMissingReports", 4, [1, 5], [cpu(50)], "200", 2, {}, { requests: "200" }],
  ["TestUpscaleCap", 3, [1, 100], [cpu(10)], "100 200 300", 24, { scalingLimited: "ScaleUpLimit" }, { ...small, behavior: up(0, 0, 700, 60, 0) }],
  ["TestUpscaleCapGreaterThanMaxReplicas", 3, [1, 20], [cpu(10)], "100 200 300", 20, many, { ...small, behavior: up(0, 0, 700, 60, 0) }],
  ["TestMoreReplicasThanSpecNoScale", 4, [1, 8], [cpu(50)], "500 500 500 500 500", 4, {}, { statusReplicas: 5 }],
  ["TestConditionFailedGetMetrics of a resource", 3, [1, 100], [cpu(10)], "- - -", 3, { failed: "FailedGetResourceMetric" }],
  ["TestConditionFailedGetMetrics of pods", 3, [1, 100], [qps("15.0")], "- - -", 3, { failed: "FailedGetPodsMetric" }],
  ["TestConditionFailedGetMetrics of an object", 3, [1, 100], [object(NaN, "15.0")], "- - -", 3, { failed: "FailedGetObjectMetric" }],
  ["TestConditionFailedGetMetrics, external", 3, [1, 100], [external(NaN, "300m")], "- - -", 3, { failed: "FailedGetExternalMetric" }],
  ["TestConditionInvalidSourceType", 3, [2, 6], [unknown], "- - -", 3, { failed: "InvalidMetricSourceType" }],
  ["TestNoBackoffUpscaleCMNoBackoffCpu", 3, [1, 5], [qps("15.0"), cpu(10)], "20000 10000 30000", 5, many],
  ["TestStabilizeDownscale", 4, [1, 5], [cpu(100)], "50 50 50", 4, { ableToScale: "ScaleDownStabilized" }, { ...small, recommendations: [[10, 600], [4, 60]] }],
  ["TestScaleUpRCImmediately", 1, [2, 6], [cpu(50)], "0 0 0 0", 2, few],
  ["TestScaleDownRCImmediately", 6, [2, 5], [cpu(50)], "8000 9500 1000", 5, many, uneven],
  ["TestAvoidUnnecessaryUpdates", 2, [2, 6], [cpu(30)], "400 500H 700H", 2, {}],
];
