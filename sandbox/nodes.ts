import { isTrue, mergePatch, statusOf, type Cluster } from "./cluster";
import { fakeNodeType, nodeTypeLabel } from "./components";
import { waitFor } from "./wait";

const fakeNodes = 5;

/** Creates the fake nodes and waits until kwok has made them Ready. @throws when one is not Ready within 60 s */
export async function createFakeNodes(cluster: Cluster, signal?: AbortSignal): Promise<void> {
  const names = Array.from({ length: fakeNodes }, (_, i) => `kwok-${i + 1}`);
  await Promise.all(names.map(name => createFakeNode(cluster, name)));
  await waitFor(
    async () => {
      const { items } = await cluster.core.listNode({ labelSelector: `${nodeTypeLabel}=${fakeNodeType}` });
      const ready = items.filter(({ spec, status }) => isTrue(status?.conditions, "Ready") && !spec?.taints?.length);
      return ready.length === fakeNodes;
    },
    { what: "the fake nodes", timeoutMs: 60_000, signal },
  );
}

async function createFakeNode(cluster: Cluster, name: string): Promise<void> {
  const size = { cpu: "1000", memory: "4Ti", "ephemeral-storage": "4Ti", pods: "2000" };
  await cluster.core.createNode({
    body: {
      metadata: {
        name,
        labels: { [nodeTypeLabel]: fakeNodeType, "kubernetes.io/hostname": name, "kubernetes.io/os": "linux" },
        annotations: { "metrics.k8s.io/resource-metrics-path": `/metrics/nodes/${name}/metrics/resource` },
      },
    },
  });
  await cluster.core.patchNodeStatus({ name, body: { status: { capacity: size, allocatable: size } } }, mergePatch);
}

/** Registers metrics-server, at a port of this machine, as metrics.k8s.io. @throws when the API server refuses */
export async function registerMetricsApi(cluster: Cluster, port: number): Promise<void> {
  const service = { name: "metrics-server", namespace: "kube-system" };
  await waitFor(
    () =>
      cluster.core
        .createNamespacedService({
          namespace: service.namespace,
          body: {
            metadata: { name: service.name },
            spec: { type: "ExternalName", externalName: "localhost", ports: [{ port, protocol: "TCP" }] },
          },
        })
        // The API server creates the namespace shortly after it is ready.
        .catch((error: unknown) => statusOf(error) === 409),
    { what: "the Service of metrics-server", timeoutMs: 30_000 },
  );
  await cluster.apiServices.createAPIService({
    body: {
      metadata: { name: "v1beta1.metrics.k8s.io" },
      spec: {
        group: "metrics.k8s.io",
        version: "v1beta1",
        groupPriorityMinimum: 100,
        versionPriority: 100,
        insecureSkipTLSVerify: true,
        service: { ...service, port },
      },
    },
  });
}

/**
 * Waits until metrics.k8s.io answers. It has no metrics of a new pod for 10 to 20 s, until metrics-server has scraped
 * the pod twice.
 * @throws when metrics.k8s.io is not available within 90 s
 */
export async function waitForMetricsApi(cluster: Cluster, signal?: AbortSignal): Promise<void> {
  await waitFor(
    async () => {
      const api = await cluster.apiServices.readAPIService({ name: "v1beta1.metrics.k8s.io" });
      return isTrue(api.status?.conditions, "Available");
    },
    { what: "metrics.k8s.io", timeoutMs: 90_000, everyMs: 250, signal },
  );
}
