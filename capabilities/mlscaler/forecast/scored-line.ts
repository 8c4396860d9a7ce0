import { continuous, Series } from "../history/series";
import type { Forecast } from "./forecast";
import { lineForecast } from "./line";
import { Scores } from "./scores";

/** The newest forecasts that are scored. There is no skill before. */
const scoredForecasts = 288;

/** The line of a short form, and how good its forecasts were, one step ahead. */
export class ScoredLine {
  readonly #scores = new Scores(1, scoredForecasts);

  /**
   * The line through the newest `historySize` loads of a series, one step ahead.
   * @param previous the newest slot of the series before this sync
   * @param cautious the newest load when pods without a sample count as 0, where that is less
   * @param now epoch milliseconds
   */
  forecast(
    series: Series,
    previous: number,
    historySize: number,
    now: number,
    cautious?: number,
  ): Omit<Forecast, "horizonSeconds"> {
    const loads = continuous(series, now);
    const line = lineForecast(loads, historySize);
    const newest = loads.at(-1);
    const least =
      cautious === undefined
        ? line
        : lineForecast([...loads.slice(0, -1), Math.min(cautious, newest ?? cautious)], historySize);
    return { ...line, lowest: least.load, trusted: true, ...this.#score(series, previous, line.load) };
  }

  #score(series: Series, previous: number, load: number | undefined): { skill?: number } {
    if (series.last !== previous) {
      // The forecast before a gap is for no load.
      if (series.last !== previous + 1) this.#scores.add(NaN, NaN, NaN);
      this.#scores.add(series.values.at(-1) ?? NaN, load ?? NaN, NaN);
    }
    const { score } = this.#scores;
    return score.origins < scoredForecasts ? {} : { skill: score.skill };
  }
}
