import { describe, expect, it } from "vitest";
import { parsedPod } from "../../../../../capabilities/mlscaler/metrics/pods/pod-watch";

const revisionOf = (labels: object, kind?: string, annotations?: object): string | undefined => {
  const owner = kind && { apiVersion: "v1", kind, name: "web-2", uid: "uid-2", controller: true };
  return parsedPod({ metadata: { name: "web", labels, annotations, ownerReferences: owner ? [owner] : [] } }).revision;
};

describe("the revision of a pod", () => {
  it.each([
    ["a Deployment", { "pod-template-hash": "5f7" }, "5f7"],
    ["a StatefulSet", { "controller-revision-hash": "db-1" }, "db-1"],
    ["a Rollout of Argo", { "rollouts-pod-template-hash": "9c4" }, "9c4"],
    ["a CloneSet of OpenKruise", { "controller-revision-hash": "web-7d9", "pod-template-hash": "7d9" }, "7d9"],
    ["a PodClique of Grove", { "grove.io/pod-template-hash": "86584d" }, "86584d"],
  ])("of %s is that of its label, whatever owns the pod", (_, labels, revision) => {
    for (const owner of ["ReplicaSet", "CloneSet", undefined]) expect(revisionOf(labels, owner)).toBe(revision);
  });

  it("of a DeploymentConfig is the uid of the ReplicationController, whatever its label `deployment` says", () => {
    expect(revisionOf({ deployment: "web-2", deploymentconfig: "web" }, "ReplicationController")).toBe("uid-2");
    expect(revisionOf({}, "ReplicaSet")).toBe("uid-2");
  });

  it("is unknown where each pod has one of its own, or the owner stays", () => {
    expect(revisionOf({}, "StrimziPodSet", { "strimzi.io/revision": "89fc31a2" })).toBeUndefined();
    expect(revisionOf({}, "GameServer")).toBeUndefined();
    expect(revisionOf({})).toBeUndefined();
  });
});
