import { mergePatch } from "../../capabilities/kubernetes/api";
import { pause } from "../../capabilities/kubernetes/pause";
import { listPods } from "../../capabilities/mlscaler/metrics/pod-watch";
import { isLive } from "../../capabilities/mlscaler/metrics/reading";
import { api } from "./cluster";

/** The same load on several Deployments, spread over the Ready pods of each, until `stop`. Writes only changed pods. */
export class CpuLoad {
  readonly #stopped = new AbortController();
  readonly #usage = new Map<string, string>();
  readonly #done: Promise<void>;

  /** @param milli load of each Deployment in milli-cores */
  constructor(
    readonly namespace: string,
    readonly names: string[],
    public milli: number,
  ) {
    this.#done = this.#keep();
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#done;
  }

  async #keep(): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      // A pod may go between list and patch. The next round sees the current pods.
      await Promise.all(this.names.map(name => this.#spread(name).catch(() => undefined)));
      await pause(1000, signal);
    }
  }

  async #spread(name: string): Promise<void> {
    const pods = (await listPods(api, this.namespace, `app=${name}`)).filter(isLive);
    const ready = pods.filter(pod => pod.ready?.status).length;
    for (const pod of pods) {
      const usage = pod.ready?.status ? `${Math.round((this.milli / ready) * 1000)}u` : "0";
      if (this.#usage.get(pod.name) === usage) continue;
      const metadata = { annotations: { "kwok.x-k8s.io/usage-cpu": usage } };
      await api.patch(`/api/v1/namespaces/${this.namespace}/pods/${pod.name}`, mergePatch, { metadata });
      this.#usage.set(pod.name, usage);
    }
  }
}
