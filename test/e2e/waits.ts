import { setTimeout as delay } from "node:timers/promises";

/** Milliseconds between two looks at a condition: they grow from the first to the last. */
const shortestPause = 250;
const longestPause = 2000;
const growth = 1.25;

/** A wait prints what it waits for after this time, in ms. */
const quietMilliseconds = 120_000;

interface Waiting {
  /**
   * A limit in seconds, only where the promise itself names a time. All other waits end with the time-out of their test,
   * which a slow machine does not reach.
   */
  seconds?: number;
  /** Describes the last state, for the error message. */
  seen?: () => Promise<string>;
}

interface Wait {
  what: string;
  /** Why the last look failed; "" when it did not. */
  trouble: string;
  seen?: () => Promise<string>;
}

/** The waits that go on. A test that times out leaves its wait here. */
const waits = new Set<Wait>();

const describe = async ({ what, trouble, seen }: Wait): Promise<string> => {
  const state = seen && (await Promise.race([seen().catch(String), delay(10_000, "no answer")]));
  return [what, trouble && `(last: ${trouble})`, state && `; seen last: ${state}`].filter(Boolean).join(" ");
};

/** Prints what a test or a hook waits for when it fails, as by its time-out. */
export async function tellWaits(): Promise<void> {
  for (const wait of waits) console.error(`still waiting for: ${await describe(wait)}`);
}

/** Prints the waits that go on, and ends them. */
export async function endWaits(): Promise<void> {
  await tellWaits();
  waits.clear();
}

/**
 * Polls until `condition` returns a value other than undefined or false, and returns it. A `condition` that throws is
 * asked again.
 * @throws after `seconds`, where they are given
 */
export async function until<T>(
  what: string,
  condition: () => Promise<T | undefined | false>,
  { seconds = Infinity, seen }: Waiting = {},
): Promise<T> {
  const wait: Wait = { what, trouble: "", seen };
  const deadline = Date.now() + seconds * 1000;
  let tellAt = Date.now() + quietMilliseconds;
  waits.add(wait);
  try {
    for (let pause = shortestPause; waits.has(wait); pause = Math.min(longestPause, pause * growth)) {
      try {
        const result = await condition();
        if (result !== undefined && result !== false) return result;
        wait.trouble = "";
      } catch (error) {
        wait.trouble = error instanceof Error ? error.message : String(error);
      }
      if (Date.now() > tellAt) {
        tellAt = Infinity;
        console.error(`after ${quietMilliseconds / 1000} s still waiting for: ${await describe(wait)}`);
      }
      if (Date.now() > deadline) throw new Error(`not within ${seconds} s: ${await describe(wait)}`);
      await delay(pause);
    }
    throw new Error(`given up: ${what}`);
  } finally {
    waits.delete(wait);
  }
}
