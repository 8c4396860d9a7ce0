import { describe, expect, it } from "vitest";
import { Pod } from "../../../../../capabilities/mlscaler/metrics/reading";
import { requestsOf } from "../../../../../capabilities/mlscaler/metrics/pods/requests";

// Inputs and results from podautoscaler/replica_calculator_test.go of Kubernetes 1.36 and 1.37 (Apache-2.0), in a
// notation of our own.

const pod = (change: Partial<Pod>): Pod => ({
  name: "web",
  labels: {},
  phase: "Running",
  deleting: false,
  containers: [],
  ...change,
});

describe("requestsOf", () => {
  const containers = (...requests: [name: string, milli?: number][]): Pod[] => {
    const requestsOfOne = (cpu?: number): Record<string, number> => (cpu === undefined ? {} : { cpu });
    return [pod({ containers: requests.map(([name, cpu]) => ({ name, requests: requestsOfOne(cpu) })) })];
  };
  const both = containers(["container1", 100], ["container2", 50]);

  it.each<[string, Pod[], string | undefined, [string, number][]]>([
    ["void", [], undefined, []],
    ["sum container requests", both, undefined, [["web", 150]]],
    ["only that container", both, "container1", [["web", 100]]],
    ["restartable init containers", containers(["container1", 100], ["restartable", 50]), undefined, [["web", 150]]],
    ["another container without one", containers(["container1", 100], ["container2"]), "container1", [["web", 100]]],
  ])("TestCalculateRequests %s", (_, pods, container, requests) => {
    expect([...requestsOf(pods, "cpu", container)]).toEqual(requests);
  });

  it("TestCalculateRequests fails if one of the containers has no request", () => {
    const pods = containers(["container1"], ["container2", 50]);
    expect(() => requestsOf(pods, "cpu")).toThrow("missing request for cpu in container container1 of Pod web");
  });

  it("a pod that counts for nothing has to have its requests as well", () => {
    const pods = [...both, pod({ name: "gone", phase: "Failed", containers: [{ name: "container1", requests: {} }] })];
    expect(() => requestsOf(pods, "cpu")).toThrow("missing request for cpu in container container1 of Pod gone");
  });
});
