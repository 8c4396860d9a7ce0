import type { Score } from "./forecaster";

/** Whether a forecast may move replicas, and since when (epoch ms) that is so. */
export interface Trust {
  trusted: boolean;
  since: number;
}

/** So many forecasts are scored before one is trusted: a day of five minutes. */
export const scoredForecasts = 288;
const promotedAbove = 0.02;
const demotedBelow = -0.02;
const stayMilliseconds = 3_600_000;

/**
 * Whether the forecast is trusted at `now` (epoch ms): once it has enough scored origins and beats the last load, until
 * it loses against it; in between, and for an hour after a change, it stays as it was.
 */
export function trust(before: Trust | undefined, { origins, skill = 0 }: Score, now: number): Trust {
  // Learning is no verdict that has to stay: history may come at once, as that of Prometheus does.
  if (origins < scoredForecasts) return before && !before.trusted ? before : { trusted: false, since: 0 };
  const trusted = skill > promotedAbove || (skill >= demotedBelow && (before?.trusted ?? false));
  if (!before) return { trusted, since: now };
  // One since a time to come is of a clock that was put back.
  const settled = now - before.since >= stayMilliseconds || now < before.since;
  return trusted === before.trusted || !settled ? before : { trusted, since: now };
}
