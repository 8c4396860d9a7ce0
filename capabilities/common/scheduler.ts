/** How a run ended, and so when the next one is. Every outcome names it. */
export type Outcome =
  /** All well: again at the object's own place in the period. */
  | { next: "sync"; periodSeconds: number }
  /** All well, but sooner: after `afterSeconds`, or at its own place if that comes first. */
  | { next: "soon"; afterSeconds: number; periodSeconds: number }
  /** It failed: again after `firstSeconds` (5 by default), doubling with each failure in a row, at most `atMostSeconds`. */
  | { next: "retry"; firstSeconds?: number; atMostSeconds: number }
  /** The object is gone. */
  | { next: "forget" };

/** One kind of object whose syncs are scheduled. */
export interface Work {
  /** Compares one object with what is wanted and repairs; `key` is "namespace/name". Reads what it needs. */
  sync(key: string): Promise<Outcome>;
  /** When to try again after a sync that threw: the first pause, and the longest. By default 5 s and 30 s. */
  retry?: { firstSeconds: number; atMostSeconds: number };
}

export interface SchedulerOptions {
  /** Runs at the same time, over all kinds. */
  concurrency?: number;
  /** Told of what sync throws. */
  failed?: (kind: string, key: string, error: unknown) => void;
  /** Called at each start with how many seconds late it is, and at each end with its duration in seconds. */
  started?: (kind: string, lagSeconds: number) => void;
  ended?: (kind: string, durationSeconds: number, outcome: Outcome) => void;
}

interface Entry {
  work: Work;
  kind: string;
  key: string;
  /** The last version of the object that woke it. */
  version?: string;
  dueAt: number;
  timer?: NodeJS.Timeout;
  state: "waiting" | "queued" | "running";
  /** Woken while running: run again so many milliseconds after it ends. */
  again?: number;
  failures: number;
}

const firstRetrySeconds = 5;

/**
 * Who is due when, for all kinds of object. At most `concurrency` runs at once and never two for one object; any
 * number of wakes while an object waits or runs become one run, which reads the latest state itself.
 */
export class Scheduler {
  readonly #entries = new Map<string, Entry>();
  readonly #queue: Entry[] = [];
  #running = 0;
  #open = false;
  #drained: (() => void)[] = [];

  constructor(readonly options: SchedulerOptions = {}) {}

  /** Objects known, and runs waiting for a free place. */
  get size(): { objects: number; queued: number; running: number } {
    return { objects: this.#entries.size, queued: this.#queue.length, running: this.#running };
  }

  /** Starts to run what is due. */
  open(): void {
    this.#open = true;
    this.#pump();
  }

  /** Starts no more runs, and forgets every object; resolves when those under way have ended. */
  async close(): Promise<void> {
    this.#open = false;
    this.#queue.length = 0;
    for (const [id, entry] of this.#entries) {
      clearTimeout(entry.timer);
      // One that runs stays known until it ends, lest it run twice when the scheduler opens again.
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
   * Runs the object as soon as there is a place. With `version`, only if that is not the version that woke it last,
   * so that a status we wrote ourselves wakes nobody.
   */
  wake(kind: string, key: string, work: Work, version?: string): void {
    let entry = this.#entries.get(`${kind} ${key}`);
    if (!entry) {
      entry = { work, kind, key, dueAt: performance.now(), state: "waiting", failures: 0 };
      this.#entries.set(`${kind} ${key}`, entry);
    } else if (version !== undefined && version === entry.version) {
      return;
    }
    entry.version = version ?? entry.version;
    entry.failures = 0;
    if (entry.state === "running") entry.again = 0;
    else this.#due(entry, 0);
  }

  /**
   * Runs the object within `milliseconds`, if it is not to run sooner: what happens to it in the meantime is seen by
   * the same run.
   */
  wakeSoon(kind: string, key: string, work: Work, milliseconds: number): void {
    const entry = this.#entries.get(`${kind} ${key}`);
    if (!entry) this.wake(kind, key, work);
    else if (entry.state === "running") entry.again ??= milliseconds;
    // One that failed waits for its next try: what its failed run did itself would wake it again and again.
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
    this.#queue.push(entry);
    this.#pump();
  }

  #pump(): void {
    while (this.#open && this.#running < (this.options.concurrency ?? 32)) {
      const entry = this.#queue.shift();
      if (!entry) return;
      entry.state = "running";
      entry.again = undefined;
      this.#running++;
      void this.#run(entry);
    }
  }

  async #run(entry: Entry): Promise<void> {
    const { kind, key, work } = entry;
    const startedAt = performance.now();
    let outcome: Outcome;
    try {
      this.options.started?.(kind, Math.max(0, startedAt - entry.dueAt) / 1000);
      outcome = await work.sync(key);
    } catch (error) {
      this.options.failed?.(kind, key, error);
      outcome = { next: "retry", ...(work.retry ?? { atMostSeconds: 30 }) };
    }
    this.#running--;
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
    // After a failure only what cannot wait runs before the next try.
    const again = outcome.next === "retry" && entry.again !== 0 ? undefined : entry.again;
    this.#due(entry, again ?? pauseMilliseconds(entry, outcome, Date.now()));
  }
}

function pauseMilliseconds(entry: Pick<Entry, "key" | "failures">, outcome: Outcome, now: number): number {
  switch (outcome.next) {
    case "sync": {
      // A run that ended just before its place was the run of that place.
      const wait = untilPlace(entry.key, outcome.periodSeconds, now);
      const period = outcome.periodSeconds * 1000;
      return wait < Math.min(1000, period / 10) ? wait + period : wait;
    }
    case "soon":
      // Never at once: others are to have their turn.
      return Math.max(1, Math.min(outcome.afterSeconds * 1000, untilPlace(entry.key, outcome.periodSeconds, now)));
    case "retry":
      return (
        Math.min((outcome.firstSeconds ?? firstRetrySeconds) * 2 ** (entry.failures - 1), outcome.atMostSeconds) * 1000
      );
    case "forget":
      return 0;
  }
}

/** The object's own place within a period, in whole ms: a hash of its key, so that many objects spread evenly over it. */
export function placeMilliseconds(key: string, periodSeconds: number): number {
  // FNV-1a, 32 bit (Fowler, Noll, Vo), with a final mix, because keys often differ in the last digit only.
  let hash = 0x811c9dc5;
  for (let index = 0; index < key.length; index++) hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash ^= hash >>> 13;
  return Math.floor(((hash >>> 0) / 2 ** 32) * periodSeconds * 1000);
}

/** Milliseconds to the object's next place in the period: above 0, at most the period. */
function untilPlace(key: string, periodSeconds: number, now: number): number {
  const period = periodSeconds * 1000;
  const sincePlace = (((now - placeMilliseconds(key, periodSeconds)) % period) + period) % period;
  return period - sincePlace;
}
