import { mergePatch, type Api } from "../capabilities/kubernetes/api";
import { listPods } from "../capabilities/mlscaler/metrics/pod-watch";
import { isLive, type Pod } from "../capabilities/mlscaler/metrics/reading";

/** The annotation from which kwok reads the CPU use of a pod. */
const usageAnnotation = "kwok.x-k8s.io/usage-cpu";

/**
 * Spreads a CPU use of `cores` evenly over the Ready pods that match `selector`. Writes the pods in the order in which
 * they became Ready, so that the total never exceeds `cores` in between. Throws ApiError.
 * @param written what the calls before have written, by pod. They write only what changes.
 */
export async function spreadLoad(
  api: Api,
  namespace: string,
  selector: string,
  cores: number,
  written: Map<string, string>,
): Promise<void> {
  const pods = (await listPods(api, namespace, selector)).filter(isLive);
  const ready = pods.filter(pod => pod.ready?.status).length;
  const since = ({ ready }: Pod): number => (ready?.status ? ready.since : Infinity);
  for (const pod of [...pods].sort((one, other) => since(one) - since(other) || 0)) {
    const usage = pod.ready?.status ? `${Math.round((cores / ready) * 1e6)}u` : "0";
    // A StatefulSet makes pods of the same name again.
    const key = `${pod.name} ${pod.createdAt}`;
    if (written.get(key) === usage) continue;
    const metadata = { annotations: { [usageAnnotation]: usage } };
    await api.patch(`/api/v1/namespaces/${namespace}/pods/${pod.name}`, mergePatch, { metadata });
    written.set(key, usage);
  }
}
