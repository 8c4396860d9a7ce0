import { controlledBy, ObjectReference } from "../common/objects";
import { Spec } from "./schema";

/** Who the fields of Deployments and of statuses belong to. */
export const manager = "example-operator";

const managedBy = "operator.fraim.co.jp/managed-by";

/** Finds the Deployments of all Helloes. */
export const deploymentSelector = `${managedBy}=${manager}`;

/** The Deployment of a Hello: every field that this module owns, and no other. */
export function deploymentOf(
  owner: ObjectReference,
  { replicas }: Spec,
): { metadata: object; [field: string]: unknown } {
  const { namespace, name } = owner;
  const podLabels = { "app.kubernetes.io/name": name };
  const labels = { ...podLabels, [managedBy]: manager };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { namespace, name, labels, ownerReferences: [controlledBy(owner)] },
    spec: {
      replicas,
      selector: { matchLabels: podLabels },
      template: {
        metadata: { labels },
        spec: {
          containers: [{ name, image: "nginxdemos/hello:0.3-plain-text", ports: [{ containerPort: 80 }] }],
        },
      },
    },
  };
}
