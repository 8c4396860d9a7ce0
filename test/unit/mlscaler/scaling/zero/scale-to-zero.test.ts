import { describe, expect, it } from "vitest";
import { checkSpec } from "../../../../../capabilities/definition/check";
import { mlscaler } from "../../../../../capabilities/mlscaler/schema";

const cpu = { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 60 } } };
const target = { type: "AverageValue", averageValue: "10" };
const external = { type: "External", external: { metric: { name: "queue" }, target } };
const requests = { type: "Prometheus", prometheus: { query: "sum(requests)", threshold: "0.1" } };

const spec = { target_deployment: "web", max_replicas: 10, min_replicas: 0, metrics: [external] };
const check = (change: object): ReturnType<typeof checkSpec> => checkSpec(mlscaler, { ...spec, ...change });
const short = { metrics: undefined, metric: "cpu", history_size: 5 };

const withoutPods =
  "spec.min_replicas: 0 needs at least one metric that is known without pods: Object, External or Prometheus in " +
  "spec.metrics, or an activation in spec.scale_to_zero; else use 1 or more";
const notAThreshold = 'is not a threshold, use an integer or Quantity of 0 or more, for example 10 or "500m"';

describe("the rules on 0 replicas", () => {
  const zero = (scale_to_zero: object): object => ({ scale_to_zero });
  const described = { describedObject: { kind: "Service", name: "web" }, metric: { name: "a" }, target };

  it.each<object>([
    {},
    { metrics: [cpu, external] },
    { metrics: [{ type: "Prometheus", prometheus: { query: "sum(requests)", target } }] },
    { metrics: [{ type: "Object", object: described }] },
    { metrics: [cpu], scale_to_zero: { activation: [requests] } },
    { ...short, scale_to_zero: { activation: [requests] } },
    zero({ cooldown_seconds: 0, min_idle_seconds: 0, replicas: 10 }),
    zero({ cooldown_seconds: 86_400, min_idle_seconds: 21_600 }),
    zero({ activation: [{ type: "External", external: { metric: { name: "a" } } }] }),
  ])("take what is right: %j", change => {
    expect(check(change).faults).toEqual([]);
  });

  it("fill in KEDA's defaults", () => {
    expect(check({ scale_to_zero: {} }).spec).toMatchObject({ scale_to_zero: { cooldown_seconds: 300, replicas: 1 } });
  });

  const promQl = (prometheus: object): object => zero({ activation: [{ ...requests, prometheus }] });

  // prettier-ignore
  it.each<[object, string]>([
    [{ metrics: [cpu] }, withoutPods],
    [short, withoutPods],
    [{ metrics: [cpu], scale_to_zero: {} }, withoutPods],
    [{ metrics: [cpu], scale_to_zero: { activation: [] } }, withoutPods],
    [{ min_replicas: -1 }, "spec.min_replicas: -1 is out of range, use 0 to 2147483647"],
    [{ min_replicas: 2, scale_to_zero: {} }, "spec.scale_to_zero: goes with spec.min_replicas 0, and that is 2; use 0 there, or leave this out"],
    [zero({ replicas: 11 }), "spec.scale_to_zero: its replicas 11 are above spec.max_replicas 10, use at most that"],
    [zero({ replicas: 0 }), "spec.scale_to_zero.replicas: 0 is out of range, use 1 to 2147483647"],
    [zero({ cooldown_seconds: -1 }), "spec.scale_to_zero.cooldown_seconds: -1 is out of range, use 0 to 86400 seconds"],
    [zero({ cooldown_seconds: 86_401 }), "spec.scale_to_zero.cooldown_seconds: 86401 is out of range, use 0 to 86400 seconds"],
    [zero({ min_idle_seconds: 21_601 }), "spec.scale_to_zero.min_idle_seconds: 21601 is out of range, use 0 to 21600 seconds"],
    [zero({ activation: [{ type: "External" }] }), "spec.scale_to_zero.activation[0].type: External goes with the block of that name and no other, use external alone"],
    ...["Resource", "ContainerResource", "Pods"].map((type): [object, string] => [zero({ activation: [{ type }] }),
      `spec.scale_to_zero.activation[0].type: ${type} is measured on pods, and there are none at 0 replicas; use Object, External or Prometheus`]),
    ...["-1", "much", -1].map((threshold): [object, string] => [promQl({ query: "up", threshold }),
      `spec.scale_to_zero.activation[0].prometheus.threshold: ${threshold} ${notAThreshold}`]),
    [promQl({ query: " " }), "spec.scale_to_zero.activation[0].prometheus.query: is empty, use PromQL that comes to one value, as sum(rate(http_requests_total[1m]))"],
  ])("refuse %j", (change, fault) => {
    expect(check(change).faults).toEqual([fault]);
  });
});
