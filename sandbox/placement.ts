import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { V1Namespace } from "@kubernetes/client-node";
import { stringify } from "yaml";
import { mergePatch, type Cluster, type Followed } from "./cluster";
import { fakeNodeType, nodeTypeLabel, processNodeType } from "./components";
import { messageOf } from "./wait";

/** Namespace whose pods are processes of this machine: the module's. */
export const moduleNamespace = "pepr-system";

const annotation = "scheduler.alpha.kubernetes.io/node-selector";
const fakeSelector = `${nodeTypeLabel}=${fakeNodeType}`;
const processSelector = `${nodeTypeLabel}=${processNodeType}`;

/**
 * Configures the admission plugin PodNodeSelector: pods go to the fake nodes, but those of the module's namespace
 * only to the node that runs processes, whatever their manifests say.
 * @returns the path of the file
 */
export function writeAdmissionConfig(folder: string): string {
  const path = join(folder, "admission.yaml");
  const podNodeSelectorPluginConfig = {
    clusterDefaultNodeSelector: fakeSelector,
    // What this namespace's pods may ask for; what they do ask for is in its annotation. Until it has that,
    // its pods are refused and tried again, rather than pretended.
    [moduleNamespace]: processSelector,
  };
  const plugins = [{ name: "PodNodeSelector", configuration: { podNodeSelectorPluginConfig } }];
  writeFileSync(path, stringify({ apiVersion: "apiserver.config.k8s.io/v1", kind: "AdmissionConfiguration", plugins }));
  return path;
}

/** Gives the module's namespace its annotation whenever it appears. */
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
