import { afterEach, beforeEach, vi } from "vitest";

/** The time at which a test with fake timers begins. */
export const start = new Date("2026-01-01T00:00:00.000Z");

/** Makes time in every test of a file stand still, until the test moves it: timers, Date and performance. */
export function useFakeTime(): void {
  beforeEach(() => {
    vi.useFakeTimers({
      now: start,
      toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date", "performance"],
    });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
}

/** Moves time on by `seconds`, running the timers that come due and what waits for them. */
export async function pass(seconds: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(seconds * 1000);
}

/** Runs the event loop until streams have delivered their data. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await pass(0);
}

/** The CPU time that `work` takes, in milliseconds. The wall clock of a busy machine tells more of other processes. */
export function cpuMilliseconds(work: () => void): number {
  const begin = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / 1000;
}
