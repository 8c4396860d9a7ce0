import { dayMilliseconds } from "../../history/retention";
import { DecayedRatios, halving } from "../decayed-ratios";
import { type LocalTime, utc } from "../local-time";

/**
 * The chance of load in each of the next slots, for loads that are mostly zero. Their mean and quantiles say little. A
 * logistic regression for each step ahead combines what is known of such loads:
 * - the histogram of idle times (Shahrad et al., Serverless in the Wild, USENIX ATC 2020), and that of the times from
 *   one start of load to the next;
 * - how often there was load at this time of the day, and of the week;
 * - how often there was load lately, as smoothed by Teunter, Syntetos and Babai (2011) after Croston.
 *
 * It learns slot by slot by the extended Kalman filter, the second-order form of online logistic regression.
 */
export class Occurrence {
  /** The chances 1, 2, … slots after the newest one. All NaN after a gap. */
  readonly chances: Float64Array;
  readonly #steps: Step[];
  readonly #day: Season;
  readonly #week: Season;
  readonly #rates = halfLives.map(rate);
  #slot = -1;
  #works = false;
  /** Slots since the last load, and since the last start of load. */
  #idle = 0;
  #sinceStart = 0;

  /**
   * @param horizon steps ahead
   * @param step milliseconds of a slot
   * @param threshold there is load above this
   */
  constructor(
    horizon: number,
    step: number,
    readonly threshold: number,
    time: LocalTime = utc,
  ) {
    const daySlots = Math.max(1, Math.round(dayMilliseconds / step));
    this.chances = new Float64Array(horizon).fill(NaN);
    this.#steps = Array.from({ length: horizon }, (_, index) => new Step(index + 1));
    this.#day = new Season(daySlots, dailyDecay, time);
    this.#week = new Season(7 * daySlots, weeklyDecay, time);
  }

  /**
   * The next slot within a day that usually has load, as slots after the newest one, and the share of earlier weeks, or
   * days, in which it had.
   */
  get nextUsual(): { ahead: number; chance: number } | undefined {
    for (let ahead = 1; ahead <= this.#day.period; ahead++) {
      const chance = this.#week.usualAt(this.#slot + ahead) ?? this.#day.usualAt(this.#slot + ahead) ?? 0;
      if (chance > usual) return { ahead, chance };
    }
    return undefined;
  }

  /** Learns from the load of the next slot, and forecasts from it. NaN is a gap. */
  observe(load: number): void {
    const known = !Number.isNaN(load);
    const works = load > this.threshold;
    this.#slot++;
    for (const step of this.#steps) step.learn(this.#slot, known ? works : undefined);
    this.#sinceStart = works && !this.#works ? 0 : this.#sinceStart + 1;
    this.#idle = works ? 0 : this.#idle + 1;
    this.#works = works;
    if (known) {
      this.#day.add(this.#slot, works);
      this.#week.add(this.#slot, works);
      for (const lately of this.#rates) lately.add(0, Number(works));
    }
    const rates = this.#rates.map(lately => logit(lately.at(0, 0.1, 0.5)));
    for (const [index, step] of this.#steps.entries()) {
      const at = this.#slot + index + 1;
      const seasons = [
        logit(this.#day.around(at, 0)),
        logit(this.#day.around(at, neighbours)),
        logit(this.#week.around(at, weeklyNeighbours)),
      ];
      const chance = step.forecast(this.#slot, [...seasons, ...rates], this.#idle, this.#sinceStart);
      this.chances[index] = known ? chance : NaN;
    }
  }
}

/** The share of earlier days, or weeks, from which on load is usual at a time. */
const usual = 0.5;
/** The weeks that have to be known at a time before they count, and the days. */
const leastSeasons = 1.5;

/** Half-lives of the rates in slots: half an hour, three hours, a day at steps of five minutes. */
const halfLives = [6, 36, 288];
/** The weight that a day, and a week, keeps when the next one is known. */
const dailyDecay = 0.85;
const weeklyDecay = 0.7;
/** Slots on either side of a time of the day, and of the week, that count for it. */
const neighbours = 5;
const weeklyNeighbours = 3;
/** The bounds of the bins of a histogram, in slots. */
const bins = [
  ...[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16, 18, 20, 22],
  ...[24, 28, 32, 40, 48, 64, 96, 144, 288],
];
/** The weight that a bin keeps when it is seen again. */
const binDecay = 0.995;
/** The features: a constant, the two histograms, three of the seasons, and the rates. */
const features = 6 + halfLives.length;
/** What is believed of the weights before any load is known: the mean of some of them, and the variance of all. */
const firstWeight = 0.3;
const firstVariance = 0.3;
/** A chance is never more certain than this. */
const leastChance = 0.005;

const logit = (chance: number): number => {
  const certain = Math.min(1 - leastChance, Math.max(leastChance, chance));
  return Math.log(certain / (1 - certain));
};

/** How often there was load, by bin. It begins as if a quarter of two slots had load. */
const histogram = (): DecayedRatios =>
  new DecayedRatios(binDecay, new Float64Array(bins.length).fill(0.5), new Float64Array(bins.length).fill(2));

/** How often there was load lately, at the only place. */
const rate = (halfLife: number): DecayedRatios => new DecayedRatios(halving(halfLife), new Float64Array(1));

const binOf = (slots: number): number =>
  Math.max(
    0,
    bins.findLastIndex(bound => bound <= slots),
  );

/** How often there was load at each time of a season. */
class Season {
  readonly #times: DecayedRatios;

  constructor(
    readonly period: number,
    decay: number,
    readonly time: LocalTime,
  ) {
    this.#times = new DecayedRatios(decay, new Float32Array(period));
  }

  add(slot: number, works: boolean): void {
    this.#times.add(this.time.place(slot, this.period), Number(works));
  }

  /** The share at the time of a slot; undefined while too few seasons are known. */
  usualAt(slot: number): number | undefined {
    const place = this.time.place(slot, this.period);
    return (this.#times.wholes[place] ?? 0) > leastSeasons ? this.#times.at(place) : undefined;
  }

  /** The share around the time of a slot: the nearer a neighbour, the more it counts. */
  around(slot: number, reach: number): number {
    // A season that is not known yet has a rare load.
    let [slots, loads] = [0.5, 0.05];
    for (let away = -reach; away <= reach; away++) {
      const place = this.time.place(slot + away, this.period);
      const weight = reach + 1 - Math.abs(away);
      slots += weight * (this.#times.wholes[place] ?? 0);
      loads += weight * (this.#times.parts[place] ?? 0);
    }
    return loads / slots;
  }
}

/** An origin whose load is not known yet. */
interface Origin {
  slot: number;
  seen: Float64Array;
  idle: number;
  sinceStart: number;
}

/** The chance of load a number of slots ahead. */
class Step {
  readonly #idle = histogram();
  readonly #sinceStart = histogram();
  readonly #weights = Float64Array.from({ length: features }, (_, which) => (which > 0 && which < 4 ? firstWeight : 0));
  readonly #variances = Array.from({ length: features }, (_, row) =>
    Float64Array.from({ length: features }, (_, column) => (row === column ? firstVariance : 0)),
  );
  readonly #origins: Origin[] = [];

  constructor(readonly ahead: number) {}

  /** Forecasts from `slot`, and keeps it as an origin. */
  forecast(slot: number, seasonsAndRates: number[], idleSlots: number, startSlots: number): number {
    const [idle, sinceStart] = [binOf(idleSlots), binOf(startSlots)];
    const histograms = [logit(this.#idle.at(idle)), logit(this.#sinceStart.at(sinceStart))];
    const seen = Float64Array.of(1, ...histograms, ...seasonsAndRates);
    this.#origins.push({ slot, seen, idle, sinceStart });
    return this.#chanceOf(seen);
  }

  /** Learns from the origin whose slot this is. Undefined is a gap, from which nothing is learned. */
  learn(slot: number, works: boolean | undefined): void {
    if (this.#origins[0]?.slot !== slot - this.ahead) return;
    const origin = this.#origins.shift();
    if (!origin || works === undefined) return;
    this.#idle.add(origin.idle, Number(works));
    this.#sinceStart.add(origin.sinceStart, Number(works));
    this.#update(origin.seen, Number(works));
  }

  #update(seen: Float64Array, works: number): void {
    const chance = this.#chanceOf(seen);
    const slope = Math.max(chance * (1 - chance), 1e-3);
    const gains = this.#variances.map(row => row.reduce((sum, value, at) => sum + value * (seen[at] ?? 0), 0));
    const spread = 1 / slope + gains.reduce((sum, gain, at) => sum + gain * (seen[at] ?? 0), 0);
    for (const [row, gain] of gains.entries()) {
      this.#weights[row] = (this.#weights[row] ?? 0) + (gain / spread) * ((works - chance) / slope);
      const variances = this.#variances[row];
      if (!variances) continue;
      for (const [column, other] of gains.entries())
        variances[column] = (variances[column] ?? 0) - (gain * other) / spread;
    }
  }

  #chanceOf(seen: Float64Array): number {
    const score = seen.reduce((sum, value, at) => sum + value * (this.#weights[at] ?? 0), 0);
    return 1 / (1 + Math.exp(-score));
  }
}
