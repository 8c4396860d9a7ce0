import { replicasNeeded } from "../../capabilities/mlscaler/backtest/replay";
import { Scenario } from "../../capabilities/mlscaler/backtest/scenario";
import { PolicyComparison } from "./comparison";
import { Trace } from "./trace";

/** The policies whose episodes count. The other two show what is possible. */
export const rivals = ["hpa", "mlscaler"] as const;
export type Rival = (typeof rivals)[number];

/** Consecutive slots, in each of which the HPA or the MLScaler had too few ready replicas for a time. */
export interface Episode {
  /** The first slot, and the slot after the last one. */
  from: number;
  to: number;
  shortages: Record<Rival, Shortage>;
}

/** What one policy lacked in an episode. */
export interface Shortage {
  /** Seconds with too few ready replicas. */
  seconds: number;
  /** The most replicas that were missing at once. */
  missing: number;
  /** Percent of the load of the episode that was lost. */
  unservedPercent: number;
}

/** From and to in epoch seconds. */
export type Span = [from: number, to: number];

/** The times of the judged part in which the `ready` replicas, one entry per sync, were fewer than needed. */
export function tooFew(ready: number[], trace: Trace, scenario: Scenario): Span[] {
  const { from, syncsPerStep, zero } = scenario;
  const spans: Span[] = [];
  for (const [sync, count] of ready.entries()) {
    const load = trace.loads[from + 1 + Math.floor(sync / syncsPerStep)] ?? NaN;
    if (Number.isNaN(load) || count >= replicasNeeded(load, scenario.capacity, zero?.threshold)) continue;
    const [start, end] = [sync, sync + 1].map(at => timeOf(at, trace, scenario));
    const last = spans.at(-1);
    if (last && last[1] === start) last[1] = end ?? start;
    else spans.push([start ?? NaN, end ?? NaN]);
  }
  return spans;
}

/** The epoch seconds at which a sync of the judged part begins. */
export function timeOf(sync: number, { startedAt, step }: Trace, { from, syncsPerStep }: Scenario): number {
  return (startedAt + (from + 1 + sync / syncsPerStep) * step) / 1000;
}

/** The `most` episodes in which a policy lost the most load, the worst first. */
export function worstEpisodes(
  trace: Trace,
  scenario: Scenario,
  { standings }: PolicyComparison,
  most: number,
): Episode[] {
  const { capacity, from, syncsPerStep, zero } = scenario;
  const syncSeconds = trace.step / 1000 / syncsPerStep;
  const shortageOf = (rival: Rival, first: number, end: number): Shortage & { lost: number } => {
    const sum = { seconds: 0, missing: 0, lost: 0, load: 0 };
    for (let slot = first; slot < end; slot++) {
      const load = trace.loads[slot] ?? NaN;
      const needed = replicasNeeded(load, capacity, zero?.threshold);
      for (let sync = (slot - from - 1) * syncsPerStep; sync < (slot - from) * syncsPerStep; sync++) {
        const ready = standings[rival].ready[sync] ?? 0;
        sum.load += load;
        sum.lost += Math.max(0, load - ready * capacity);
        sum.missing = Math.max(sum.missing, needed - ready);
        if (ready < needed) sum.seconds += syncSeconds;
      }
    }
    const { seconds, missing, lost } = sum;
    return { seconds, missing, lost, unservedPercent: sum.load > 0 ? (100 * lost) / sum.load : 0 };
  };
  const isShort = (slot: number): boolean =>
    !Number.isNaN(trace.loads[slot] ?? NaN) && rivals.some(rival => shortageOf(rival, slot, slot + 1).seconds > 0);

  const episodes: (Episode & { lost: number })[] = [];
  for (let slot = from + 1; slot < trace.loads.length; slot++) {
    if (!isShort(slot)) continue;
    const first = slot;
    while (slot < trace.loads.length && isShort(slot)) slot++;
    const [hpa, mlscaler] = [shortageOf("hpa", first, slot), shortageOf("mlscaler", first, slot)];
    episodes.push({ from: first, to: slot, shortages: { hpa, mlscaler }, lost: Math.max(hpa.lost, mlscaler.lost) });
  }
  return episodes.sort((one, other) => other.lost - one.lost).slice(0, most);
}
