import { constants } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import type { V1Container, V1ContainerState, V1ContainerStatus } from "@kubernetes/client-node";
import { runProbes } from "./probes";
import { stop, type Exit, type RunningProcess } from "./processes";
import { messageOf } from "./wait";

/** Restart backoff. It is shorter than the kubelet's 10 s to 5 min, to suit tests and demos. */
const firstBackoffMs = 1000;
const longestBackoffMs = 30_000;
/** A container that ran longer than this restarts with the first backoff again. */
const healthyAfterMs = 60_000;

/** Settings of a container. */
export interface ContainerSettings {
  spec: V1Container;
  port: number;
  graceMs: number;
  /** Starts the process once. */
  launch: () => Promise<RunningProcess>;
  /** Called after each change of `status`. */
  changed: () => void;
  say: (text: string) => void;
}

/** One container of a pod: a process that restarts until the pod ends. */
export class Container {
  private readonly ending = new AbortController();
  private state: V1ContainerState = { waiting: { reason: "ContainerCreating" } };
  private lastState: V1ContainerState | undefined;
  private running: RunningProcess | undefined;
  private restarts = 0;
  private started = false;
  private ready = false;

  constructor(private readonly settings: ContainerSettings) {}

  /** Id of the process and its group while it runs. */
  get pid(): number | undefined {
    return this.running?.pid;
  }

  status(): V1ContainerStatus {
    const { spec } = this.settings;
    return {
      name: spec.name,
      image: spec.image ?? "",
      imageID: "",
      ready: this.ready,
      started: this.started,
      restartCount: this.restarts,
      state: this.state,
      lastState: this.lastState,
    };
  }

  /** Runs the container until it is terminated. It restarts whenever it ends, as the pods of Deployments do. */
  async run(): Promise<void> {
    let backoffMs = firstBackoffMs;
    while (!this.ending.signal.aborted) {
      const begin = Date.now();
      await this.runOnce();
      if (this.ending.signal.aborted) return;
      if (Date.now() - begin > healthyAfterMs) backoffMs = firstBackoffMs;
      this.become({ waiting: { reason: "CrashLoopBackOff", message: `starts again after ${backoffMs / 1000} s` } });
      await delay(backoffMs, undefined, { signal: this.ending.signal }).catch(() => undefined);
      backoffMs = Math.min(backoffMs * 2, longestBackoffMs);
      this.restarts++;
    }
  }

  /** Ends the process: SIGTERM, then SIGKILL after the grace period. */
  async terminate(graceMs: number): Promise<void> {
    this.ending.abort();
    if (this.running) await stop(this.running, graceMs);
  }

  /** Runs the process once. Never throws. */
  private async runOnce(): Promise<void> {
    const startedAt = new Date();
    try {
      this.running = await this.settings.launch();
    } catch (error) {
      this.settings.say(`cannot start: ${messageOf(error)}`);
      this.become({ waiting: { reason: "CreateContainerError", message: messageOf(error) } });
      return;
    }
    // `terminate` found no process to stop, because it was called during the start.
    if (this.ending.signal.aborted) await stop(this.running, 0);
    this.settings.say(`started, pid ${this.running.pid}`);
    this.become({ running: { startedAt } });
    const probing = new AbortController();
    const probes = this.probe(this.running, probing.signal);
    const exit = await this.running.ended;
    probing.abort();
    await probes;
    this.running = undefined;
    this.settings.say(`ended: ${exit.signal ?? `code ${exit.code ?? "unknown"}`}`);
    this.started = this.ready = false;
    const terminated = terminatedState(startedAt, exit);
    this.lastState = terminated;
    this.become(terminated);
  }

  private async probe(running: RunningProcess, signal: AbortSignal): Promise<void> {
    const { spec, port, graceMs, say, changed } = this.settings;
    const set = (field: "started" | "ready", value: boolean): void => {
      if (signal.aborted || this[field] === value) return;
      this[field] = value;
      if (field === "ready") say(value ? "ready" : "not ready");
      changed();
    };
    await runProbes(
      spec,
      port,
      {
        started: () => set("started", true),
        ready: ready => set("ready", ready),
        failed: why => {
          say(`${why}, it is restarted`);
          void stop(running, graceMs);
        },
      },
      signal,
    );
  }

  private become(state: V1ContainerState): void {
    this.state = state;
    this.settings.changed();
  }
}

function terminatedState(startedAt: Date, exit: Exit): V1ContainerState {
  const exitCode = exit.code ?? (exit.signal ? 128 + constants.signals[exit.signal] : 1);
  return {
    terminated: { exitCode, reason: exitCode === 0 ? "Completed" : "Error", startedAt, finishedAt: new Date() },
  };
}
