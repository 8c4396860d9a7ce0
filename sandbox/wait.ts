import { setTimeout as delay } from "node:timers/promises";

/** Options of `waitFor`. */
export interface WaitOptions {
  /** Name of the awaited state, for the error message. */
  what: string;
  timeoutMilliseconds: number;
  /** Pause between two attempts, in milliseconds; 100 by default. */
  everyMilliseconds?: number;
  signal?: AbortSignal;
  /** Called before each attempt. Throws when waiting is pointless, for example because the process has ended. */
  hopeless?: () => void;
}

/**
 * Calls `attempt` until it returns a value other than undefined or false. An error in `attempt` counts as "not yet".
 * @returns the value of the last attempt
 * @throws after timeoutMilliseconds with `what` and the last failure, and at once when `hopeless` throws or the signal aborts
 */
export async function waitFor<T>(
  attempt: () => Promise<T | undefined | false> | T | undefined | false,
  options: WaitOptions,
): Promise<T> {
  const deadline = Date.now() + options.timeoutMilliseconds;
  let last: unknown;
  for (;;) {
    options.signal?.throwIfAborted();
    options.hopeless?.();
    try {
      const result = await attempt();
      if (result !== undefined && result !== false) return result;
    } catch (error) {
      last = error;
    }
    if (Date.now() >= deadline) {
      const seconds = Math.round(options.timeoutMilliseconds / 1000);
      throw new Error(`${options.what}: not within ${seconds} s${last === undefined ? "" : ` (${messageOf(last)})`}`);
    }
    await delay(options.everyMilliseconds ?? 100, undefined, { signal: options.signal });
  }
}

/** Runs `work` every `everyMilliseconds` until `signal` aborts. Passes errors to `failed` and continues. */
export async function repeat(
  everyMilliseconds: number,
  signal: AbortSignal,
  work: () => Promise<void>,
  failed: (error: unknown) => void = error => console.error(messageOf(error)),
): Promise<void> {
  while (!signal.aborted) {
    await work().catch((error: unknown) => signal.aborted || failed(error));
    await delay(everyMilliseconds, undefined, { signal }).catch(() => undefined);
  }
}

/** The code of a system error, such as "ENOENT"; undefined for other values. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}

/** The message of a thrown value, with the message of its cause. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const message = error.message || error.name;
  const cause = error.cause instanceof Error ? error.cause.message : "";
  return message.includes(cause) ? message : `${message}: ${cause}`;
}
