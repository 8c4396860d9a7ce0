import { dayMilliseconds, hourMilliseconds, keptDays } from "../history/retention";
import { DecayedRatios, halving } from "./decayed-ratios";
import { LocalTime } from "./local-time";
import { selected } from "./select";
import type { Sliced } from "./sliced";

/** Hours of a day, which is also the length of the path. */
const day = dayMilliseconds / hourMilliseconds;

/** The hours of an earlier day that a usual load is the median of: the same hour some days before. */
const usualDays = [[1], [7], [1, 2, 3, 4, 5, 6, 7], [7, 14, 21, keptDays]];
/** Hours over which the level of today is measured, and those after which half of it is left. */
const levelHours = 6;
const levelHalfLife = 12;
/** Errors after which one counts half in the weights by lead, and in those by time of day: one an hour and member. */
const byLeadHalfLife = 4 * day;
const byTimeHalfLife = 7 * day;
/** The exponent of the weights: they are proportional to error^-power. */
const power = 4;
/** Days of the history whose origins are scored, and whose errors make the upper quantile. */
const scoredHours = 14 * day;
const quantile = 0.9;

/** The usual loads, the same at the level of today, and the newest load. */
const members = 2 * usualDays.length + 1;

/** The path of the next 24 hours, one entry an hour. */
export interface Tomorrow {
  /** Epoch milliseconds of its first hour, which runs. */
  begins: number;
  /** Means of the load. */
  loads: number[];
  /** The upper quantiles of these means, 90 %. */
  uppers: number[];
  /** 1 - MAE / MAE of the better of "as yesterday" and "as last week". Absent until a path is scored. */
  skill?: number;
}

/**
 * The hourly means of the next 24 hours. Undefined with less than two days of history, and in a long gap.
 * @param loads one a slot, the oldest first; NaN is a gap
 * @param step milliseconds of a slot
 * @param begins epoch milliseconds of the first slot
 * @param timezone the zone whose local time the days follow; UTC when absent
 */
export function* tomorrowOf(
  loads: ArrayLike<number>,
  step: number,
  begins: number,
  timezone?: string,
): Sliced<Tomorrow | undefined> {
  const first = Math.ceil(begins / hourMilliseconds);
  const hours = hourlyMeans(loads, step, first * hourMilliseconds - begins);
  if (hours.filter(load => !Number.isNaN(load)).length < 2 * day) return undefined;
  const path = new Path(hours, new LocalTime(timezone, hourMilliseconds, first * hourMilliseconds));
  for (let hour = 0; hour < hours.length; hour++) {
    path.observe(hour);
    yield;
  }
  const found = path.outlook;
  return found && { begins: (first + hours.length) * hourMilliseconds, ...found };
}

/** The means of the whole hours from `offset` ms on. One that is known by less than half is a gap. */
function hourlyMeans(loads: ArrayLike<number>, step: number, offset: number): Float64Array {
  const slots = hourMilliseconds / step;
  const first = offset / step;
  const mean = (hour: number): number => {
    const [from, end] = [Math.round(first + hour * slots), Math.round(first + (hour + 1) * slots)];
    let [sum, known] = [0, 0];
    for (let slot = from; slot < end; slot++) {
      const load = loads[slot] ?? NaN;
      if (!Number.isNaN(load)) [sum, known] = [sum + load, known + 1];
    }
    return 2 * known >= end - from ? sum / known : NaN;
  };
  return Float64Array.from({ length: Math.max(0, Math.floor((loads.length - first) / slots)) }, (_, hour) =>
    mean(hour),
  );
}

/**
 * A mixture of usual loads, each also at the level of today, weighted by their recent errors at that lead and at that
 * time of day. The path from each origin is made of what was known then.
 */
class Path {
  readonly #usuals: Float64Array[];
  /** The forecasts of the newest 24 origins, by origin, member and lead; the path is the last member. */
  readonly #rows = Array.from({ length: day }, () => new Float64Array((members + 1) * day).fill(NaN));
  readonly #byLead = new Errors(members, byLeadHalfLife);
  readonly #byTime = new Errors(members, byTimeHalfLife);
  /** The errors of the path over the scored hours, by lead, and the sums of errors: path, yesterday, last week. */
  readonly #errors: number[][] = Array.from({ length: day }, () => []);
  readonly #sums = [0, 0, 0];

  constructor(
    readonly hours: Float64Array,
    readonly time: LocalTime,
  ) {
    this.#usuals = usualDays.map(() => new Float64Array(hours.length + day).fill(NaN));
  }

  /** Scores the forecasts of an hour, then forecasts from it. Hours are observed in their order. */
  observe(hour: number): void {
    const load = this.hours[hour] ?? NaN;
    if (!Number.isNaN(load)) this.#score(hour, load);
    const later = hour + day;
    this.#usuals.forEach((usual, which) => {
      usual[later] = median((usualDays[which] ?? []).map(back => this.hours[this.time.ago(later, back * day)] ?? NaN));
    });
    this.#rowOf(hour).fill(NaN);
    if (hour >= Math.max(day, this.hours.length - scoredHours - day)) this.#forecast(hour);
  }

  get outlook(): Omit<Tomorrow, "begins"> | undefined {
    const loads = Array.from(this.#rowOf(this.hours.length - 1).subarray(members * day));
    if (!loads.every(Number.isFinite)) return undefined;
    const [error = 0, yesterday = 0, week = 0] = this.#sums;
    const naive = Math.min(yesterday, week);
    const uppers = loads.map((load, index) => {
      const errors = Float32Array.from(this.#errors.slice(Math.max(0, index - 1), index + 2).flat());
      return load + Math.max(0, errors.length > 0 ? selected(errors, Math.ceil(quantile * (errors.length - 1))) : 0);
    });
    return { loads, uppers, ...(naive > 0 && { skill: 1 - error / naive }) };
  }

  #rowOf(hour: number): Float64Array {
    return this.#rows[hour % day] ?? new Float64Array();
  }

  #score(hour: number, load: number): void {
    const place = this.time.place(hour, day);
    const isScored = hour >= this.hours.length - scoredHours;
    for (let lead = 1; lead <= Math.min(day, hour); lead++) {
      const row = this.#rowOf(hour - lead);
      for (let member = 0; member < members; member++) {
        const error = Math.abs(load - (row[member * day + lead - 1] ?? NaN));
        this.#byLead.add(member, lead - 1, error);
        this.#byTime.add(member, place, error);
      }
      if (isScored) this.#judge(hour, lead, load);
    }
  }

  /** Adds the errors of the path, and of "as yesterday" and "as last week", at a lead. */
  #judge(hour: number, lead: number, load: number): void {
    const row = this.#rowOf(hour - lead);
    const [path = NaN, yesterday = NaN, week = NaN] = [members, 0, 1].map(
      member => load - (row[member * day + lead - 1] ?? NaN),
    );
    if (Number.isNaN(path + yesterday)) return;
    this.#errors[lead - 1]?.push(path);
    // Before, the weights are not known.
    if (hour - lead < 2 * day) return;
    [path, yesterday, Number.isNaN(week) ? yesterday : week].forEach((error, which) => {
      this.#sums[which] = (this.#sums[which] ?? 0) + Math.abs(error);
    });
  }

  #forecast(hour: number): void {
    const row = this.#rowOf(hour);
    this.#usuals.forEach((usual, which) => {
      const level = this.#levelOf(usual, hour);
      for (let lead = 1; lead <= day; lead++) {
        const load = usual[hour + lead] ?? NaN;
        row[which * day + lead - 1] = load;
        row[(which + usualDays.length) * day + lead - 1] = load * level ** (0.5 ** (lead / levelHalfLife));
      }
    });
    row.fill(this.#newestTo(hour), (members - 1) * day, members * day);
    const usually = Array.from({ length: members }, (_, member) => this.#byTime.around(member, 0, day / 2));
    for (let lead = 1; lead <= day; lead++) row[members * day + lead - 1] = this.#mixed(row, hour, lead, usually);
  }

  /** The load of the newest known hour of a day. */
  #newestTo(hour: number): number {
    return this.hours.slice(Math.max(0, hour + 1 - day), hour + 1).findLast(load => !Number.isNaN(load)) ?? NaN;
  }

  /** The loads of the last hours over the usual ones, at least half and at most twice. */
  #levelOf(usual: Float64Array, hour: number): number {
    let [sum, usually] = [0, 0];
    for (let back = Math.max(0, hour - levelHours + 1); back <= hour; back++) {
      const [load = NaN, expected = NaN] = [this.hours[back], usual[back]];
      if (!Number.isNaN(load + expected)) [sum, usually] = [sum + load, usually + expected];
    }
    return usually > 0 ? Math.min(2, Math.max(0.5, sum / usually)) : 1;
  }

  /**
   * The mean of the members at a lead, weighted by their errors at that lead and time of day; of all alike where none
   * is scored.
   * @param usually the errors of the members over the whole day
   */
  #mixed(row: Float64Array, hour: number, lead: number, usually: number[]): number {
    const place = this.time.place(hour + lead, day);
    const errors = usually.map((all, member) => {
      const local = this.#byTime.around(member, place, 1) / all;
      const known = Number.isFinite(row[member * day + lead - 1]);
      return known ? this.#byLead.around(member, lead - 1, 0) * (Number.isFinite(local) ? local : 1) : NaN;
    });
    let least = Infinity;
    for (const error of errors) if (error < least) least = error;
    let [sum, weights] = [0, 0];
    for (let member = 0; member < members; member++) {
      const [load = NaN, error = NaN] = [row[member * day + lead - 1], errors[member]];
      const weight = error > 0 ? (least / error) ** power : least < Infinity && Number.isNaN(error) ? 0 : 1;
      if (weight > 0 && Number.isFinite(load)) [sum, weights] = [sum + weight * Math.max(0, load), weights + weight];
    }
    return sum / weights;
  }
}

/** Decayed mean errors of several members in 24 places, which are in a circle. */
class Errors {
  readonly #means: DecayedRatios;

  /** @param halfLife the errors of a place after which one counts half */
  constructor(members: number, halfLife: number) {
    this.#means = new DecayedRatios(halving(halfLife), new Float64Array(members * day));
  }

  /** Adds an error; NaN is none. */
  add(member: number, place: number, error: number): void {
    if (!Number.isNaN(error)) this.#means.add(member * day + place, error);
  }

  /** The mean error of the places up to `reach` from a place; NaN without one. */
  around(member: number, place: number, reach: number): number {
    const { parts, wholes } = this.#means;
    let [sum, count] = [0, 0];
    for (let near = place - reach; near <= place + reach; near++) {
      const at = member * day + ((near + day) % day);
      [sum, count] = [sum + (parts[at] ?? 0), count + (wholes[at] ?? 0)];
    }
    return sum / count;
  }
}

/** The median of the known numbers; NaN without any. */
function median(numbers: number[]): number {
  const known = numbers.filter(number => !Number.isNaN(number)).sort((one, other) => one - other);
  const [below = NaN, above = NaN] = [known[(known.length - 1) >> 1], known[known.length >> 1]];
  return (below + above) / 2;
}
