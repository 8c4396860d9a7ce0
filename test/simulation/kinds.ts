/** The API server's description of a kind of object. */
export interface Kind {
  /** "" for the core API. */
  group: string;
  version: string;
  kind: string;
  plural: string;
  /** True when the kind has a status subresource. Writes of the object then keep the status, and vice versa. */
  hasStatus?: boolean;
  /** True when a change of the spec increases metadata.generation. */
  counts?: boolean;
  /** The paths of the scale subresource's fields. The selector is text or matchLabels. */
  scale?: { replicas: string; observed: string; selector: string };
  /** True when the kind comes with a CRD, which may be missing. */
  custom?: boolean;
  /** The faults of a spec by the rules of its CRD. */
  refuses?: (spec: Record<string, unknown>) => string | undefined;
  /** The field of the spec whose managers are recorded: the minimum of an autoscaler. */
  minimum?: "minReplicas" | "minReplicaCount";
}

const deploymentScale = {
  replicas: "spec.replicas",
  observed: "status.replicas",
  selector: "spec.selector.matchLabels",
};

const builtIn: Kind[] = [
  { group: "", version: "v1", kind: "Pod", plural: "pods", hasStatus: true, counts: true },
  { group: "", version: "v1", kind: "Service", plural: "services", hasStatus: true },
  { group: "", version: "v1", kind: "ConfigMap", plural: "configmaps" },
  { group: "", version: "v1", kind: "Secret", plural: "secrets" },
  { group: "", version: "v1", kind: "Event", plural: "events" },
  ...["Deployment", "StatefulSet"].map(kind => ({
    ...{ group: "apps", version: "v1", kind, plural: `${kind.toLowerCase()}s` },
    ...{ hasStatus: true, counts: true, scale: deploymentScale },
  })),
  {
    group: "autoscaling",
    version: "v2",
    kind: "HorizontalPodAutoscaler",
    plural: "horizontalpodautoscalers",
    ...{ hasStatus: true, minimum: "minReplicas" },
    refuses: ({ minReplicas = 1, maxReplicas }) =>
      Number(minReplicas) > Number(maxReplicas) ? "spec.maxReplicas: must be at least minReplicas" : undefined,
  },
  { group: "coordination.k8s.io", version: "v1", kind: "Lease", plural: "leases" },
  { group: "networking.k8s.io", version: "v1", kind: "Ingress", plural: "ingresses", hasStatus: true, counts: true },
];

const custom: Kind[] = [
  { group: "pepr.dev", version: "v1", kind: "PeprStore", plural: "peprstores" },
  {
    ...{ group: "keda.sh", version: "v1alpha1", kind: "ScaledObject", plural: "scaledobjects", hasStatus: true },
    minimum: "minReplicaCount" as const,
    refuses: ({ minReplicaCount = 0, maxReplicaCount = 100 }: Record<string, unknown>) =>
      Number(minReplicaCount) > Number(maxReplicaCount) ? "minReplicaCount must be at most maxReplicaCount" : undefined,
  },
  { group: "example.com", version: "v1", kind: "MLScaler", plural: "mlscalers", hasStatus: true },
  {
    ...{ group: "app.kubebuilder.io", version: "v1", kind: "EasyService", plural: "easyservices", hasStatus: true },
    scale: { replicas: "spec.size", observed: "status.replicas", selector: "status.selector" },
  },
  {
    ...{ group: "fraim.co.jp", version: "v1", kind: "Hello", plural: "helloes", hasStatus: true },
    scale: { replicas: "spec.replicas", observed: "status.replicas", selector: "status.selector" },
    refuses: ({ replicas }: Record<string, unknown>) =>
      Number(replicas) > 20 ? `spec.replicas: Invalid value: ${String(replicas)}: use 1 to 20` : undefined,
  },
  {
    ...{ group: "my-operator.dev", version: "v1", kind: "Echo", plural: "echoes", hasStatus: true },
    scale: { replicas: "spec.replicas", observed: "status.current_replicas", selector: "status.selector" },
  },
  { group: "autoscaling.x-k8s.io", version: "v1beta1", kind: "CapacityBuffer", plural: "capacitybuffers" },
  { group: "pizzeria.example.com", version: "v1", kind: "PizzaOrder", plural: "pizzaorders", hasStatus: true },
  {
    ...{ group: "shop.example.org", version: "v1", kind: "Checkout", plural: "checkouts", hasStatus: true },
    scale: { replicas: "spec.replicas", observed: "status.replicas", selector: "status.selector" },
  },
].map(kind => ({ ...kind, counts: true, custom: true }));

export const kinds: readonly Kind[] = [...builtIn, ...custom];

/** The kind of this name. Throws when there is none. */
export function kindOf(name: string): Kind {
  const found = kinds.find(({ kind }) => kind === name);
  if (!found) throw new Error(`the simulation has no kind ${name}: add it to kinds.ts`);
  return found;
}

/** The API version, such as "apps/v1". */
export const apiVersionOf = ({ group, version }: Pick<Kind, "group" | "version">): string =>
  group ? `${group}/${version}` : version;
