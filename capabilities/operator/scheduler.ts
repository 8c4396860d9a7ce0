import { pauseAfter } from "../kubernetes/back-off";
import { FairQueue, Permits } from "../kubernetes/fair-queue";
import { namespaceOf } from "../kubernetes/metadata";
import { Instant, Monotonic } from "../kubernetes/time";
import { hasError, Outcome } from "./outcome";
import { untilPhase } from "./phase";

export interface Task {
  /** Compares and repairs one object, "namespace/name". An error is part of the outcome. */
  sync(key: string): Promise<Outcome>;
}

interface SchedulerOptions {
  /** The limit on concurrent syncs of all kinds; 64 by default. A namespace alone gets half of it. */
  concurrency?: number;
  /** The number of processes that share `concurrency`, because one API server answers all of them. By default one. */
  processes?: () => number;
  /** The part of the cluster that a namespace belongs to; parts open and close apart. By default all belong to 0. */
  partOf?: (namespace: string) => number;
  failed?: (kind: string, key: string, error: unknown) => void;
  /** Called at the start of each sync with its delay, and at the end with its duration, both in seconds. */
  started?: (kind: string, lagSeconds: number) => void;
  ended?: (kind: string, durationSeconds: number, outcome: Outcome) => void;
}

interface Scheduled {
  task: Task;
  kind: string;
  key: string;
  part: number;
  version?: string;
  dueAt: Monotonic;
  timer?: NodeJS.Timeout;
  /** "due" is due in a part that is not open. */
  state: "waiting" | "due" | "queued" | "running";
  /** Woken while running: the delay of the next run after this one, in ms. */
  again?: number;
  failures: number;
}

const mostSyncs = 64;

/** A start lasts for at most this time, in ms: the objects of one namespace may wait for their first sync for hours. */
const startingMilliseconds = 120_000;

/** Decides when each object is synced: a limited number at once, shared out by namespace, never two of one object. */
export class Scheduler {
  readonly #scheduled = new Map<string, Scheduled>();
  readonly #permits: Permits;
  readonly #queue: FairQueue<Scheduled>;
  readonly #open = new Set<number>();
  #drained: { part: number; resolve: () => void }[] = [];
  readonly #new = new Set<Scheduled>();
  #startedAt: Monotonic = -Infinity;

  constructor(readonly options: SchedulerOptions = {}) {
    this.#permits = new Permits(options.concurrency ?? mostSyncs);
    this.#queue = new FairQueue(this.#permits);
  }

  get #most(): number {
    return Math.ceil(this.#permits.total / (this.options.processes?.() ?? 1));
  }

  get size(): { objects: number; queued: number; running: number } {
    return { objects: this.#scheduled.size, queued: this.#queue.length, running: this.#running };
  }

  /** Whether objects wait for their first sync, up to two minutes after a part opened or the first new object. */
  get starting(): boolean {
    return this.#new.size > 0 && performance.now() - this.#startedAt < startingMilliseconds;
  }

  get #running(): number {
    return this.#permits.total - this.#permits.free;
  }

  open(part = 0): void {
    this.#open.add(part);
    this.#startedAt = performance.now();
    for (const entry of this.#scheduled.values())
      if (entry.part === part && entry.state === "due") this.#enqueue(entry);
    this.#pump();
  }

  /** Starts no more syncs of a part, and forgets its objects. Resolves when its running syncs have ended. */
  async close(part = 0): Promise<void> {
    this.#open.delete(part);
    for (const [id, entry] of this.#scheduled) {
      if (entry.part !== part) continue;
      clearTimeout(entry.timer);
      // A running object stays known until it ends, so that it cannot run twice when the scheduler opens again.
      if (entry.state === "running") entry.again = undefined;
      else this.#scheduled.delete(id);
      this.#new.delete(entry);
      if (entry.state === "queued") this.#queue.remove(namespaceOf(entry.key), entry);
    }
    if (this.#runs(part)) await new Promise<void>(resolve => this.#drained.push({ part, resolve }));
  }

  async closeAll(): Promise<void> {
    const parts = new Set([...this.#open, ...[...this.#scheduled.values()].map(({ part }) => part)]);
    await Promise.all([...parts].map(part => this.close(part)));
  }

  #runs(part: number): boolean {
    if (this.#running === 0) return false;
    return [...this.#scheduled.values()].some(entry => entry.part === part && entry.state === "running");
  }

  /** Whether the object is known. With `version`, whether that version was the last one to wake it. */
  knows(kind: string, key: string, version?: string): boolean {
    const entry = this.#scheduled.get(`${kind} ${key}`);
    return entry !== undefined && (version === undefined || version === entry.version);
  }

  /** Syncs soon; with `version` only if it is news, so that our own status update causes no sync. */
  wake(kind: string, key: string, task: Task, version?: string): void {
    let entry = this.#scheduled.get(`${kind} ${key}`);
    if (!entry) {
      const part = this.options.partOf?.(namespaceOf(key)) ?? 0;
      entry = { task, kind, key, part, dueAt: performance.now(), state: "waiting", failures: 0 };
      this.#scheduled.set(`${kind} ${key}`, entry);
      if (this.#new.size === 0) this.#startedAt = performance.now();
      this.#new.add(entry);
    } else if (version !== undefined && version === entry.version) {
      return;
    }
    entry.version = version ?? entry.version;
    entry.failures = 0;
    if (entry.state === "running") entry.again = 0;
    else this.#due(entry, 0);
  }

  /** Syncs the object within `milliseconds`, unless it is due sooner. One sync handles all changes in the meantime. */
  wakeSoon(kind: string, key: string, task: Task, milliseconds: number): void {
    const entry = this.#scheduled.get(`${kind} ${key}`);
    if (!entry) this.wake(kind, key, task);
    else if (entry.state === "running") entry.again ??= milliseconds;
    // A failed object waits for its retry: the writes of its failed sync would otherwise wake it again.
    else if (entry.failures === 0 && entry.dueAt > performance.now() + milliseconds) this.#due(entry, milliseconds);
  }

  #due(entry: Scheduled, afterMilliseconds: number): void {
    if (entry.state === "queued" || entry.state === "due") return;
    clearTimeout(entry.timer);
    entry.dueAt = performance.now() + afterMilliseconds;
    entry.state = "waiting";
    if (afterMilliseconds <= 0) this.#enqueue(entry);
    else entry.timer = setTimeout(() => this.#enqueue(entry), afterMilliseconds);
  }

  #enqueue(entry: Scheduled): void {
    entry.state = this.#open.has(entry.part) ? "queued" : "due";
    if (entry.state === "due") return;
    this.#queue.push(namespaceOf(entry.key), entry);
    this.#pump();
  }

  #pump(): void {
    while (this.#running < this.#most) {
      const entry = this.#queue.next();
      if (!entry) return;
      entry.state = "running";
      entry.again = undefined;
      this.#new.delete(entry);
      void this.#run(entry);
    }
  }

  async #run(entry: Scheduled): Promise<void> {
    const { kind, key, task } = entry;
    const startedAt = performance.now();
    let outcome: Outcome;
    try {
      this.options.started?.(kind, Math.max(0, startedAt - entry.dueAt) / 1000);
      outcome = await task.sync(key);
    } catch (error) {
      // A fault of the task itself.
      outcome = { next: "retry", firstSeconds: 5, atMostSeconds: 30, error };
    }
    if (hasError(outcome)) this.options.failed?.(kind, key, outcome.error);
    this.#permits.release(namespaceOf(key));
    this.options.ended?.(kind, (performance.now() - startedAt) / 1000, outcome);
    this.#plan(entry, outcome);
    if (this.#drained.length > 0) this.#drain();
    this.#pump();
  }

  #drain(): void {
    const drained = this.#drained.filter(({ part }) => !this.#runs(part));
    this.#drained = this.#drained.filter(waiting => !drained.includes(waiting));
    drained.forEach(({ resolve }) => resolve());
  }

  #plan(entry: Scheduled, outcome: Outcome): void {
    entry.failures = outcome.next === "retry" ? entry.failures + 1 : 0;
    entry.state = "waiting";
    if ((outcome.next === "forget" || !this.#open.has(entry.part)) && entry.again === undefined) {
      this.#scheduled.delete(`${entry.kind} ${entry.key}`);
      return;
    }
    // After a failure only an immediate wake runs before the retry.
    const again = outcome.next === "retry" && entry.again !== 0 ? undefined : entry.again;
    this.#due(entry, again ?? pauseMilliseconds(entry, outcome, Date.now()));
  }
}

function pauseMilliseconds(entry: Pick<Scheduled, "key" | "failures">, outcome: Outcome, now: Instant): number {
  switch (outcome.next) {
    case "sync": {
      // A sync that ended just before the object's phase counts as the sync of that phase.
      const wait = untilPhase(entry.key, outcome.periodSeconds, now);
      const period = outcome.periodSeconds * 1000;
      return wait < Math.min(1000, period / 10) ? wait + period : wait;
    }
    case "soon":
      // At least 1 ms, so that other objects get their turn.
      return Math.max(1, Math.min(outcome.afterSeconds * 1000, untilPhase(entry.key, outcome.periodSeconds, now)));
    case "retry":
      return 1000 * pauseAfter(entry.failures, { first: outcome.firstSeconds, longest: outcome.atMostSeconds });
    case "forget":
      return 0;
  }
}
