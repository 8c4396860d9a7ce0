import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { V1Namespace } from "@kubernetes/client-node";
import { stringify } from "yaml";
import { mergePatch, type Cluster, type Followed } from "./cluster";
import { fakeNodeType, nodeTypeLabel, processNodeType } from "./components";
import { messageOf } from "./wait";

/** The module's namespace. Its pods are processes of this machine. */
export const moduleNamespace = "pepr-system";

const annotation = "scheduler.alpha.kubernetes.io/node-selector";
const fakeSelector = `${nodeTypeLabel}=${fakeNodeType}`;
const processSelector = `${nodeTypeLabel}=${processNodeType}`;

/**
 * Configures the admission plugin PodNodeSelector, which sends the pods of the module's namespace to the node that
 * runs processes, and all others to the fake nodes.
 * @returns the path of the file
 */
export function writeAdmissionConfig(folder: string): string {
  const path = join(folder, "admission.yaml");
  const podNodeSelectorPluginConfig = {
    clusterDefaultNodeSelector: fakeSelector,
    // The selector that pods of this namespace may use. The annotation of the namespace sets it. Until the annotation
    // exists, the API server rejects the pods and their controllers retry, so that no pod lands on a fake node.
    [moduleNamespace]: processSelector,
  };
  const plugins = [{ name: "PodNodeSelector", configuration: { podNodeSelectorPluginConfig } }];
  writeFileSync(path, stringify({ apiVersion: "apiserver.config.k8s.io/v1", kind: "AdmissionConfiguration", plugins }));
  return path;
}

/** Annotates the module's namespace each time it appears. */
export function keepModuleNamespace(cluster: Cluster, say: (text: string) => void): Followed<V1Namespace> {
  const fieldSelector = `metadata.name=${moduleNamespace}`;
  const followed = cluster.follow<V1Namespace>(
    "/api/v1/namespaces",
    () => cluster.core.listNamespace({ fieldSelector }),
    () => {
      for (const { metadata } of followed.list()) {
        if (metadata?.deletionTimestamp || metadata?.annotations?.[annotation] === processSelector) continue;
        const body = { metadata: { annotations: { [annotation]: processSelector } } };
        cluster.core
          .patchNamespace({ name: moduleNamespace, body }, mergePatch)
          .catch((error: unknown) => say(`cannot annotate ${moduleNamespace}: ${messageOf(error)}`));
      }
    },
    fieldSelector,
  );
  return followed;
}
