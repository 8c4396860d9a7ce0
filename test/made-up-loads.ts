import type { Verdict } from "../cli/survey/verdict";

/** A made-up load by slots of five minutes, and what is known of it. */
export interface MadeUpLoad {
  name: string;
  /** Absent where it depends on sizes. */
  truth?: Verdict | "does not gain";
  startUpSeconds: number;
  loads: number[];
}

const slotsADay = 288;

/** Random numbers that are the same in every run. */
interface Chance {
  /** Uniform between 0 and 1. */
  uniform: () => number;
  /** Nearly normal with mean 0 and deviation 1. */
  normal: () => number;
}

interface Kind extends Omit<MadeUpLoad, "loads"> {
  /** The load at a time of day (0 to 1), with the load before. */
  load: (time: number, chance: Chance, before: number) => number;
}

const hill = (time: number, top: number, width: number): number => Math.exp(-0.5 * ((time - top) / width) ** 2);

/** Loads with a rhythm that new pods are too slow for, and loads that nothing can be known of. */
const kinds: Kind[] = [
  {
    ...{ name: "shift", truth: "gains", startUpSeconds: 600 },
    load: (time, { normal }) => (time > 0.33 && time < 0.75 ? 100 : 20) * (1 + 0.03 * normal()),
  },
  {
    ...{ name: "batch", truth: "gains", startUpSeconds: 480 },
    load: (time, { normal }) => ((time * 24) % 6 < 1 ? 100 : 25) * (1 + 0.04 * normal()),
  },
  {
    ...{ name: "two-peaks", truth: "gains", startUpSeconds: 600 },
    load: (time, { normal }) =>
      (15 + 90 * hill(time, 0.35, 0.02) + 100 * hill(time, 0.8, 0.025)) * (1 + 0.04 * normal()),
  },
  { ...{ name: "constant", truth: "does not gain", startUpSeconds: 480 }, load: () => 60 },
  {
    ...{ name: "noise", truth: "does not gain", startUpSeconds: 480 },
    load: (_, { normal }) => 60 + 12 * normal(),
  },
  {
    ...{ name: "small-noise", truth: "does not gain", startUpSeconds: 180 },
    load: (_, { normal }) => 60 + 3 * normal(),
  },
  {
    ...{ name: "heavy-noise", truth: "does not gain", startUpSeconds: 300 },
    load: (_, { normal }) => 60 * Math.exp(0.4 * normal()),
  },
  {
    ...{ name: "walk", truth: "does not gain", startUpSeconds: 300 },
    load: (_, { normal }, before) => Math.min(Math.max((before || 60) + 1.5 * normal(), 10), 200),
  },
  {
    ...{ name: "bursts", truth: "does not gain", startUpSeconds: 300 },
    load: (_, { uniform, normal }, before) =>
      (uniform() < (before > 90 ? 0.88 : 0.004) ? 150 : 40) * (1 + 0.05 * normal()),
  },
  {
    ...{ name: "slow-rhythm", startUpSeconds: 120 },
    load: (time, { normal }) => (60 - 50 * Math.cos(2 * Math.PI * time)) * (1 + 0.03 * normal()),
  },
  {
    ...{ name: "noisy-rhythm", startUpSeconds: 180 },
    load: (time, { normal }) => (60 - 40 * Math.cos(2 * Math.PI * time)) * (1 + 0.15 * normal()),
  },
  {
    ...{ name: "office", startUpSeconds: 300 },
    load: (time, { normal }) => 20 + 100 * hill(time, 0.55, 0.12) * (1 + 0.05 * normal()),
  },
];

/** `copies` loads of each kind, which differ in their size, the time of their days and their noise. */
export const madeUpLoads = (days: number, copies: number): MadeUpLoad[] =>
  kinds.flatMap(({ load, name, ...kind }, place) =>
    Array.from({ length: copies }, (_, copy) => {
      const chance = chanceFrom(1000 * place + copy + 1);
      const [size, shift] = [0.5 + chance.uniform(), chance.uniform()];
      let before = 0;
      const loads = Array.from({ length: days * slotsADay }, (_, slot) => {
        before = Math.max(0, load((slot / slotsADay + shift) % 1, chance, before));
        return size * before;
      });
      return { ...kind, name: `${name}-${copy}`, loads };
    }),
  );

/** The minimal standard generator (Park and Miller 1988). */
function chanceFrom(seed: number): Chance {
  let state = (seed * 7919 + 13) % 2_147_483_647;
  const uniform = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  const normal = (): number => Array.from({ length: 12 }, uniform).reduce((sum, number) => sum + number, -6);
  for (let turn = 0; turn < 20; turn++) uniform();
  return { uniform, normal };
}
