import { setTimeout as delay } from "node:timers/promises";

/** The responses to a number of requests. */
export interface Load {
  /** Latencies in milliseconds, in ascending order. */
  latencies: number[];
  /** The number of responses with a backtest warning. */
  backtests: number;
}

/** Sends the request of this number. Returns true when the response has a backtest. Throws on a wrong response. */
export type Send = (number: number) => Promise<boolean>;

/**
 * Sends requests at a fixed rate (requests/s) for some seconds, without waiting for responses. The latency of a late
 * request starts at its scheduled time.
 */
export async function atRate(send: Send, rate: number, seconds: number, signal: AbortSignal): Promise<Load> {
  const began = performance.now();
  const load: Load = { latencies: [], backtests: 0 };
  const sent: Promise<void>[] = [];
  for (let number = 0; number < rate * seconds; number++) {
    const due = began + (number * 1000) / rate;
    if (due > performance.now()) await delay(due - performance.now(), undefined, { signal });
    const answered = (backtest: boolean): void => {
      load.latencies.push(performance.now() - due);
      if (backtest) load.backtests++;
    };
    sent.push(send(number).then(answered));
  }
  await Promise.all(sent);
  load.latencies.sort((one, other) => one - other);
  return load;
}

/** The quantile `share` of the latencies, in milliseconds. */
export const within = ({ latencies }: Load, share: number): number =>
  latencies[Math.min(latencies.length - 1, Math.ceil(share * latencies.length) - 1)] ?? NaN;
