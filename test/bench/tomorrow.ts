import { dayMilliseconds, hourMilliseconds, keptDays } from "../../capabilities/mlscaler/history/retention";
import { runSlices } from "../../capabilities/mlscaler/forecast/sliced";
import { tomorrowOf } from "../../capabilities/mlscaler/forecast/tomorrow";
import { mean } from "./forecast-accuracy";
import { geometricMean } from "./forecast-figures";
import { tracesIn } from "./forecast-traces";
import { eachInAProcess } from "./processes";
import { table } from "./report";
import type { Trace } from "./trace";

/** Hours from one origin to the next. */
const every = 3;
const day = dayMilliseconds / hourMilliseconds;

interface Measured {
  name: string;
  origins: number;
  /** Mean absolute errors of hourly means over 24 hours. */
  error: number;
  yesterday: number;
  week: number;
  /** The share of the means at or under the upper quantile. */
  covered: number;
}

/** The paths of the next 24 hours from the last 30 % of each trace of a folder. Returns tables. */
export async function measureTomorrow(folder: string, say: (text: string) => void): Promise<string> {
  const measured = await eachInAProcess<Measured>(__filename, "tomorrowOn", tracesIn(folder), say);
  const ratioOf = ({ error, yesterday, week }: Measured): number => error / Math.min(yesterday, week);
  const half = (first: number): Measured[] => measured.filter((_, index) => index % 2 === first);
  const ratios = (some: Measured[]): string => geometricMean(some.map(ratioOf)).toFixed(3);
  const lines = measured.map(one => [
    one.name,
    ...[one.origins.toFixed(0), ratioOf(one).toFixed(3)],
    ...[one.error / one.yesterday, one.error / one.week, one.covered].map(figure => figure.toFixed(3)),
  ]);
  return [
    table(["trace", "origins", "of the better", "of yesterday", "of last week", "covered q90"], lines),
    `Geometric mean of the better: ${ratios(measured)}; odd traces ${ratios(half(0))}, even ${ratios(half(1))}.`,
  ].join("\n");
}

/** The figures of one trace. */
export function tomorrowOn({ name, startedAt, stepMilliseconds: step, values }: Trace): Measured {
  const slots = hourMilliseconds / step;
  const first = Math.round((Math.ceil(startedAt / hourMilliseconds) * hourMilliseconds - startedAt) / step);
  const hours = Array.from({ length: Math.floor((values.length - first) / slots) }, (_, hour) =>
    mean(values.slice(first + hour * slots, first + (hour + 1) * slots)),
  );
  const found = { error: 0, yesterday: 0, week: 0, covered: 0 };
  let origins = 0;
  for (let origin = Math.floor(0.7 * hours.length); origin + day <= hours.length; origin += every) {
    const from = first + Math.max(0, origin - keptDays * day) * slots;
    const history = values.slice(from, first + origin * slots);
    const tomorrow = runSlices(tomorrowOf(history, step, startedAt + from * step));
    if (!tomorrow) throw new Error(`${name}: there is no path from hour ${origin}`);
    origins++;
    tomorrow.loads.forEach((load, index) => {
      const [then = NaN, before = NaN, week = before] = [0, day, 7 * day].map(back => hours[origin + index - back]);
      found.error += Math.abs(then - load);
      found.yesterday += Math.abs(then - before);
      found.week += Math.abs(then - week);
      if (then <= (tomorrow.uppers[index] ?? NaN)) found.covered++;
    });
  }
  const scored = origins * day;
  const { error, yesterday, week, covered } = found;
  return {
    ...{ name, origins },
    ...{ error: error / scored, yesterday: yesterday / scored, week: week / scored, covered: covered / scored },
  };
}
