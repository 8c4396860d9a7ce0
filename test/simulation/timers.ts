import { promisify } from "node:util";
import { Alarm, Clock } from "./clock";

/** A timer in the form that setTimeout returns. */
class VirtualTimer {
  #alarm?: Alarm;

  constructor(
    readonly clock: Clock,
    readonly milliseconds: number,
    readonly repeats: boolean,
    readonly run: () => void,
    readonly alive: () => boolean,
  ) {
    this.refresh();
  }

  /** Restarts the timer. */
  refresh(): this {
    if (this.#alarm) this.#alarm.canceled = true;
    if (!this.alive()) return this;
    this.#alarm = this.clock.after(this.milliseconds, () => {
      this.#alarm = undefined;
      if (!this.alive()) return;
      if (this.repeats) this.refresh();
      this.run();
    });
    return this;
  }

  close(): this {
    if (this.#alarm) this.#alarm.canceled = true;
    this.#alarm = undefined;
    return this;
  }

  ref = (): this => this;
  unref = (): this => this;
  hasRef = (): boolean => true;
  [Symbol.toPrimitive] = (): number => 0;
  [Symbol.dispose] = (): void => void this.close();
}

type Callback = (...values: unknown[]) => void;

/** The timers of a program: node:timers and node:timers/promises. They do not fire when the program is not `alive`. */
export function timersOf(clock: Clock, alive: () => boolean): { timers: object; promises: object } {
  // Node's rule: at least 1 ms, and 1 ms for values that are too large or no number.
  const delay = (milliseconds: unknown): number => {
    const number = Number(milliseconds);
    return number >= 1 && number <= 2 ** 31 - 1 ? number : 1;
  };
  const start = (repeats: boolean, run: Callback, milliseconds: unknown, values: unknown[]): VirtualTimer =>
    new VirtualTimer(clock, delay(milliseconds), repeats, () => run(...values), alive);
  const stop = (timer: unknown): void => {
    if (timer instanceof VirtualTimer) timer.close();
  };
  const immediates = new WeakSet<NodeJS.Immediate>();
  const soon = (run: () => void): NodeJS.Immediate => {
    const immediate = clock.soon(() => {
      immediates.delete(immediate);
      if (alive()) run();
    });
    immediates.add(immediate);
    return immediate;
  };
  const promises = {
    setTimeout: (milliseconds?: number, value?: unknown, { signal }: { signal?: AbortSignal } = {}) =>
      new Promise((resolve, reject) => {
        const aborted = (): void => {
          timer.close();
          reject(Object.assign(new Error("The operation was aborted"), { name: "AbortError", code: "ABORT_ERR" }));
        };
        const timer = start(
          false,
          () => (signal?.removeEventListener("abort", aborted), resolve(value)),
          milliseconds,
          [],
        );
        if (signal?.aborted) aborted();
        else signal?.addEventListener("abort", aborted, { once: true });
      }),
    setImmediate: (value?: unknown) => new Promise(resolve => soon(() => resolve(value))),
  };
  const setTimeout = (run: Callback, milliseconds?: unknown, ...values: unknown[]): VirtualTimer =>
    start(false, run, milliseconds, values);
  const setImmediate = (run: Callback, ...values: unknown[]): NodeJS.Immediate => soon(() => run(...values));
  Object.assign(setTimeout, { [promisify.custom]: promises.setTimeout });
  Object.assign(setImmediate, { [promisify.custom]: promises.setImmediate });
  const timers = {
    setTimeout,
    setImmediate,
    setInterval: (run: Callback, milliseconds?: unknown, ...values: unknown[]) =>
      start(true, run, milliseconds, values),
    clearTimeout: stop,
    clearInterval: stop,
    clearImmediate: (immediate?: NodeJS.Immediate) => {
      if (immediate && immediates.delete(immediate)) clock.notSoon(immediate);
    },
    promises,
  };
  return { timers, promises };
}
