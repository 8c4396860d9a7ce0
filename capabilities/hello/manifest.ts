import { controlledBy, ObjectReference } from "../kubernetes/metadata";
import { Spec } from "./schema";

export const manager = "example-operator";

const managedBy = "operator.fraim.co.jp/managed-by";

export const deploymentSelector = `${managedBy}=${manager}`;

/** The Deployment of a Hello, with only the fields that this module owns. */
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
        spec: { containers: [{ name, image: "nginxdemos/hello:0.3-plain-text", ports: [{ containerPort: 80 }] }] },
      },
    },
  };
}
