import type { Trace } from "./trace";
import { historyOf, mean } from "./forecast-accuracy";
import { type Chance, chanceFrom } from "./forecast-traces";

const stepMilliseconds = 300_000;
const slotsADay = 288;
const days = 28;

/** Made-up loads with idle time, the same in every run. */
export function idleTraces(): Trace[] {
  return Object.entries(kinds).map(([name, load]) => {
    const chance = chanceFrom(20_010_101);
    const values = load(chance).slice(0, days * slotsADay);
    return { name: `made_up_${name}_5m`, startedAt: Date.UTC(2001, 0, 1), stepMilliseconds, values };
  });
}

/** The share of the judged slots with load in a cut trace, and the mean requests of one in a thinned trace. */
const share = 0.2;

/**
 * Traces that are idle for a tenth of the time, as they are. Any other is *cut*, to what exceeds the load of a fifth of
 * the judged slots, and *thinned*, to independent requests. In the order of their names.
 */
export function withIdleTime(traces: Trace[]): Trace[] {
  const chance = chanceFrom(20_010_101);
  const derived = (trace: Trace): Trace[] => {
    const { name, values } = trace;
    if (values.filter(load => load === 0).length >= values.length / 10) return [trace];
    const judged = values.slice(historyOf(trace)).sort((one, other) => one - other);
    const level = judged[Math.floor((1 - share) * judged.length)] ?? NaN;
    const rate = share / mean(judged);
    return [
      { ...trace, name: `cut ${name}`, values: values.map(load => Math.max(0, load / level - 1)) },
      { ...trace, name: `thinned ${name}`, values: values.map(load => requestsOf(rate * load, chance)) },
    ];
  };
  return traces.flatMap(derived).sort((one, other) => one.name.localeCompare(other.name));
}

/** A number of independent requests with this mean. */
function requestsOf(rate: number, chance: Chance): number {
  let requests = 0;
  for (let passed = -Math.log(chance.uniform()); passed < rate; passed -= Math.log(chance.uniform())) requests++;
  return requests;
}

/** A kind of load: its values from random numbers. */
const kinds: Record<string, (chance: Chance) => number[]> = {
  /** From 8 to 18 h on weekdays, some minutes early or late. */
  opening_hours: chance =>
    byDay(day => {
      const [opens, closes] = [96 + Math.round(3 * chance.normal()), 216 + Math.round(6 * chance.normal())];
      return time => (day % 7 < 5 && time >= opens && time < closes ? 60 + 5 * chance.normal() : 0);
    }),
  /** A job of a quarter of an hour at every second hour, sometimes left out. */
  job: chance =>
    bySlot(
      slot => (slot % 24 === 0 ? (chance.uniform() < 0.9 ? 3 : 0) : 0),
      () => 40 + 5 * chance.normal(),
    ),
  /** A job some time after the last one: an hour and a half, give or take ten minutes. */
  after_the_last: chance => {
    let next = 0;
    return bySlot(
      slot => {
        if (slot < next) return 0;
        next = slot + Math.max(6, 18 + Math.round(2 * chance.normal()));
        return 2;
      },
      () => 30 + 5 * chance.normal(),
    );
  },
  /** Single requests at any time, more by day. */
  requests: chance =>
    bySlot(
      slot => {
        const rate = 0.02 + 0.4 * Math.max(0, Math.sin(((slot % slotsADay) / slotsADay - 0.25) * 2 * Math.PI));
        return chance.uniform() < rate ? 1 : 0;
      },
      () => 1 + Math.floor(3 * chance.uniform()),
    ),
};

/** Loads of each day, by the slot of the day. */
function byDay(ofDay: (day: number) => (time: number) => number): number[] {
  return Array.from({ length: days }, (_, day) => {
    const load = ofDay(day);
    return Array.from({ length: slotsADay }, (_, time) => Math.max(0, load(time)));
  }).flat();
}

/** Loads that last for as many slots as `starts` says for a slot. */
function bySlot(starts: (slot: number) => number, load: () => number): number[] {
  let left = 0;
  return Array.from({ length: days * slotsADay }, (_, slot) => {
    left = Math.max(left - 1, 0) || starts(slot);
    return left > 0 ? Math.max(0, load()) : 0;
  });
}
