import { setTimeout as delay } from "node:timers/promises";

/** The responses to a number of requests. */
export interface Load {
  seconds: number;
  /** Latencies in milliseconds, in ascending order. */
  latencies: number[];
  /** The number of responses with a backtest warning. */
  backtests: number;
}

/** Sends the request of this number. Returns true when the response has a backtest. Throws on a wrong response. */
export type Send = (number: number) => Promise<boolean>;

/** Sends as many requests as possible for some seconds, with a fixed number of requests in parallel. */
export async function asManyAsCan(send: Send, atOnce: number, seconds: number, signal: AbortSignal): Promise<Load> {
  const began = performance.now();
  const load: Load = { seconds, latencies: [], backtests: 0 };
  let number = 0;
  const one = async (): Promise<void> => {
    while (performance.now() - began < seconds * 1000) {
      signal.throwIfAborted();
      await timed(send, number++, load, performance.now());
    }
  };
  await Promise.all(Array.from({ length: atOnce }, one));
  return ended(load, began);
}

/**
 * Sends requests at a fixed rate (requests/s) for some seconds, without waiting for responses. The latency of a late
 * request starts at its scheduled time.
 */
export async function atRate(send: Send, rate: number, seconds: number, signal: AbortSignal): Promise<Load> {
  const began = performance.now();
  const load: Load = { seconds, latencies: [], backtests: 0 };
  const sent: Promise<void>[] = [];
  for (let number = 0; number < rate * seconds; number++) {
    const due = began + (number * 1000) / rate;
    if (due > performance.now()) await delay(due - performance.now(), undefined, { signal });
    sent.push(timed(send, number, load, due));
  }
  await Promise.all(sent);
  return ended(load, began);
}

/** The quantile `share` of the latencies, in milliseconds. */
export const within = ({ latencies }: Load, share: number): number =>
  latencies[Math.min(latencies.length - 1, Math.ceil(share * latencies.length) - 1)] ?? NaN;

export const perSecond = ({ latencies, seconds }: Load): number => latencies.length / seconds;

async function timed(send: Send, number: number, load: Load, from: number): Promise<void> {
  const backtest = await send(number);
  load.latencies.push(performance.now() - from);
  if (backtest) load.backtests++;
}

function ended(load: Load, began: number): Load {
  load.latencies.sort((one, other) => one - other);
  return { ...load, seconds: (performance.now() - began) / 1000 };
}
