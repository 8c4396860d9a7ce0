import type { Metadata } from "../../../kubernetes/metadata";

/** The labels that hold the revision of a pod's template, by what sets them. The first one that a pod has counts. */
const labels = [
  "pod-template-hash", // Deployment, and CloneSet of OpenKruise
  "rollouts-pod-template-hash", // Rollout of Argo
  "controller-revision-hash", // StatefulSet, and the sets of OpenKruise
  "grove.io/pod-template-hash", // PodClique of Grove
];

// The kinds with an object a revision, whose uid tells it, as for a DeploymentConfig. A StrimziPodSet is none:
// strimzi.io/revision is of each pod.
const kindsOfRevisions = ["ReplicaSet", "ReplicationController"];

/** The revision of a pod's template: that of a label, or the uid of what controls the pod. Undefined without both. */
export function revisionOf({
  labels: given,
  ownerReferences,
}: Pick<Metadata, "ownerReferences"> & { labels: Record<string, string> }): string | undefined {
  const label = labels.find(one => given[one] !== undefined);
  if (label !== undefined) return given[label];
  return ownerReferences.find(({ controller, kind }) => controller && kindsOfRevisions.includes(kind))?.uid;
}
