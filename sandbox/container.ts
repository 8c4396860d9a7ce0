import { setTimeout as delay } from "node:timers/promises";
import type { V1Container, V1ContainerState, V1ContainerStatus } from "@kubernetes/client-node";
import { runProbes } from "./probes";
import { stop, type Exit, type RunningProcess } from "./processes";
import { messageOf } from "./wait";

/** A kubelet waits 10 s to 5 min; nobody wants to watch that on a laptop. */
const firstBackoffMs = 1000;
const longestBackoffMs = 30_000;
/** A container that ran this long is forgiven its earlier crashes. */
const healthyAfterMs = 60_000;

/** What a container needs from its pod. */
export interface ContainerSettings {
  spec: V1Container;
  restartPolicy: string;
  port: number;
  graceMs: number;
  /** Starts the process once. */
  launch: () => Promise<RunningProcess>;
  /** Called whenever `status` would say something new. */
  changed: () => void;
  say: (text: string) => void;
}

/** One container of a pod: a process that is started again as long as its pod lives. */
export class Container {
  private readonly ending = new AbortController();
  private state: V1ContainerState = { waiting: { reason: "ContainerCreating" } };
  private lastState: V1ContainerState | undefined;
  private running: RunningProcess | undefined;
  private restarts = 0;
  private started = false;
  private ready = false;

  constructor(private readonly settings: ContainerSettings) {}

  /** Id of the process (and its group) while it runs. */
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

  /** Runs until the container is terminated, or has ended and its pod does not want it again. */
  async run(): Promise<void> {
    let backoffMs = firstBackoffMs;
    while (!this.ending.signal.aborted) {
      const begin = Date.now();
      const failed = await this.runOnce();
      if (this.ending.signal.aborted || !this.wantsRestart(failed)) return;
      if (Date.now() - begin > healthyAfterMs) backoffMs = firstBackoffMs;
      this.become({ waiting: { reason: "CrashLoopBackOff", message: `starts again after ${backoffMs / 1000} s` } });
      await delay(backoffMs, undefined, { signal: this.ending.signal }).catch(() => undefined);
      backoffMs = Math.min(backoffMs * 2, longestBackoffMs);
      this.restarts++;
    }
  }

  /** Asks the process to end, and ends it when its grace is over. */
  async terminate(graceMs: number): Promise<void> {
    this.ending.abort();
    if (this.running) await stop(this.running, graceMs);
  }

  private wantsRestart(failed: boolean): boolean {
    const { restartPolicy } = this.settings;
    return restartPolicy === "Always" || (restartPolicy === "OnFailure" && failed);
  }

  /** Returns whether it ended badly. */
  private async runOnce(): Promise<boolean> {
    const startedAt = new Date();
    try {
      this.running = await this.settings.launch();
    } catch (error) {
      this.settings.say(`cannot start: ${messageOf(error)}`);
      this.become({ waiting: { reason: "CreateContainerError", message: messageOf(error) } });
      return true;
    }
    // Terminated while it was being started: `terminate` found nothing to stop.
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
    return exit.code !== 0;
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
  const signals: Partial<Record<NodeJS.Signals, number>> = {
    SIGKILL: 137,
    SIGTERM: 143,
    SIGINT: 130,
    SIGSEGV: 139,
    SIGABRT: 134,
  };
  const exitCode = exit.code ?? (exit.signal ? (signals[exit.signal] ?? 128) : 1);
  return {
    terminated: { exitCode, reason: exitCode === 0 ? "Completed" : "Error", startedAt, finishedAt: new Date() },
  };
}
