import { z } from "zod";
import * as cluster from "./cluster";

const { api, kube, shortForm, until } = cluster;

/** The kinds of targets besides Deployments: how to create one, and the path of its count. */
export const kinds = {
  EasyService: {
    ref: { apiVersion: "app.kubebuilder.io/v1", kind: "EasyService" },
    plural: "easyservices",
    count: "size",
    spec: { size: 1, image: "nginx:1.27", ports: [{ port: 80 }] },
  },
  Hello: {
    ref: { apiVersion: "fraim.co.jp/v1", kind: "Hello" },
    plural: "helloes",
    count: "replicas",
    spec: { replicas: 1 },
  },
  Echo: {
    ref: { apiVersion: "my-operator.dev/v1", kind: "Echo" },
    plural: "echoes",
    count: "replicas",
    spec: { replicas: 1, image: "nginx:1.27" },
  },
  StatefulSet: {
    ref: { apiVersion: "apps/v1", kind: "StatefulSet" },
    plural: "statefulsets",
    count: "replicas",
    spec: {
      replicas: 1,
      serviceName: "db",
      podManagementPolicy: "Parallel",
      selector: { matchLabels: { app: "statefulset" } },
      template: {
        metadata: { labels: { app: "statefulset" } },
        spec: { containers: [{ name: "db", image: "postgres" }] },
      },
    },
  },
} as const;

export type Kind = keyof typeof kinds;

const scaleSchema = z.object({
  spec: z.object({ replicas: z.number().default(0) }),
  status: z.object({ replicas: z.number().default(0), selector: z.string().default("") }),
});

/** Targets of all kinds in one namespace. */
export class Targets {
  constructor(readonly namespace: string) {}

  /** The path of a target in the API. */
  path(kind: Kind, name: string): string {
    return cluster.pathOf(kinds[kind].ref, this.namespace, name);
  }

  async scaleOf(kind: Kind, name: string): Promise<z.infer<typeof scaleSchema>> {
    return scaleSchema.parse(await api.get(`${this.path(kind, name)}/scale`));
  }

  async create(kind: Kind, name: string, spec: object = kinds[kind].spec): Promise<void> {
    await cluster.apply(this.namespace, { ...kinds[kind].ref, metadata: { name }, spec });
  }

  /** Waits until a number of replicas is requested and exists. */
  async untilScale(kind: Kind, name: string, wanted: number): Promise<void> {
    await until(
      `${kind} ${name} has ${wanted} replicas, asked for and there`,
      async () => {
        const { spec, status } = await this.scaleOf(kind, name);
        return spec.replicas === wanted && status.replicas === wanted;
      },
      { seen: async () => JSON.stringify(await this.scaleOf(kind, name)) },
    );
  }
}

/** The spec of an MLScaler on a target. */
export const scalerOn = (kind: Kind, name: string, spec: object = {}): object => ({
  target_ref: { ...kinds[kind].ref, name },
  ...shortForm,
  ...spec,
});

/** Serves a kind as far as scaling goes: any fields, and a scale. Returns what deletes it. */
export async function serveKind(ref: cluster.Kind, plural: string, selectorPath: string): Promise<() => Promise<void>> {
  const { apiVersion, kind } = ref;
  const [group, version] = apiVersion.split("/");
  const name = `${plural}.${group}`;
  const replicasPaths = { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" };
  const served = {
    ...{ name: version, served: true, storage: true },
    schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
    subresources: { status: {}, scale: { ...replicasPaths, labelSelectorPath: selectorPath } },
  };
  const spec = {
    group,
    names: { kind, plural, singular: kind.toLowerCase() },
    scope: "Namespaced",
    versions: [served],
  };
  const crd = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", metadata: { name }, spec };
  await kube(["apply", "--server-side", "-f", "-"], JSON.stringify(crd));
  await kube(["wait", "--for=condition=Established", `crd/${name}`, "--timeout=60s"]);
  await until(`${plural} are served`, async () => {
    await api.get(cluster.pathOf(ref, "default"));
    return true;
  });
  return async () => void (await kube(["delete", "crd", name]));
}
