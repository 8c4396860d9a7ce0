import { Current } from "../../../../../../capabilities/mlscaler/scaling/rule/average";
import { container, cpu, external, externalPerPod, Measured, object, objectPerPod, qps } from "./notation";

// Inputs and results from podautoscaler/replica_calculator_test.go and metrics/utilization_test.go of Kubernetes 1.36
// (Apache-2.0), in a notation of our own; 1.37 has them without these names, as rows of tables: upstream test,
// spec.replicas, metric, pods, replicas, metric now.

interface More {
  /** Milli-units of each container of each pod. */
  requests?: string;
  tolerance?: { up: number; down: number };
}

type Row = [
  from: string,
  specReplicas: number,
  measured: Measured,
  pods: string,
  replicas: number,
  current: Current,
  more?: More,
];

const uneven = { requests: "900 1000 1100" };
const within = (down: number, up: number): More => ({ ...uneven, tolerance: { up, down } });
const onePercentUp = { tolerance: { up: 0.01, down: 0.1 } };
const utilization = (averageUtilization: number, averageValue: number): Current => ({
  averageUtilization,
  averageValue,
});
const averageValue = (milli: number): Current => ({ averageValue: milli });
const value = (milli: number): Current => ({ value: milli });

const mostReplicas = 2 ** 31 - 1;
const mostMilli = 2 ** 63;
const tenPods = "150 150 150 150 150 150 150 150 150 150";
const tenRequests = { requests: "400 200 310 290 302 298 301 299 300 300" };

// prettier-ignore
export const rows: Row[] = [
  ["TestReplicaCalcScaleUp", 3, cpu(30), "300 500 700", 5, utilization(50, 1000)],
  ["TestReplicaCalcContainerScaleUp", 3, container("container2", 30), "1000/300 1000/500 1000/700", 5, utilization(50, 500)],
  ["TestReplicaCalcScaleUpUnreadyLessScale", 3, cpu(30), "300U 500 700", 4, utilization(60, 1200)],
  ["TestReplicaCalcScaleUpOverflow", 3, object(mostMilli, "1m"), "- - -", mostReplicas, value(mostMilli)],
  ["TestReplicaCalcScaleUpHotCpuLessScale", 3, cpu(30), "300H 500 700", 4, utilization(60, 1200)],
  ["TestReplicaCalcScaleUpUnreadyNoScale", 3, cpu(30), "400 500U 700U", 3, utilization(40, 800)],
  ["TestExternalPerPodMetricReplicaOverflow", 1, externalPerPod(mostMilli, "1m"), "-", mostReplicas, averageValue(mostMilli)],
  ["TestExternalPerPodMetricUsageOverflow", 1, externalPerPod(mostMilli, "9223372036854775807m"), "-", 1, averageValue(mostMilli)],
  ["TestReplicaCalcScaleHotCpuNoScale", 3, cpu(30), "400 500UH 700UH", 3, utilization(40, 800)],
  ["TestReplicaCalcScaleUpIgnoresFailedPods", 2, cpu(30), "500 700 -F -F", 4, utilization(60, 1200)],
  ["TestReplicaCalcMissingContainerMetricScaleUpIgnoresFailedPods", 2, container("container2", 30), "1000/500 9000/700 1000/-F 9000/-F", 4, utilization(60, 600)],
  ["TestReplicaCalcScaleUpIgnoresDeletionPods", 2, cpu(30), "500 700 -UD -UD", 4, utilization(60, 1200)],
  ["TestReplicaCalcScaleUpCM", 3, qps("15"), "20000 10000 30000", 4, averageValue(20000)],
  ["TestReplicaCalcScaleUpCMUnreadyHotCpuNoLessScale", 3, qps("15"), "50000 10000 30000UH", 6, averageValue(30000)],
  ["TestReplicaCalcScaleUpCMUnreadyHotCpuScaleWouldScaleDown", 3, qps("15"), "50000UH 15000 30000UH", 7, averageValue(31666)],
  ["TestReplicaCalcScaleUpCMObject", 3, object(20000, "15"), "- - -", 4, value(20000)],
  ["TestReplicaCalcScaleUpCMPerPodObject", 3, objectPerPod(20000, "5"), "- - -", 4, averageValue(6667)],
  ["TestReplicaCalcScaleUpCMObjectIgnoresUnreadyPods", 3, object(50000, "10"), "-U - -U", 5, value(50000)],
  ["TestReplicaCalcScaleUpCMExternal", 1, qps("4400m"), "8600", 2, averageValue(8600)],
  ["TestReplicaCalcScaleUpCMExternalIgnoresUnreadyPods", 3, external(8600, "4400m"), "-U - -U", 2, value(8600)],
  ["TestReplicaCalcScaleUpPerPodCMExternal", 3, externalPerPod(8600, "2150m"), "- - -", 4, averageValue(2867)],
  ["TestReplicaCalcScaleDown", 5, cpu(50), "100 300 500 250 250", 3, utilization(28, 560)],
  ["TestReplicaCalcContainerScaleDown", 5, container("container2", 50), "1000/100 1000/300 1000/500 1000/250 1000/250", 3, utilization(28, 280)],
  ["TestReplicaCalcScaleDownCM", 5, qps("20"), "12000 12000 12000 12000 12000", 3, averageValue(12000)],
  ["TestReplicaCalcScaleDownPerPodCMObject", 5, objectPerPod(6000, "2"), "- - - - -", 3, averageValue(1200)],
  ["TestReplicaCalcScaleDownCMObject", 5, object(12000, "20"), "- - - - -", 3, value(12000)],
  ["TestReplicaCalcScaleDownCMExternal", 5, external(8600, "14334m"), "- - - - -", 3, value(8600)],
  ["TestReplicaCalcScaleDownPerPodCMExternal", 5, externalPerPod(8600, "2867m"), "- - - - -", 3, averageValue(1720)],
  ["TestReplicaCalcScaleDownExcludeUnreadyPods", 5, cpu(50), "100 300 500 250U 250U", 2, utilization(30, 600)],
  ["TestReplicaCalcScaleDownExcludeUnscheduledPods", 5, cpu(50), "100 -Q -Q -Q -Q", 1, utilization(10, 200)],
  ["TestReplicaCalcScaleDownContainerExcludeUnscheduledPods", 5, container("container2", 50), "1000/100 1000/300Q 1000/500Q 1000/250Q 1000/250Q", 1, utilization(10, 100)],
  ["TestReplicaCalcScaleDownIgnoreHotCpuPods", 5, cpu(50), "100 300 500 250H 250H", 2, utilization(30, 600)],
  ["TestReplicaCalcScaleDownIgnoresFailedPods", 5, cpu(50), "100 300 500 250 250 -F -F", 3, utilization(28, 560)],
  ["TestReplicaCalcScaleDownIgnoresDeletionPods", 5, cpu(50), "100 300 500 250 250 -UD -UD", 3, utilization(28, 560)],
  ["TestReplicaCalcTolerance", 3, cpu(100), "1010 1030 1020", 3, utilization(102, 2040), uneven],
  ["TestReplicaCalcToleranceCM", 3, qps("20"), "20000 21000 21000", 3, averageValue(20666)],
  ["TestReplicaCalcToleranceCMObject", 3, object(20666, "20"), "- - -", 3, value(20666)],
  ["TestReplicaCalcTolerancePerPodCMObject", 4, objectPerPod(20166, "5"), "- - - -", 4, averageValue(5042)],
  ["TestReplicaCalcToleranceCMExternal", 3, external(8600, "8888m"), "- - -", 3, value(8600)],
  ["TestReplicaCalcTolerancePerPodCMExternal", 3, externalPerPod(8600, "2.9"), "- - -", 3, averageValue(2867)],
  ["TestReplicaCalcConfigurableTolerance outside of 0 %", 3, cpu(100), "909 1010 1111", 4, utilization(101, 2020), within(0, 0)],
  ["TestReplicaCalcConfigurableTolerance within 200 % up", 3, cpu(100), "1890 1910 1900", 3, utilization(190, 3800), within(0.1, 2)],
  ["TestReplicaCalcConfigurableTolerance outside of 8 % up", 3, cpu(100), "1100 1080 1090", 4, utilization(109, 2180), within(2, 0.08)],
  ["TestReplicaCalcConfigurableTolerance within 36 % down", 3, cpu(100), "660 640 650", 3, utilization(65, 1300), within(0.36, 0.1)],
  ["TestReplicaCalcConfigurableTolerance outside of 34 % down", 3, cpu(100), "660 640 650", 2, utilization(65, 1300), within(0.34, 0.1)],
  ["TestReplicaCalcConfigurableToleranceCM", 3, qps("20"), "20000 21000 21000", 4, averageValue(20666), onePercentUp],
  ["TestReplicaCalcConfigurableToleranceCMObject", 3, object(20666, "20"), "- - -", 4, value(20666), onePercentUp],
  ["TestReplicaCalcConfigurableTolerancePerPodCMObject", 4, objectPerPod(20208, "5"), "- - - -", 5, averageValue(5052), onePercentUp],
  ["TestReplicaCalcConfigurableToleranceCMExternal", 3, external(8900, "8.8"), "- - -", 4, value(8900), onePercentUp],
  ["TestReplicaCalcConfigurableTolerancePerPodCMExternal", 3, externalPerPod(8600, "2.8"), "- - -", 4, averageValue(2867), onePercentUp],
  ["TestReplicaCalcSuperfluousMetrics", 4, cpu(100), "4000 9500 3000 7000 3200X 2000X", 24, utilization(587, 11750)],
  ["TestReplicaCalcMissingMetrics", 4, cpu(100), "400 95 - -", 3, utilization(24, 495)],
  ["TestPlainMetricReplicaCalcMissingMetricsNoChangeEq", 5, qps("20"), "20000 19000 21000 - -", 5, averageValue(20000)],
  ["TestReplicaCalcMissingMetricsNoChangeEq", 2, cpu(100), "1000 -", 2, utilization(100, 2000)],
  ["TestReplicaCalcMissingMetricsNoChangeGt", 2, cpu(100), "1900 -", 2, utilization(190, 3800)],
  ["TestReplicaCalcMissingMetricsNoChangeLt", 2, cpu(100), "600 -", 2, utilization(60, 1200)],
  ["TestReplicaCalcMissingMetricsUnreadyChange", 3, cpu(50), "100U 450 -", 3, utilization(45, 900)],
  ["TestReplicaCalcMissingMetricsUnreadyScaleUp", 3, cpu(50), "100U 2000 -", 4, utilization(200, 4000)],
  ["TestReplicaCalcMissingMetricsUnreadyScaleDown", 4, cpu(50), "100U 100 100 -", 3, utilization(10, 200)],
  ["TestReplicaCalcMissingMetricsScaleDownTargetOver100", 4, cpu(300), "200U 100 100 -", 2, utilization(6, 200), { requests: "1000 1000 2000 2000" }],
  ["TestReplicaCalcDuringRollingUpdateWithMaxSurge", 2, cpu(50), "100 100 -", 2, utilization(10, 200)],
  ["TestReplicaCalcDuringRollingUpdateWithMaxSurgeCM", 2, qps("17"), "10000 10000 -", 2, averageValue(10000)],
  ["TestReplicaCalcComputedToleranceAlgImplementation", 10, cpu(56), tenPods, 9, utilization(50, 300), tenRequests],
  ["TestReplicaCalcComputedToleranceAlgImplementation in band", 10, cpu(55), tenPods, 10, utilization(50, 300), tenRequests],
  ["TestReplicaCalcExternalMetricUsageOverflow", 3, external(mostMilli, "9223372036854775807m"), "- - -", 3, value(mostMilli)],
  ["TestGetResourceUtilizationRatioBaseCase", 2, cpu(50), "50 76", 3, utilization(63, 126), { requests: "100 100" }],
  ["TestGetResourceUtilizationRatioIgnorePodsWithNoRequest", 2, cpu(50), "50 76 100X", 3, utilization(63, 126), { requests: "100 100 -" }],
];

/** Where there is no count: upstream test, spec.replicas, metric, pods, reason, message, requests. */
// prettier-ignore
export const failures: [string, number, Measured, string, string, string, string?][] = [
  ["TestReplicaCalcDisjointResourcesMetrics", 1, cpu(100), "- 100X", "FailedGetResourceMetric", "failed to get cpu utilization: did not receive metrics for targeted pods (pods might be unready)"],
  ["TestReplicaCalcEmptyMetrics", 4, cpu(100), "- - - -", "FailedGetResourceMetric", "failed to get cpu utilization: did not receive metrics for targeted pods (pods might be unready)"],
  ["TestReplicaCalcEmptyCPURequest", 1, cpu(100), "200", "FailedGetResourceMetric", "failed to get cpu utilization: missing request for cpu in container container1 of Pod test-pod-0", "-"],
  ["TestGetResourceUtilizationRatioNoRequests", 2, cpu(50), "50 76", "FailedGetResourceMetric", "failed to get cpu utilization: the pods request no cpu", "0 0"],
  ["TestCalculatePodRequestsFromContainers_NonExistentContainer", 1, container("non-existent-container", 30), "300", "FailedGetContainerResourceMetric", "failed to get cpu utilization: container non-existent-container not found in Pod test-pod-0"],
];
