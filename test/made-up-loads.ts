/** A made-up load by slots of five minutes. */
export interface MadeUpLoad {
  startUpSeconds: number;
  loads: number[];
}

const slotsADay = 288;

interface Kind {
  seed: number;
  startUpSeconds: number;
  /** The load at a time of day (0 to 1), with a random number that is nearly normal with deviation 1. */
  load: (time: number, normal: () => number) => number;
}

/** Loads with a rhythm that new pods are too slow for, and loads that nothing can be known of. */
const kinds = {
  shift: {
    ...{ seed: 1, startUpSeconds: 600 },
    load: (time, normal) => (time > 0.33 && time < 0.75 ? 100 : 20) * (1 + 0.03 * normal()),
  },
  batch: {
    ...{ seed: 1001, startUpSeconds: 480 },
    load: (time, normal) => ((time * 24) % 6 < 1 ? 100 : 25) * (1 + 0.04 * normal()),
  },
  constant: { seed: 3001, startUpSeconds: 480, load: () => 60 },
  noise: { seed: 4001, startUpSeconds: 480, load: (_, normal) => 60 + 12 * normal() },
} satisfies Record<string, Kind>;

/** A load of a kind, the same in every run. */
export function madeUpLoad(name: keyof typeof kinds, days: number): MadeUpLoad {
  const { seed, startUpSeconds, load }: Kind = kinds[name];
  const { uniform, normal } = chanceFrom(seed);
  const [size, shift] = [0.5 + uniform(), uniform()];
  const loads = Array.from(
    { length: days * slotsADay },
    (_, slot) => size * Math.max(0, load((slot / slotsADay + shift) % 1, normal)),
  );
  return { startUpSeconds, loads };
}

/** The minimal standard generator (Park and Miller 1988). */
function chanceFrom(seed: number): { uniform: () => number; normal: () => number } {
  let state = (seed * 7919 + 13) % 2_147_483_647;
  const uniform = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  const normal = (): number => Array.from({ length: 12 }, uniform).reduce((sum, number) => sum + number, -6);
  for (let turn = 0; turn < 20; turn++) uniform();
  return { uniform, normal };
}
