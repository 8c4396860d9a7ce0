import { table } from "./report";
import type { MeasuredAtZero } from "./zero";

/** A ratio of sums over all traces, and the worst of one trace. */
interface Ratio {
  of_sums: number;
  worst: number;
}

function ratioOf(traces: MeasuredAtZero[], pair: (one: MeasuredAtZero) => [ours: number, theirs: number]): Ratio {
  const pairs = traces.map(pair);
  const sum = (which: 0 | 1): number => pairs.reduce((all, numbers) => all + numbers[which], 0);
  return { of_sums: quotient(sum(0), sum(1)), worst: Math.max(...pairs.map(numbers => quotient(...numbers))) };
}

/** Two that miss nothing are equal. */
const quotient = (ours: number, theirs: number): number => (ours === theirs ? 1 : ours / theirs);

/** A line for each trace, and the summary as the last line. */
export function zeroTablesOf(traces: MeasuredAtZero[]): string {
  const starts = ratioOf(traces, ({ ours, atOurHours }) => [ours.coldStarts, atOurHours.coldStarts]);
  const load = ratioOf(traces, ({ ours, atOurHours }) => [ours.coldLoad, atOurHours.coldLoad]);
  const hours = ratioOf(traces, one => [one.ours.replicaHours, one.hoursAtOurColdStarts]);
  const ratio = (ours: number, theirs: number): string => quotient(ours, theirs).toFixed(2);
  const drawn = table(
    ["", "idle", "trusted", "hours", "of always", "cold", "cold ÷", "load ÷", "hours ÷", "300 s: hours", "cold"],
    traces.map(({ name, idle, trusted, always, ours, sameCoolDown, atOurHours, hoursAtOurColdStarts }) => [
      name,
      `${(100 * idle).toFixed(0)} %`,
      `${(100 * trusted).toFixed(0)} %`,
      ours.replicaHours.toFixed(1),
      `${((100 * ours.replicaHours) / always).toFixed(0)} %`,
      String(ours.coldStarts),
      ratio(ours.coldStarts, atOurHours.coldStarts),
      ratio(ours.coldLoad, atOurHours.coldLoad),
      ratio(ours.replicaHours, hoursAtOurColdStarts),
      sameCoolDown.replicaHours.toFixed(1),
      String(sameCoolDown.coldStarts),
    ]),
  );
  const pair = ({ of_sums, worst }: Ratio): string => `${of_sums.toFixed(2)} (worst ${worst.toFixed(2)})`;
  return (
    `${drawn}\n` +
    `Over the cool-down policy, at equal replica-hours: cold starts ${pair(starts)}, load that met none Ready ` +
    `${pair(load)}; at equal cold starts: replica-hours ${pair(hours)}`
  );
}
