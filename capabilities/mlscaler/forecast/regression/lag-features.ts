import type { SlotLoads } from "../loads";
import { type LocalTime, utc } from "../local-time";
import type { Seasons } from "../seasons";

/** How many of the newest loads are features. */
const newestLoads = 24;
/** The newest loads whose mean is a feature, beside the mean of all of them. */
const shortMean = 6;

/** Slots before the origin that the features without a season read. */
export const shortReach = newestLoads - 1;

const harmonics = 3;

/** The number of features with these seasons. */
export const columnsOf = ({ day, week }: Seasons): number =>
  newestLoads + 2 + (day ? 3 + 1 + 2 * harmonics : 0) + (week ? 3 + 2 * harmonics : 0);

/**
 * Writes the features of a forecast `steps` slots ahead to `into`, from index `from` on. They are: the load of the
 * origin less `base`; the newest loads and two means of them; for each season the load one season before the target, the
 * mean of its neighbours, and the load one season before the origin; the mean of the loads two and three days before
 * the target; harmonics of the seasons. All loads but the first are less the load of the origin. NaN where a load is
 * unknown.
 * @param slot the origin
 */
export function writeFeatures(
  loads: SlotLoads,
  slot: number,
  steps: number,
  { day, week }: Seasons,
  base: number,
  into: Float64Array,
  from: number,
  time: LocalTime = utc,
): void {
  let place = from;
  const newest = loads.at(slot);
  into[place++] = newest - base;
  let [sum, sumOfShort] = [0, NaN];
  for (let lag = 1; lag < newestLoads; lag++) {
    const change = loads.at(slot - lag) - newest;
    into[place++] = change;
    sum += change;
    if (lag === shortMean - 1) sumOfShort = sum;
  }
  into[place++] = sumOfShort / shortMean;
  into[place++] = sum / newestLoads;
  const target = slot + steps;
  for (const season of [day, week]) {
    if (!season) continue;
    const before = time.latest(target, season, slot - 1);
    into[place++] = loads.at(before) - newest;
    into[place++] = (loads.at(before - 1) - newest + (loads.at(before + 1) - newest)) / 2;
    into[place++] = loads.at(time.ago(slot, season)) - newest;
  }
  if (day) {
    const before = time.latest(target, day, slot - 1);
    const older = time.ago(before, day);
    const mean = (loads.at(older) - newest + (loads.at(time.ago(older, day)) - newest)) / 2;
    into[place++] = Number.isNaN(mean) ? loads.at(before) - newest : mean;
  }
  for (const season of [day, week]) {
    if (!season) continue;
    const waves = wavesOf(season);
    const first = time.place(target, season) * 2 * harmonics;
    for (let wave = first; wave < first + 2 * harmonics; wave++) into[place++] = waves[wave] ?? NaN;
  }
}

/** The harmonics by the length of the season. A process has few lengths. */
const waves = new Map<number, Float64Array>();

/** The sines and cosines of the harmonics of a season, by place in the season. */
function wavesOf(season: number): Float64Array {
  const known = waves.get(season);
  if (known) return known;
  const found = new Float64Array(season * 2 * harmonics);
  for (let at = 0, place = 0; at < season; at++) {
    const angle = (2 * Math.PI * at) / season;
    const [sine, cosine] = [Math.sin(angle), Math.cos(angle)];
    let [s, c] = [sine, cosine];
    for (let harmonic = 1; harmonic <= harmonics; harmonic++) {
      found[place++] = s;
      found[place++] = c;
      [s, c] = [s * cosine + c * sine, c * cosine - s * sine];
    }
  }
  waves.set(season, found);
  return found;
}

/** Lags of a leading load, in slots before the origin, that are features: up to an hour. */
const leaderLags = [1, 2, 3, 4, 5, 6, 8, 10, 12];

export const leaderColumns = 1 + leaderLags.length + 1;

/**
 * Writes the features of a leading load to `into`, from index `from` on: its load at the origin less `base`; its lags
 * and the mean of its newest loads, less its load at the origin. NaN where a load is unknown. The regression finds how
 * far it leads, and by which factor.
 * @param slot the origin
 */
export function writeLeaderFeatures(
  leader: SlotLoads,
  slot: number,
  base: number,
  into: Float64Array,
  from: number,
): void {
  let place = from;
  const newest = leader.at(slot);
  into[place++] = newest - base;
  for (const lag of leaderLags) into[place++] = leader.at(slot - lag) - newest;
  let sum = 0;
  for (let lag = 0; lag < newestLoads; lag++) sum += leader.at(slot - lag) - newest;
  into[place] = sum / newestLoads;
}
