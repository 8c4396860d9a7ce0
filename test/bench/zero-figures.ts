import { table } from "./report";
import type { MeasuredAtZero } from "./zero";

/** A ratio of sums over all traces, the worst of one trace, and the number of traces that are clearly worse. */
function ratioOf(traces: MeasuredAtZero[], pair: (one: MeasuredAtZero) => [ours: number, theirs: number]): string {
  const pairs = traces.map(pair);
  const sum = (which: 0 | 1): number => pairs.reduce((all, numbers) => all + numbers[which], 0);
  const ratios = pairs.map(numbers => quotient(...numbers));
  const worse = ratios.filter(ratio => ratio > 1.02).length;
  return `${quotient(sum(0), sum(1)).toFixed(2)} (${Math.max(...ratios).toFixed(2)}; ${worse} of ${traces.length})`;
}

/** Two that miss nothing are equal. */
const quotient = (ours: number, theirs: number): number => (ours === theirs ? 1 : ours / theirs);

/** A line for each trace, and the summary: over all traces, and over the odd and the even ones. */
export function zeroTablesOf(traces: MeasuredAtZero[]): string {
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
  const summary = (title: string, some: MeasuredAtZero[]): string[] => [
    title,
    ratioOf(some, ({ ours, atOurHours }) => [ours.coldStarts, atOurHours.coldStarts]),
    ratioOf(some, ({ ours, atOurHours }) => [ours.coldLoad, atOurHours.coldLoad]),
    ratioOf(some, ({ ours, hoursAtOurColdStarts }) => [ours.replicaHours, hoursAtOurColdStarts]),
  ];
  const half = (first: number): MeasuredAtZero[] => traces.filter((_, index) => index % 2 === first);
  return [
    drawn,
    "Over the cool-down policy, of the sums (the worst trace; traces above 1.02):",
    table(
      ["", "cold starts", "load that met none Ready", "replica-hours"],
      [summary("all", traces), summary("odd traces", half(0)), summary("even traces", half(1))],
    ),
  ].join("\n");
}
