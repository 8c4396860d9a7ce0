import type { Score } from "./scores";

/** Whether a forecast may change the replica count, since a time in epoch milliseconds. */
export interface Trust {
  trusted: boolean;
  since: number;
}

/** The fewest scored forecasts of a trusted forecast: a day of five minutes. */
export const scoredForecasts = 288;
/**
 * The skill, of the mean and of the upper quantile, above which a forecast becomes trusted, and below which it loses
 * trust.
 */
const promotedAbove = 0.02;
const demotedBelow = -0.02;
/** The shortest time between two changes of trust. */
const stayMilliseconds = 3_600_000;

/**
 * Whether a forecast is trusted at `now`, in epoch milliseconds. It becomes trusted with enough scored origins and both
 * skills above 2 %, and loses trust with either below -2 %. Trust does not change within an hour after a change.
 */
export function trust(before: Trust | undefined, score: Score, now: number): Trust {
  const { origins } = score;
  const skill = leastSkill(score);
  // Learning starts no hour: a backfill from Prometheus can end it at any time.
  if (origins < scoredForecasts) return before && !before.trusted ? before : { trusted: false, since: 0 };
  const trusted = skill > promotedAbove || (skill >= demotedBelow && (before?.trusted ?? false));
  if (!before) return { trusted, since: now };
  // The clock was set back when `since` is in the future.
  const settled = now - before.since >= stayMilliseconds || now < before.since;
  return trusted === before.trusted || !settled ? before : { trusted, since: now };
}

/** The lower one of the skills of the mean and of the upper quantile. A line has no upper quantile. */
export const leastSkill = ({ skill = 0, upperSkill = skill }: Pick<Score, "skill" | "upperSkill">): number =>
  Math.min(skill, upperSkill);
