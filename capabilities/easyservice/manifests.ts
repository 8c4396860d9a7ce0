import { controlledBy, ObjectReference } from "../kubernetes/metadata";
import { selectorText } from "../kubernetes/selector";
import { Port } from "./ports";
import { Spec } from "./schema";

const managedBy = { "app.kubernetes.io/managed-by": "easyservice-operator" };

export const childSelector = selectorText({ matchLabels: managedBy });

type Owner = Pick<ObjectReference, "namespace" | "name">;

/** API paths of the Deployment and the Service of an EasyService; without a namespace, of all of them. */
export const deploymentPath = (owner?: Owner): string => pathOf("/apis/apps/v1", "deployments", owner);
export const servicePath = (owner?: Owner): string => pathOf("/api/v1", "services", owner);

const pathOf = (api: string, plural: string, owner?: Owner): string =>
  owner ? `${api}/namespaces/${owner.namespace}/${plural}/${owner.name}` : `${api}/${plural}`;

const podLabels = ({ name }: Pick<Owner, "name">): Record<string, string> => ({ app: name });

/** The selector of an EasyService's pods: "app=web". */
export const podSelector = (owner: Pick<Owner, "name">): string => selectorText({ matchLabels: podLabels(owner) });

interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: object;
  spec: object;
}

/** The Deployment of an EasyService, with only the fields that this module owns. */
export function deploymentOf(owner: ObjectReference, spec: Spec): Manifest {
  const { size, image, resources, envs, ports } = spec;
  const container = {
    name: owner.name,
    image,
    ...(envs.length > 0 && { env: envs }),
    ...(resources && { resources }),
    ...(ports.length > 0 && { ports: containerPorts(ports) }),
  };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: metadataOf(owner),
    spec: {
      replicas: size,
      selector: { matchLabels: podLabels(owner) },
      template: { metadata: { labels: podLabels(owner) }, spec: { containers: [container] } },
    },
  };
}

/** The Service of an EasyService with ports, with only the fields that this module owns. */
export const serviceOf = (owner: ObjectReference, { ports }: Spec): Manifest => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: metadataOf(owner),
  spec: { type: "NodePort", selector: podLabels(owner), ports },
});

const metadataOf = (owner: ObjectReference): object => ({
  name: owner.name,
  namespace: owner.namespace,
  labels: { ...podLabels(owner), ...managedBy },
  ownerReferences: [controlledBy(owner)],
});

interface ContainerPort {
  containerPort: number;
  protocol: Port["protocol"];
  name?: string;
}

// A port has a name only if a targetPort uses it. Its number is that of the Service port with this name, or of the
// first that uses it.
export function containerPorts(ports: Port[]): ContainerPort[] {
  const found = new Map<string, ContainerPort>();
  const open = (containerPort: number, protocol: Port["protocol"]): ContainerPort => {
    const key = `${containerPort}/${protocol}`;
    const port = found.get(key) ?? { containerPort, protocol };
    found.set(key, port);
    return port;
  };
  for (const { port, targetPort = port, protocol } of ports) {
    if (typeof targetPort === "number") open(targetPort, protocol);
  }
  const named = new Set<string>();
  for (const { port, targetPort, protocol } of ports) {
    // A pod has each port name once, whatever the protocol.
    if (typeof targetPort !== "string" || named.has(targetPort)) continue;
    const meant = ports.find(other => other.name === targetPort && other.protocol === protocol);
    const number = typeof meant?.targetPort === "number" ? meant.targetPort : (meant?.port ?? port);
    const container = open(number, protocol);
    // Kubernetes gives a port one name; a second name stays unknown.
    container.name ??= targetPort;
    named.add(targetPort);
  }
  return [...found.values()];
}
