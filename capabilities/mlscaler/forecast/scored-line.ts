import { continuous, Series } from "../history/series";
import type { Forecast } from "./forecast";
import { lineForecast } from "./line";
import { Scores } from "./scores";
import { scoredForecasts, Trust, trust } from "./trust";

/** The line of a short form, and how good its forecasts were, one step ahead. */
export class ScoredLine {
  readonly #scores = new Scores(1, scoredForecasts);
  /** The line counts from the start, and no longer once it is worse than the last load. */
  #trust: Trust = { trusted: true, since: -Infinity };

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
    return { ...line, lowest: least.load, ...this.#score(series, previous, line.load, now) };
  }

  #score(
    series: Series,
    previous: number,
    load: number | undefined,
    now: number,
  ): { trusted: boolean; skill?: number } {
    if (series.last !== previous) {
      // The forecast before a gap is for no load.
      if (series.last !== previous + 1) this.#scores.add(NaN, NaN, NaN);
      this.#scores.add(series.values.at(-1) ?? NaN, load ?? NaN, NaN);
    }
    const { score } = this.#scores;
    if (score.origins < scoredForecasts) return { trusted: true };
    this.#trust = trust(this.#trust, score, now);
    return { trusted: this.#trust.trusted, skill: score.skill };
  }
}
