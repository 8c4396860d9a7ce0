import { setTimeout as delay } from "node:timers/promises";

/** What `waitFor` needs to know. */
export interface WaitOptions {
  /** What is waited for, as the error message says it. */
  what: string;
  timeoutMs: number;
  /** Pause between two tries, in milliseconds; 100 by default. */
  everyMs?: number;
  signal?: AbortSignal;
  /** Called before each try: throws when waiting has become pointless (the process died). */
  hopeless?: () => void;
}

/**
 * Tries until `attempt` returns something other than undefined or false; a throw counts as "not yet".
 * @returns what the attempt returned
 * @throws after timeoutMs, naming what was waited for and the last failure; at once when `hopeless` throws or the signal aborts
 */
export async function waitFor<T>(
  attempt: () => Promise<T | undefined | false> | T | undefined | false,
  options: WaitOptions,
): Promise<T> {
  const deadline = Date.now() + options.timeoutMs;
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
      const seconds = Math.round(options.timeoutMs / 1000);
      throw new Error(`${options.what}: not within ${seconds} s${last === undefined ? "" : ` (${messageOf(last)})`}`);
    }
    await delay(options.everyMs ?? 100, undefined, { signal: options.signal });
  }
}

/** The one line that says what went wrong, for whatever was thrown. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const message = error.message || error.name;
  const cause = error.cause instanceof Error ? error.cause.message : "";
  return message.includes(cause) ? message : `${message}: ${cause}`;
}
