import { dayMilliseconds, hourMilliseconds, keptDays } from "../../history/retention";
import type { Expert } from "./expert";
import { Holt } from "./holt";
import { HoltWinters } from "./holt-winters";
import { Lags } from "../regression/lags";
import { last } from "./last";
import type { Loads } from "../loads";
import { type LocalTime, utc } from "../local-time";
import type { Seasons } from "../seasons";
import { Usual } from "./usual";
import { line, polynomial, theilSen } from "./window";

const withoutSeasons = ["last", "linear", "polynomial", "theil_sen", "holt"] as const;

/** Names of the models, as in spec.forecast.model without "off". */
export const models = ["auto", ...withoutSeasons, "holt_winters", "lags"] as const;
export type Model = (typeof models)[number];

/** Whether a model knows seasons, so that `seasonality` and `timezone` have an effect. */
export const knowsSeasons = (model: string): boolean => !(withoutSeasons as readonly string[]).includes(model);

/** Whether a model has a regression, which the lags of leading loads enter. */
export const takesLeaders = (model: string): boolean => model === "auto" || model === "lags";

export interface ModelSettings {
  model: Model;
  /** Milliseconds from one slot to the next. */
  step: number;
  /** The number of steps to forecast, at least 1. At the last step new replicas are ready. */
  horizon: number;
  /** Slots that shift all refits. The slots of all loads end at the same time; different phases spread their refits. */
  phase?: number;
}

/**
 * The experts of a model; several for "auto", which weighs them.
 * @param leaders the leading loads, slot by slot with the forecast load
 * @param time the local time that seasons follow
 */
export function expertsOf(
  { model, step, horizon, phase }: ModelSettings,
  seasons: Seasons,
  leaders: readonly Loads[] = [],
  time: LocalTime = utc,
): Expert[] {
  const day = Math.max(1, Math.round(dayMilliseconds / step));
  const { day: daily, week: weekly } = seasons;
  const smoothed = Math.max(60, day / 4);
  const every = Math.max(12, Math.round(hourMilliseconds / step));
  const lags = new Lags(seasons, horizon, every, model === "auto", phase, undefined, time);
  const leading = leaders.length > 0 ? [new Lags(seasons, horizon, every, false, phase, leaders, time)] : [];
  const make = {
    last: () => [last],
    linear: () => [line()],
    polynomial: () => [polynomial()],
    theil_sen: () => [theilSen()],
    holt: () => [new Holt(horizon, smoothed)],
    holt_winters: () => (daily ? [new HoltWinters(daily, horizon, smoothed, time)] : [new Holt(horizon, smoothed)]),
    lags: () => [lags, ...leading],
    auto: () => [
      last,
      new Holt(horizon, smoothed),
      ...(daily ? [new HoltWinters(daily, horizon, smoothed, time)] : []),
      ...(daily ? [new Usual("day", daily, 1, horizon, 2 * day, time)] : []),
      ...(daily ? [new Usual("usual_day", daily, 7, horizon, 2 * day, time)] : []),
      ...(weekly ? [new Usual("usual_week", weekly, keptDays / 7, horizon, 2 * day, time)] : []),
      lags,
      lags.boosted,
      ...leading,
    ],
  } satisfies { [name in Model]: () => Expert[] };
  return make[model]();
}
