import { setTimeout as delay } from "node:timers/promises";

/** How a number of requests was answered. */
export interface Load {
  seconds: number;
  /** Milliseconds of each, shortest first. */
  latencies: number[];
  /** Warnings of a backtest among the answers. */
  backtests: number;
}

/** Sends the request of this number; says whether the answer carried a backtest. @throws when it was not what is right */
export type Send = (number: number) => Promise<boolean>;

/** As many requests as can be in some seconds, of which so many are under way at any time. */
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

/** So many requests a second for some seconds, whether the ones before are answered or not; late ones count from when they were due. */
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

/** What a share of the requests was answered within, ms. */
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
