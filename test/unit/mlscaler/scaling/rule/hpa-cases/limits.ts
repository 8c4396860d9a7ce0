import { Behavior } from "../../../../../../capabilities/mlscaler/scaling/rule/behavior-schema";
import { down, up } from "./notation";

// Inputs and results from podautoscaler/horizontal_test.go of Kubernetes 1.36 (Apache-2.0), in a notation of our own;
// 1.37 has them without these names, as rows of tables.

/** Replicas added (removed, below 0) and how many seconds ago. */
type Events = [change: number, seconds: number][];

const few = "TooFewReplicas";
const many = "TooManyReplicas";
const upLimit = "ScaleUpLimit";
const downLimit = "ScaleDownLimit";
const inRange = "DesiredWithinRange";

/** Spread over 120 s as upstream does: each in the middle of its part. */
const added = (...changes: number[]): Events =>
  changes.map((change, index) => [change, 120 - (120 / changes.length) * (index + 0.5)]);
const removed = (...changes: number[]): Events => added(...changes).map(([change, seconds]) => [-change, seconds]);

/** TestConvertDesiredReplicasWithRules, without `behavior`: name, current, wanted, bounds, replicas, reason. */
// prettier-ignore
export const withoutBehavior: [string, number, number, [number, number], number, string][] = [
  ["prenormalized desired replicas within range", 5, 7, [3, 8], 7, inRange],
  ["prenormalized desired replicas < minReplicas", 3, 1, [2, 8], 2, few],
  ["prenormalized desired zeroed replicas within range", 1, 0, [0, 10], 0, inRange],
  ["maxReplicas is the limit because maxReplicas < scaleUpLimit", 20, 1000, [1, 10], 10, many],
  ["scaleUpLimit is the limit because scaleUpLimit < maxReplicas", 3, 1000, [1, 2000], 6, upLimit],
  ["L03 from within", 8, 1000, [1, 10], 10, many],
  ["max where the limit is", 5, 1000, [1, 10], 10, many],
  ["exactly the limit", 10, 20, [1, 1000], 20, inRange],
];

/** TestScalingWithRules: name, current, wanted, bounds, behavior, events, replicas, reason. */
// prettier-ignore
export const withBehavior: [string, number, number, [number, number], Behavior, Events, number, string][] = [
  ["prenormalized desired replicas within range", 5, 7, [3, 8], {}, [], 7, inRange],
  ["prenormalized desired replicas < minReplicas", 3, 1, [2, 8], {}, [], 2, few],
  ["prenormalized desired replicas within range when minReplicas is 0", 1, 0, [0, 10], {}, [], 0, inRange],
  ["maxReplicas is the limit because maxReplicas < scaleUpLimit", 20, 1000, [1, 10], {}, [], 10, many],
  ["desired replica count is more than the maximum replica count", 100, 1000, [100, 150], {}, [], 150, many],
  ["scaleUpLimit is the limit with user policies", 3, 1000, [1, 2000], up(0, 0, 1, 60, 0), [], 4, upLimit],
  ["scaleDownLimit is the limit with user defined policies", 1000, 3, [3, 2000], down(20, 60, 0, 0, 0), [], 980, downLimit],
  ["scaleUp with default behavior", 10, 50, [1, 1000], {}, [], 20, upLimit],
  ["scaleUp with pods policy larger than percent policy", 10, 500, [1, 1000], up(100, 60, 100, 60, 0), [], 110, upLimit],
  ["scaleUp with percent policy larger than pods policy", 10, 500, [1, 1000], up(2, 60, 100, 60, 0), [], 20, upLimit],
  ["scaleUp with large pod policy", 10, 50, [1, 1000], up(100, 60, 0, 0, 0), [], 50, inRange],
  ["scaleUp with large percent policy", 10, 50, [1, 1000], up(10000, 60, 0, 0, 0), [], 50, inRange],
  ["scaleUp with pod policy limitation", 10, 50, [1, 1000], up(30, 60, 0, 0, 0), [], 40, upLimit],
  ["scaleUp with percent policy limitation", 10, 50, [1, 1000], up(0, 0, 200, 60, 0), [], 30, upLimit],
  ["scaleDown with percent policy larger than pod policy", 100, 2, [1, 1000], down(20, 60, 1, 60, 300), [], 80, downLimit],
  ["scaleDown with pod policy larger than percent policy", 100, 2, [1, 1000], down(2, 60, 1, 60, 300), [], 98, downLimit],
  ["scaleDown with MinReplicas limitation with large pod policy", 10, 0, [1, 1000], down(100, 60, 0, 0, 300), [], 1, few],
  ["scaleDown with MinReplicas limitation with large percent policy", 10, 2, [5, 1000], down(0, 0, 100, 60, 300), [], 5, few],
  ["scaleDown with pod policy limitation", 10, 2, [1, 1000], down(5, 60, 0, 0, 300), [], 5, downLimit],
  ["scaleDown with percent policy limitation", 10, 5, [1, 1000], down(0, 0, 50, 60, 300), [], 5, inRange],
  ["scaleUp with MaxReplicas, large pod policy and events", 100, 500, [1, 200], up(300, 60, 0, 0, 0), added(1, 5, 9), 200, many],
  ["scaleUp with MaxReplicas, large percent policy and events", 100, 500, [1, 200], up(0, 0, 10000, 60, 0), added(1, 5, 9), 200, many],
  ["scaleUp with a lot of recent scale up events", 100, 500, [1, 1000], up(5, 120, 0, 0, 0), added(1, 5, 9), 100, upLimit],
  ["scaleUp with pod policy and previous scale up events", 100, 500, [1, 1000], up(150, 120, 0, 0, 0), added(1, 5, 9), 235, upLimit],
  ["scaleUp with percent policy and previous scale up events", 100, 500, [1, 1000], up(0, 0, 200, 120, 0), added(1, 5, 9), 255, upLimit],
  ["scaleUp with percent policy and previous events up and down", 6, 24, [1, 1000], up(0, 0, 300, 300, 0), [...added(4), ...removed(2)], 16, upLimit],
  ["scaleDown with default policy and previous events", 10, 5, [1, 1000], {}, removed(1, 5, 9), 5, inRange],
  ["scaleDown with MinReplicas=nil, large pod policy and events", 100, 0, [1, 1000], down(115, 120, 0, 0, 300), removed(1, 5, 9), 1, few],
  ["scaleDown with MinReplicas, large pod policy and events", 100, 0, [5, 1000], down(130, 120, 0, 0, 300), removed(1, 5, 9), 5, few],
  ["scaleDown with MinReplicas, large percent policy and events", 100, 2, [5, 1000], down(0, 0, 100, 120, 300), removed(1, 5, 9), 5, few],
  ["scaleDown with pod policy limitation and previous events", 100, 2, [1, 1000], down(5, 120, 0, 0, 300), removed(1, 5, 9), 100, downLimit],
  ["scaleDown with percent policy limitation and previous events", 100, 0, [1, 1000], down(0, 0, 50, 120, 300), removed(2, 4, 6), 56, downLimit],
  ["scaleDown with percent policy and previous events up and down", 10, 1, [1, 1000], down(0, 0, 50, 180, 0), [...added(2), ...removed(4)], 6, downLimit],
  ["scaleDown with previous events preventing further scale down", 100, 0, [1, 1000], down(0, 0, 10, 120, 300), removed(10, 10, 10), 100, downLimit],
  ["scaleDown with previous events still allowing more scale down", 10, 5, [1, 1000], down(0, 0, 1000, 120, 300), removed(10, 10, 10), 5, inRange],
  ["events outdated for one behavior for up", 100, 200, [1, 1000], up(1000, 60, 0, 0, 0), added(8, 12, 9, 11), 200, inRange],
  ["events not outdated for two policies for up", 100, 200, [1, 1000], up(1000, 120, 100, 60, 0), added(8, 12, 9, 11), 200, inRange],
  ["events outdated for two policies for up", 100, 200, [1, 1000], up(1000, 30, 100, 60, 0), added(8, 12, 9, 11), 200, inRange],
  ["events outdated for one behavior for down", 100, 5, [1, 1000], down(1000, 60, 0, 0, 300), removed(8, 12, 9, 11), 5, inRange],
  ["events not outdated for two policies for down", 100, 5, [1, 1000], down(1000, 120, 100, 60, 300), removed(8, 12, 9, 11), 5, inRange],
  ["events outdated for two policies for down", 100, 5, [1, 1000], down(1000, 30, 100, 60, 300), removed(8, 12, 9, 11), 5, inRange],
];

/** TestNormalizeDesiredReplicasWithBehavior: name, recommendations, current, wanted, windows up and down (s), count. */
// prettier-ignore
export const stabilizedWithBehavior: [string, Events, number, number, [up: number, down: number], number][] = [
  ["empty recommendations for scaling down", [], 100, 5, [0, 0], 5],
  ["simple scale down stabilization", [[4, 120], [5, 60]], 100, 3, [0, 180], 5],
  ["simple scale up stabilization", [[4, 120], [5, 60]], 1, 7, [300, 0], 4],
  ["no scale down stabilization", [[1, 120], [2, 60]], 100, 3, [300, 0], 3],
  ["no scale up stabilization", [[4, 120], [5, 60]], 1, 3, [0, 300], 3],
  ["no scale down stabilization, reuse recommendation element", [[10, 600], [9, 540]], 100, 3, [0, 0], 3],
  ["no scale up stabilization, reuse recommendation element", [[10, 600], [9, 540]], 1, 100, [0, 0], 100],
  ["scale down stabilization, reuse one of obsolete elements", [[10, 600], [4, 60], [5, 120], [9, 540]], 100, 3, [0, 180], 5],
  ["scale up stabilization, reuse one of obsolete elements", [[10, 6000], [6, 60], [5, 120], [9, 180]], 1, 100, [300, 0], 5],
  ["do not scale up when prenormalized rec goes down", [[2, 6000], [3, 180]], 2, 1, [300, 300], 2],
  ["do not scale down when prenormalized rec goes up", [[2, 6000], [1, 180]], 2, 3, [300, 300], 2],
];

/** TestStoreScaleEvents: name, events, and how many replicas they added in the last 60 s. */
// prettier-ignore
export const changes: [string, Events, number][] = [
  ["empty entries", [], 0],
  ["one outdated entry", [[7, 61]], 0],
  ["one actual entry", [[7, 58]], 7],
  ["two entries, one of them outdated", [[7, 61], [6, 59]], 6],
  ["policies with different periods", [[8, 29], [6, 59], [7, 61], [9, 61]], 14],
  ["two entries, both actual", [[7, 58], [6, 59]], 13],
];
