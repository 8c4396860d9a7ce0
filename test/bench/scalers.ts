import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { Api } from "../../capabilities/kubernetes/api";
import type { Metric } from "../../capabilities/mlscaler/metrics/registry";
import { waitFor } from "../../sandbox/wait";
import { deployModule, ours } from "./sandbox";
import { podsEach, type Fleet, type Target } from "./fleet";
import type { Part, Series } from "./observation";
import { listed } from "../listed";

/** A kind of object that scales Deployments, and its actor. */
export interface Scaler {
  name: string;
  /** Its description, for the header of a column. */
  title: string;
  /** Flags of the controller-manager during the measurement; they extend or replace the usual ones. */
  flags: Record<string, string>;
  /** Starts the actor where it does not run yet. */
  start: (signal: AbortSignal) => Promise<void>;
  /** The actor, and its metrics of syncs: their number, and the delay of their start (a histogram). */
  actor: { part: Part; syncs: Series; lateness: Series };
  api: string;
  plural: string;
  manifest: (target: Target) => object;
}

/** The sync period of each object: that of an HPA. */
const periodSeconds = 15;

const metrics: Metric[] = [
  { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } },
];
const bounds = { min: 1, max: 2 * podsEach };

/** All kinds in the order of measurement. This module comes last, because it stays in the sandbox. */
export const scalers: Scaler[] = [
  hpa("hpa-stock", "HPA, stock\nclient limits", { "kube-api-qps": "20", "kube-api-burst": "30" }),
  hpa("hpa-lifted", "HPA, client\nlimits lifted", { "kube-api-qps": "1000", "kube-api-burst": "2000" }),
  {
    name: ours,
    title: "MLScaler",
    flags: {},
    start: deployModule,
    actor: {
      part: "watcher",
      syncs: { name: "mlscaler_sync_duration_seconds_count", labels: { kind: "MLScaler" } },
      lateness: { name: "mlscaler_sync_lag_seconds", labels: { kind: "MLScaler" } },
    },
    api: "example.com/v1",
    plural: "mlscalers",
    manifest: ({ name }) => ({
      apiVersion: "example.com/v1",
      kind: "MLScaler",
      metadata: { name },
      spec: {
        target_deployment: name,
        min_replicas: bounds.min,
        max_replicas: bounds.max,
        metrics,
        forecast: { model: "off" },
        sync_period_seconds: periodSeconds,
        rollout_freeze: false,
      },
    }),
  },
];

function hpa(name: string, title: string, flags: Record<string, string>): Scaler {
  return {
    name,
    title,
    flags,
    start: () => Promise.resolve(),
    actor: {
      part: "controller-manager",
      syncs: { name: "horizontal_pod_autoscaler_controller_reconciliation_duration_seconds_count", labels: {} },
      lateness: { name: "workqueue_queue_duration_seconds", labels: { name: "horizontalpodautoscaler" } },
    },
    api: "autoscaling/v2",
    plural: "horizontalpodautoscalers",
    manifest: ({ name: target }) => ({
      apiVersion: "autoscaling/v2",
      kind: "HorizontalPodAutoscaler",
      metadata: { name: target },
      spec: {
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: target },
        minReplicas: bounds.min,
        maxReplicas: bounds.max,
        metrics,
      },
    }),
  };
}

const scaledSchema = z.object({
  status: z
    .object({ conditions: z.array(z.object({ type: z.string(), status: z.string() })).default([]) })
    .default({ conditions: [] }),
});

/** A generous timeout: a scaler that exceeds it has failed. */
const timeoutMilliseconds = 600_000;

/** Creates an object of a kind for each of the targets, and deletes them. */
export class Scaled {
  readonly #api = new Api();

  constructor(
    readonly scaler: Scaler,
    readonly fleet: Fleet,
  ) {}

  /**
   * Creates the objects one after another over two periods. An HPA keeps the phase of its creation. HPAs that are
   * created at once would all answer a step at the same time, early or late by chance.
   */
  async create(targets: Target[]): Promise<void> {
    const began = performance.now();
    await this.fleet.each(targets, async (target, index) => {
      const due = began + (2 * periodSeconds * 1000 * index) / targets.length;
      await delay(Math.max(0, due - performance.now()), undefined, { signal: this.fleet.signal });
      await this.#api.create(this.#path(target.namespace), this.scaler.manifest(target), { timeoutSeconds: 60 });
    });
  }

  /** The number of objects whose last sync computed a count from metrics, and the number of objects. */
  async count(): Promise<{ active: number; all: number }> {
    const { api, plural } = this.scaler;
    const items = await listed(this.#api, `/apis/${api}/${plural}`, scaledSchema);
    const active = items.filter(({ status }) =>
      status.conditions.some(condition => condition.type === "ScalingActive" && condition.status === "True"),
    );
    return { active: active.length, all: items.length };
  }

  /** Waits until there are `wanted` objects and all of them have computed a count. */
  async untilActive(wanted: number): Promise<void> {
    await this.#until(`${wanted} ${this.scaler.plural} that scale`, async () => (await this.count()).active === wanted);
  }

  /** Deletes all objects and waits until they are gone. */
  async clear(): Promise<void> {
    await this.fleet.each(this.fleet.namespaces, namespace =>
      this.#api.delete(this.#path(namespace), undefined, { timeoutSeconds: 60 }),
    );
    await this.#until(`the end of all ${this.scaler.plural}`, async () => (await this.count()).all === 0);
  }

  async #until(what: string, attempt: () => Promise<boolean>): Promise<void> {
    await waitFor(attempt, { what, timeoutMilliseconds, everyMilliseconds: 2000, signal: this.fleet.signal });
  }

  #path(namespace: string): string {
    return `/apis/${this.scaler.api}/namespaces/${namespace}/${this.scaler.plural}`;
  }
}
