import { appendFileSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { V1Pod, V1PodCondition, V1PodStatus } from "@kubernetes/client-node";
import { statusOf, strategicMerge, type Cluster } from "./cluster";
import { Container } from "./container";
import { launch } from "./launch";
import type { Ports } from "./ports";
import { groupMembers } from "./processes";
import { Volumes } from "./volumes";
import { messageOf } from "./wait";

/** `pepr deploy` creates the Deployment shortly before its Secrets. */
const retryVolumesMs = 250;
const refreshVolumesMs = 60_000;

/** Settings that all pods of the node share. */
export interface PodSettings {
  cluster: Cluster;
  podsFolder: string;
  records: string;
  /** Port of the API server. */
  apiPort: number;
  ports: Ports;
}

/** A pod in the status of the sandbox. */
export interface PodReport {
  name: string;
  namespace: string;
  uid: string;
  phase: string;
  ready: boolean;
  restarts: number;
  /** Port of its process, which replaces the containerPort. */
  port: number | undefined;
  /** Leader of the process group; undefined while no process runs. */
  pid: number | undefined;
  /** The processes of the group and their resident memory. */
  processes: { pid: number; residentBytes: number }[];
  log: string;
}

/** Runs one pod: its volumes, processes and status. */
export class PodRunner {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  readonly labels: Record<string, string>;
  private readonly ending = new AbortController();
  private readonly startTime = new Date();
  private readonly folder: string;
  private readonly log: string;
  private containers: Container[] = [];
  private port: number | undefined;
  private waitingFor: string | undefined;
  private readonly transitions = new Map<string, { status: string; at: Date }>();
  private dirty = true;
  private wake: () => void = () => undefined;
  private readonly life: Promise<void>;
  /** Set when the termination starts; settles when the processes have ended. */
  private termination: Promise<void> | undefined;

  constructor(
    private readonly pod: V1Pod,
    private readonly settings: PodSettings,
  ) {
    ({ uid: this.uid = "", name: this.name = "", namespace: this.namespace = "" } = pod.metadata ?? {});
    this.labels = pod.metadata?.labels ?? {};
    this.folder = join(settings.podsFolder, this.uid);
    this.log = join(settings.podsFolder, `${this.namespace}_${this.name}.log`);
    this.life = this.live().catch((error: unknown) => this.say(`failed: ${messageOf(error)}`));
    void this.reportStatus();
  }

  /** Port of the pod; undefined while it is not ready. */
  get readyPort(): number | undefined {
    return this.ready && !this.termination ? this.port : undefined;
  }

  report(): PodReport {
    const pid = this.containers.find(container => container.pid !== undefined)?.pid;
    return {
      name: this.name,
      namespace: this.namespace,
      uid: this.uid,
      phase: this.termination ? "Terminating" : this.phase,
      ready: this.ready,
      restarts: this.containers.reduce((sum, container) => sum + container.status().restartCount, 0),
      port: this.port,
      pid,
      processes: pid === undefined ? [] : groupMembers(pid),
      log: this.log,
    };
  }

  /**
   * Ends the pod's processes: SIGTERM to the group, SIGKILL after the grace period. A second call can shorten the
   * grace period.
   * @param graceMs grace period in milliseconds; undefined uses the pod's spec
   */
  terminate(graceMs?: number): Promise<void> {
    const grace = graceMs ?? (this.pod.spec?.terminationGracePeriodSeconds ?? 30) * 1000;
    this.ending.abort();
    const stopped = Promise.all(this.containers.map(container => container.terminate(grace)));
    this.termination ??= (async () => {
      this.say(`ending, grace ${grace / 1000} s`);
      await stopped;
      await this.life;
      if (this.port !== undefined) this.settings.ports.free(this.port);
      rmSync(this.folder, { recursive: true, force: true });
      this.say("ended");
    })();
    return this.termination;
  }

  private async live(): Promise<void> {
    const { signal } = this.ending;
    const { cluster, records, apiPort, ports } = this.settings;
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    const volumes = new Volumes(cluster, this.pod, join(this.folder, "volumes"));
    while (!signal.aborted && !(await this.prepareVolumes(volumes))) {
      await delay(retryVolumesMs, undefined, { signal }).catch(() => undefined);
    }
    if (signal.aborted) return;
    const port = (this.port = await ports.take());
    const refresh = setInterval(() => void volumes.refresh().catch(() => undefined), refreshVolumesMs);
    try {
      this.containers = (this.pod.spec?.containers ?? []).map(
        spec =>
          new Container({
            spec,
            port,
            graceMs: (this.pod.spec?.terminationGracePeriodSeconds ?? 30) * 1000,
            launch: async () => {
              // The previous start may have failed because of a Secret that has changed since.
              await volumes.refresh();
              return launch({
                pod: this.pod,
                container: spec,
                folder: this.folder,
                volumes,
                port,
                log: this.log,
                records,
                apiPort,
              });
            },
            changed: () => this.changed(),
            say: text => this.say(`${spec.name}: ${text}`),
          }),
      );
      await Promise.all(this.containers.map(container => container.run()));
    } finally {
      clearInterval(refresh);
    }
  }

  private async prepareVolumes(volumes: Volumes): Promise<boolean> {
    try {
      await volumes.refresh();
      this.waitingFor = undefined;
      return true;
    } catch (error) {
      const why = messageOf(error);
      if (why !== this.waitingFor) {
        this.say(`waits for ${why}`);
        this.waitingFor = why;
        this.changed();
      }
      return false;
    }
  }

  private get ready(): boolean {
    return this.containers.length > 0 && this.containers.every(container => container.status().ready);
  }

  private get phase(): string {
    return this.containers.length === 0 ? "Pending" : "Running";
  }

  private changed(): void {
    this.dirty = true;
    this.wake();
  }

  /** Writes each change of the status to the API server until the pod is gone. Retries while the API server is down. */
  private async reportStatus(): Promise<void> {
    let over = false;
    void this.life.then(() => {
      over = true;
      this.changed();
    });
    for (;;) {
      while (!this.dirty) await new Promise<void>(resolve => (this.wake = resolve));
      this.dirty = false;
      const last = over;
      try {
        await this.settings.cluster.core.patchNamespacedPodStatus(
          { name: this.name, namespace: this.namespace, body: { metadata: { uid: this.uid }, status: this.status() } },
          strategicMerge,
        );
        if (last) return;
      } catch (error) {
        // 404: the pod is gone. 409: another pod has its name.
        if (statusOf(error) === 404 || statusOf(error) === 409) return;
        this.dirty = true;
        await delay(1000);
      }
    }
  }

  private status(): V1PodStatus {
    const reason = this.waitingFor ?? (this.ready ? undefined : "containers are not ready");
    const containers = this.containers.map(container => container.status());
    return {
      phase: this.phase,
      hostIP: "127.0.0.1",
      ...(this.port === undefined
        ? {}
        : { podIP: placeholderIp(this.port), podIPs: [{ ip: placeholderIp(this.port) }] }),
      startTime: this.startTime,
      conditions: [
        this.condition("Initialized", true),
        this.condition("ContainersReady", this.ready, reason),
        this.condition("Ready", this.ready, reason),
      ],
      containerStatuses:
        containers.length > 0
          ? containers
          : (this.pod.spec?.containers ?? []).map(({ name, image }) => ({
              name,
              image: image ?? "",
              imageID: "",
              ready: false,
              restartCount: 0,
              state: { waiting: { reason: "ContainerCreating", message: this.waitingFor } },
            })),
    };
  }

  private condition(type: string, value: boolean, message?: string): V1PodCondition {
    const status = value ? "True" : "False";
    const known = this.transitions.get(type);
    const at = known?.status === status ? known.at : new Date();
    this.transitions.set(type, { status, at });
    return { type, status, lastTransitionTime: at, message: value ? "" : message };
  }

  private say(text: string): void {
    try {
      appendFileSync(this.log, `[sandbox] ${new Date().toISOString()} ${text}\n`, { mode: 0o600 });
    } catch {
      // The folder is gone, because the sandbox is going down.
    }
  }
}

/**
 * The IP address in the status of a pod. Endpoints must not be loopback addresses, so a pod shows an address that is
 * reserved for documentation (RFC 5737). The egress proxy knows the real address.
 */
function placeholderIp(port: number): string {
  return `192.0.2.${(port % 250) + 1}`;
}
