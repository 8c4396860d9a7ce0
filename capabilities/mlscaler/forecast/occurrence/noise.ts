/** The share of the mean load of a day that is noise where the question is whether there is any load. */
const noiseShare = 0.1;

/**
 * An upper quantile up to this value may belong to no load at all, because a quantile is seldom exactly 0.
 * @param loads those of the last day; NaN is a gap
 */
export function noiseOf(loads: Iterable<number>): number {
  const known = [...loads].filter(load => load >= 0);
  return known.length === 0 ? 0 : (noiseShare * known.reduce((sum, load) => sum + load, 0)) / known.length;
}
