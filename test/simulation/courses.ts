import { fraction } from "./random";

const daySeconds = 86_400;

/**
 * A load with a daily rhythm and little noise: highest at noon, lowest at midnight (UTC). Simulations start at 8:00.
 */
export const daily =
  (mean: number, swing: number, noise = 0.02) =>
  (seconds: number): number => {
    const hour = (seconds / 3600 + 8) % 24;
    const wave = Math.cos((2 * Math.PI * (hour - 12)) / 24);
    const random = 2 * fraction("daily", Math.floor(seconds / 60)) - 1;
    return Math.max(0, mean + swing * wave + noise * mean * random);
  };

/** A load that alternates between two values every `everySeconds`. */
export const square =
  (low: number, high: number, everySeconds: number) =>
  (seconds: number): number =>
    Math.floor(seconds / everySeconds) % 2 === 0 ? low : high;

/** A load that drops after `seconds` and stays low for longer than any default window. */
export const drop =
  (high: number, low: number, after: number) =>
  (seconds: number): number =>
    seconds < after ? high : low;

/** A load that grows by `perMinute`. */
export const ramp =
  (from: number, perMinute: number) =>
  (seconds: number): number =>
    from + (perMinute * seconds) / 60;

/**
 * A load with a daily rhythm until the start of the simulation, and constant for hours from then on. The last value is
 * its best forecast.
 */
export const lost =
  (mean: number, swing: number) =>
  (seconds: number): number =>
    seconds < 0 ? daily(mean, swing)(seconds) : mean * (0.4 + 1.2 * fraction("lost", Math.floor(seconds / 14_400)));

export { daySeconds };
