import { FairQueue, Places } from "../kubernetes/fair-queue";
import { Outcome } from "./outcome";
import { untilPlace } from "./place";

/** A kind of object whose syncs are scheduled. */
export interface Task {
  /** Compares the desired and the current state of one object, and repairs; `key` is "namespace/name". */
  sync(key: string): Promise<Outcome>;
  /** The first and the longest pause after a sync that threw. By default 5 s and 30 s. */
  retry?: { firstSeconds: number; atMostSeconds: number };
}

export interface SchedulerOptions {
  /** The limit on concurrent syncs of all kinds; 64 by default. A namespace alone gets half of it. */
  concurrency?: number;
  /** Called with each error that a sync throws. */
  failed?: (kind: string, key: string, error: unknown) => void;
  /** Called at the start of each sync with its delay, and at the end with its duration, both in seconds. */
  started?: (kind: string, lagSeconds: number) => void;
  ended?: (kind: string, durationSeconds: number, outcome: Outcome) => void;
}

interface Entry {
  task: Task;
  kind: string;
  key: string;
  /** The version of the object that last woke it. */
  version?: string;
  dueAt: number;
  timer?: NodeJS.Timeout;
  state: "waiting" | "queued" | "running";
  /** Woken while running: the delay of the next run after this one, in ms. */
  again?: number;
  failures: number;
}

const firstRetrySeconds = 5;

const mostSyncs = 64;

/**
 * Decides when each object is synced, for all kinds. Runs at most `concurrency` syncs at once, shared out by namespace,
 * and never two of one object. Several wakes while an object waits or runs cause one sync, which reads the latest
 * state.
 */
export class Scheduler {
  readonly #entries = new Map<string, Entry>();
  readonly #places: Places;
  readonly #queue: FairQueue<Entry>;
  #open = false;
  #drained: (() => void)[] = [];

  constructor(readonly options: SchedulerOptions = {}) {
    this.#places = new Places(options.concurrency ?? mostSyncs);
    this.#queue = new FairQueue(this.#places);
  }

  /** The number of known objects, of queued and of running syncs. */
  get size(): { objects: number; queued: number; running: number } {
    return { objects: this.#entries.size, queued: this.#queue.length, running: this.#running };
  }

  get #running(): number {
    return this.#places.total - this.#places.free;
  }

  /** Starts the syncs that are due. */
  open(): void {
    this.#open = true;
    this.#pump();
  }

  /** Starts no more syncs, and forgets all objects. Resolves when the running syncs have ended. */
  async close(): Promise<void> {
    this.#open = false;
    this.#queue.clear();
    for (const [id, entry] of this.#entries) {
      clearTimeout(entry.timer);
      // A running object stays known until it ends, so that it cannot run twice when the scheduler opens again.
      if (entry.state === "running") entry.again = undefined;
      else this.#entries.delete(id);
    }
    if (this.#running > 0) await new Promise<void>(resolve => this.#drained.push(resolve));
  }

  /** Whether the object is known. */
  knows(kind: string, key: string): boolean {
    return this.#entries.has(`${kind} ${key}`);
  }

  /**
   * Syncs the object as soon as the concurrency allows. With `version`, only if it differs from the version that last
   * woke the object, so that our own status update causes no sync.
   */
  wake(kind: string, key: string, task: Task, version?: string): void {
    let entry = this.#entries.get(`${kind} ${key}`);
    if (!entry) {
      entry = { task, kind, key, dueAt: performance.now(), state: "waiting", failures: 0 };
      this.#entries.set(`${kind} ${key}`, entry);
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
    const entry = this.#entries.get(`${kind} ${key}`);
    if (!entry) this.wake(kind, key, task);
    else if (entry.state === "running") entry.again ??= milliseconds;
    // A failed object waits for its retry: the writes of its failed sync would otherwise wake it again.
    else if (entry.failures === 0 && entry.dueAt > performance.now() + milliseconds) this.#due(entry, milliseconds);
  }

  #due(entry: Entry, afterMilliseconds: number): void {
    if (entry.state === "queued") return;
    clearTimeout(entry.timer);
    entry.dueAt = performance.now() + afterMilliseconds;
    entry.state = "waiting";
    if (afterMilliseconds <= 0) this.#enqueue(entry);
    else entry.timer = setTimeout(() => this.#enqueue(entry), afterMilliseconds);
  }

  #enqueue(entry: Entry): void {
    entry.state = "queued";
    this.#queue.push(namespaceOf(entry.key), entry);
    this.#pump();
  }

  #pump(): void {
    while (this.#open) {
      const entry = this.#queue.next();
      if (!entry) return;
      entry.state = "running";
      entry.again = undefined;
      void this.#run(entry);
    }
  }

  async #run(entry: Entry): Promise<void> {
    const { kind, key, task } = entry;
    const startedAt = performance.now();
    let outcome: Outcome;
    try {
      this.options.started?.(kind, Math.max(0, startedAt - entry.dueAt) / 1000);
      outcome = await task.sync(key);
    } catch (error) {
      this.options.failed?.(kind, key, error);
      outcome = { next: "retry", ...(task.retry ?? { atMostSeconds: 30 }) };
    }
    this.#places.leave(namespaceOf(key));
    this.options.ended?.(kind, (performance.now() - startedAt) / 1000, outcome);
    this.#plan(entry, outcome);
    if (this.#running === 0) this.#drained.splice(0).forEach(resolve => resolve());
    this.#pump();
  }

  #plan(entry: Entry, outcome: Outcome): void {
    entry.failures = outcome.next === "retry" ? entry.failures + 1 : 0;
    entry.state = "waiting";
    if ((outcome.next === "forget" || !this.#open) && entry.again === undefined) {
      this.#entries.delete(`${entry.kind} ${entry.key}`);
      return;
    }
    // After a failure only an immediate wake runs before the retry.
    const again = outcome.next === "retry" && entry.again !== 0 ? undefined : entry.again;
    this.#due(entry, again ?? pauseMilliseconds(entry, outcome, Date.now()));
  }
}

const namespaceOf = (key: string): string => key.slice(0, key.indexOf("/"));

function pauseMilliseconds(entry: Pick<Entry, "key" | "failures">, outcome: Outcome, now: number): number {
  switch (outcome.next) {
    case "sync": {
      // A sync that ended just before the object's place counts as the sync of that place.
      const wait = untilPlace(entry.key, outcome.periodSeconds, now);
      const period = outcome.periodSeconds * 1000;
      return wait < Math.min(1000, period / 10) ? wait + period : wait;
    }
    case "soon":
      // At least 1 ms, so that other objects get their turn.
      return Math.max(1, Math.min(outcome.afterSeconds * 1000, untilPlace(entry.key, outcome.periodSeconds, now)));
    case "retry":
      return (
        Math.min((outcome.firstSeconds ?? firstRetrySeconds) * 2 ** (entry.failures - 1), outcome.atMostSeconds) * 1000
      );
    case "forget":
      return 0;
  }
}
