/** A load for each of the first slots. */
export const series = (length: number, load: (slot: number) => number): number[] =>
  Array.from({ length }, (_, slot) => load(slot));

/** A load with a season of 24 slots. */
export const season = (slot: number): number => 100 + 40 * Math.sin((2 * Math.PI * slot) / 24);
