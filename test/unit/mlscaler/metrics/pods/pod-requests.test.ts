import { describe, expect, it } from "vitest";
import { parsedPod } from "../../../../../capabilities/mlscaler/metrics/pods/pod-watch";
import { Pod } from "../../../../../capabilities/mlscaler/metrics/reading";
import { requestsOf } from "../../../../../capabilities/mlscaler/metrics/pods/requests";
import { capacityOf } from "../../../../../capabilities/mlscaler/metrics/total";

const asks = (requests: object): object => ({ resources: { requests } });
const podOf = (spec: object, status: object = {}): Pod => parsedPod({ metadata: { name: "web" }, spec, status });
const requestOf = (pod: Pod, resource = "cpu", container?: string): number | undefined =>
  requestsOf([pod], resource, container).get("web");

describe("the requests of a container", () => {
  const spec = { containers: [{ name: "web", ...asks({ cpu: "2", memory: "1Ki" }) }] };
  const reported = (status: object): Pod => podOf(spec, { containerStatuses: [{ name: "web", ...status }] });

  it.each<[string, object, number]>([
    ["those of the spec before the kubelet reports any", {}, 2000],
    [
      "those in effect, while a resize to more waits",
      { ...asks({ cpu: "500m" }), allocatedResources: { cpu: "500m" } },
      500,
    ],
    [
      "those in effect, while a resize to less waits",
      { ...asks({ cpu: "4" }), allocatedResources: { cpu: "2" } },
      4000,
    ],
    ["those that are allocated, where none is in effect", { allocatedResources: { cpu: "500m" } }, 500],
    ["those of the spec, where the kubelet reports another resource", asks({ memory: "2Ki" }), 2000],
    ["those of the spec, where a runtime reports nothing", { resources: null, allocatedResources: {} }, 2000],
  ])("are %s", (_, status, milli) => {
    const pod = reported(status);
    expect([requestOf(pod), requestOf(pod, "cpu", "web")]).toEqual([milli, milli]);
  });

  it("are reported for sidecars with the init containers", () => {
    const pod = podOf(
      { ...spec, initContainers: [{ name: "proxy", restartPolicy: "Always", ...asks({ cpu: "1" }) }] },
      { initContainerStatuses: [{ name: "proxy", ...asks({ cpu: "100m" }) }] },
    );
    expect([requestOf(pod), requestOf(pod, "cpu", "proxy")]).toEqual([2100, 100]);
  });

  it("are the capacity that a forecast counts with", () => {
    const target = { type: "Utilization" as const, averageUtilization: 80 };
    const capacity = capacityOf({ type: "Resource", resource: { name: "cpu", target } }, [
      reported(asks({ cpu: "500m" })),
    ]);
    expect(capacity).toBeCloseTo(0.4);
  });
});

// As PodRequests of component-helpers v0.37.2 (resource/helpers.go), which HPA calls.
describe("the requests of a whole pod", () => {
  const containers = [
    { name: "web", ...asks({ cpu: "500m", memory: "1Ki" }) },
    { name: "log", ...asks({ cpu: "100m" }) },
  ];
  const memory = 1_024_000;

  it("count instead of those of its containers, and each other resource is the sum of the containers", () => {
    const pod = podOf({ containers, ...asks({ memory: "4Ki" }) });
    expect([requestOf(pod), requestOf(pod, "memory")]).toEqual([600, 4 * memory]);
    expect(requestOf(podOf({ containers, ...asks({ cpu: "1" }) }), "memory")).toBe(memory);
    expect(requestOf(pod, "cpu", "log")).toBe(100);
  });

  it("lack a resource that neither the pod nor any container asks for", () => {
    const pod = podOf({ containers: [{ name: "web" }], ...asks({ cpu: "1" }) });
    expect(() => requestOf(pod, "memory")).toThrow("missing pod-level request for memory in Pod web");
  });

  it("are those of an init container that needs more, beside the sidecars before it", () => {
    const initContainers = [
      { name: "proxy", restartPolicy: "Always", ...asks({ cpu: "200m" }) },
      { name: "migrate", ...asks({ cpu: "1" }) },
      { name: "mesh", restartPolicy: "Always", ...asks({ cpu: "50m" }) },
    ];
    const sizeOf = (containers: object[]): number | undefined =>
      requestOf(podOf({ containers, initContainers, ...asks({ memory: "4Ki" }) }));
    expect(sizeOf(containers)).toBe(1200);
    expect(sizeOf([...containers, { name: "big", ...asks({ cpu: "2" }) }])).toBe(2850);
  });

  it("are those in effect, else those that are allocated, and the others those of the containers in effect", () => {
    const spec = { containers, ...asks({ memory: "4Ki" }) };
    const containerStatuses = [{ name: "web", ...asks({ cpu: "250m" }) }];
    const both = { ...asks({ memory: "2Ki" }), allocatedResources: { cpu: "9", memory: "3Ki" } };
    expect(requestOf(podOf(spec, both), "memory")).toBe(2 * memory);
    expect(requestOf(podOf(spec, { allocatedResources: { memory: "3Ki" } }), "memory")).toBe(3 * memory);
    expect(requestOf(podOf(spec, { ...both, containerStatuses }))).toBe(350);
  });

  it("have the overhead of the pod once, which the kubelet adds to what it allocates", () => {
    const spec = { containers, ...asks({ cpu: "1" }), overhead: { cpu: "100m", memory: "1Ki" } };
    expect([requestOf(podOf(spec)), requestOf(podOf(spec), "memory")]).toEqual([1100, 2 * memory]);
    const resized = { ...asks({ cpu: "604m" }), allocatedResources: { cpu: "600m", memory: "2Ki" } };
    expect([requestOf(podOf(spec, resized)), requestOf(podOf(spec, resized), "memory")]).toEqual([600, 2 * memory]);
  });
});
