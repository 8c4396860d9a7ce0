/** The start of every simulation: Monday, 2026-06-01T08:00:00Z, in epoch milliseconds. */
export const epoch = Date.UTC(2026, 5, 1, 8);

/** After this number of turns of the real event loop without an event, all programs are at rest. */
const quietTurns = 4;

/** A callback at a virtual time. */
export interface Alarm {
  /** Milliseconds since the start. */
  at: number;
  /** Alarms of the same time run in the order of these texts, and those with equal texts in that of their creation. */
  readonly order: string;
  readonly number: number;
  readonly run: () => void;
  canceled: boolean;
}

/**
 * Virtual time. It stands still while programs, sockets or promises are active. When all of them are at rest, it jumps
 * to the next alarm.
 */
export class Clock {
  #now = 0;
  #alarms: Alarm[] = [];
  #number = 0;
  #happened = 0;
  #immediates = 0;

  /** Milliseconds since the start, with fractions. */
  get now(): number {
    return this.#now;
  }

  /** The time of day in the cluster, in whole epoch milliseconds. */
  get wall(): number {
    return Math.floor(epoch + this.#now);
  }

  /** The time of day in the format of Kubernetes: UTC, whole seconds. */
  get timestamp(): string {
    return `${new Date(this.wall).toISOString().slice(0, 19)}Z`;
  }

  /** Records an event outside of alarms, such as data on a socket or a new timer. */
  touch(): void {
    this.#happened++;
  }

  /** Calls `run` after `milliseconds`. */
  after(milliseconds: number, run: () => void, order = ""): Alarm {
    this.touch();
    const alarm = { at: this.#now + milliseconds, order, number: this.#number++, run, canceled: false };
    this.#push(alarm);
    return alarm;
  }

  /** Calls `run` in a turn of the real event loop. Virtual time waits for it. */
  soon(run: () => void): NodeJS.Immediate {
    this.#immediates++;
    return setImmediate(() => {
      this.#immediates--;
      this.touch();
      run();
    });
  }

  /** Cancels a call of `soon`. */
  notSoon(immediate: NodeJS.Immediate): void {
    this.#immediates--;
    clearImmediate(immediate);
  }

  /**
   * Lets code use `milliseconds` of CPU. All processes wait for them, so this is for scenarios with one. As in Node's
   * event loop, the alarms that are due then run before the next immediate.
   */
  spend(milliseconds: number): void {
    this.#now += milliseconds;
    this.soon(() => this.#runDue());
  }

  /** Advances the time by `milliseconds`, with all events in this span. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    for (;;) {
      await this.rest(end);
      const next = this.#alarms.at(-1);
      if (!next || next.at > end) break;
      this.#now = Math.max(this.#now, next.at);
      this.#runDue();
    }
    this.#now = Math.max(this.#now, end);
  }

  /** Runs all alarms that are due, except those that they add: these wait until all is at rest again. */
  #runDue(): void {
    const last = this.#number;
    for (let due = this.#alarms.at(-1); due && due.at <= this.#now && due.number < last; due = this.#alarms.at(-1)) {
      this.#alarms.pop();
      if (!due.canceled) due.run();
    }
  }

  /** Waits until all programs are at rest, or until they have used the time up to `end`. Advances no time itself. */
  async rest(end = Infinity): Promise<void> {
    await new Promise<void>(resolve => {
      let quiet = 0;
      let before = this.#happened;
      const turn = (): void => {
        quiet = this.#happened === before && this.#immediates === 0 ? quiet + 1 : 0;
        before = this.#happened;
        if (quiet < quietTurns && this.#now < end) setImmediate(turn);
        else resolve();
      };
      setImmediate(turn);
    });
    while (this.#alarms.at(-1)?.canceled) this.#alarms.pop();
  }

  /** Keeps the alarms sorted, the next one last. */
  #push(alarm: Alarm): void {
    let [from, to] = [0, this.#alarms.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      const other = this.#alarms[middle];
      if (other && precedes(alarm, other)) from = middle + 1;
      else to = middle;
    }
    this.#alarms.splice(from, 0, alarm);
  }
}

const precedes = (one: Alarm, other: Alarm): boolean =>
  one.at !== other.at
    ? one.at < other.at
    : one.order !== other.order
      ? one.order < other.order
      : one.number < other.number;
