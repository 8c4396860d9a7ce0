/** The time that the charts show, in epoch seconds. */
export interface View {
  from: number;
  to: number;
}

/** The least time around an episode: two hours, or twelve steps of a coarse trace. */
const leastMargin = 7200;
const marginSteps = 12;

/** An episode with the time around it, within `all`. */
export function aroundEpisode({ from, to }: View, all: View, stepSeconds: number): View {
  const margin = Math.max(leastMargin, marginSteps * stepSeconds, to - from);
  return within(from - margin, to + margin, all);
}

/** A week with an episode in its middle, or as much as there is. */
export function weekAround(episode: View | undefined, all: View): View {
  const middle = episode ? (episode.from + episode.to) / 2 : all.from;
  const from = Math.max(all.from, Math.min(middle - week / 2, all.to - week));
  return within(from, from + week, all);
}

const week = 7 * 86_400;

/** A time in epoch seconds, to the minute in a time zone: "2024-05-01 10:00". */
export const minuteText = (seconds = 0, zone: string): string =>
  // The Swedish form of a time is that of ISO 8601.
  new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeStyle: "short", timeZone: zone }).format(seconds * 1000);

/** A view that is moved by a share of its width, or that is `zoom` times as wide, within `all`. */
export function moved({ from, to }: View, all: View, { by = 0, zoom = 1 }: { by?: number; zoom?: number }): View {
  const width = Math.min((to - from) * zoom, all.to - all.from);
  const middle = (from + to) / 2 + by * (to - from);
  const start = Math.min(Math.max(middle - width / 2, all.from), all.to - width);
  return { from: start, to: start + width };
}

const within = (from: number, to: number, all: View): View => ({
  from: Math.max(from, all.from),
  to: Math.min(to, all.to),
});
