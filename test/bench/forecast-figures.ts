import { judgedSteps, type Accuracy } from "./forecast-accuracy";
import type { Cost } from "./forecast-cost";
import type { Gain, Ratio } from "./forecast-loop";
import { table } from "./report";

/** The figures of one trace. */
export interface Measured {
  name: string;
  accuracy: Accuracy;
  /** The figures of the last value as forecast, for comparison. */
  last: Accuracy;
  /** Comparison with HPA at target utilizations of 0.9 and 0.8. */
  gains: { u90: Gain; u80: Gain };
}

/** Traces whose figures have means of their own: a setting that was chosen by some parts is judged by the others. */
export interface Part {
  part: keyof typeof partTitles;
  measured: Measured[];
}

const partTitles = { odd: "odd traces", even: "even traces", third: "third set" };

/** The even and the odd traces, in the order of their names, and the third set. A part without traces is absent. */
export function partsOf(traces: Measured[], third: Measured[]): Part[] {
  const every = (first: number): Measured[] => traces.filter((_, index) => index % 2 === first);
  const parts: Part[] = [
    { part: "odd", measured: every(0) },
    { part: "even", measured: every(1) },
    { part: "third", measured: third },
  ];
  return parts.filter(({ measured }) => measured.length > 0);
}

/** What the trace that loses most to an HPA loses, a line each. */
function worstLines(measured: Measured[]): string[] {
  const cases = (["unserved", "sameMoney"] as const).flatMap(figure =>
    (["u90", "u80"] as const).map(target => ({ figure, target })),
  );
  return cases.map(({ figure, target }) => {
    const ratios = measured.map(({ name, gains }): Ratio & { name: string } => ({ name, ...gains[target][figure] }));
    const { name, ratio, points } = worstOf(ratios);
    const title = `${titles[figure]}, u=${target === "u90" ? "0.9" : "0.8"}`;
    return `  ${title}: ${name} ${ratio.toFixed(3)}, ${signed(points)} percentage points of the load`;
  });
}

const titles = { unserved: "at HPA's replica-hours", sameMoney: "for the same money" };

/** The highest ratio. Throws without any. */
export const worstOf = <One extends Ratio>(ratios: One[]): One =>
  ratios.reduce((worst, one) => (one.ratio > worst.ratio ? one : worst));

/** The figures as text: a line for each trace and for the means of each part, and the cost of the forecasts. */
export function tablesOf(measured: Measured[], parts: Part[], cost: Cost): string {
  const columns: [string, (trace: Measured) => number][] = [
    ...judgedSteps.map((step, index): [string, (trace: Measured) => number] => [
      `MASE\nh${step}`,
      ({ accuracy }) => accuracy.errors[index] ?? NaN,
    ]),
    ["last\nh3", ({ last }) => last.errors[judgedSteps.indexOf(3)] ?? NaN],
    ["pinball\nq90", ({ accuracy }) => accuracy.pinball.q90],
    ["\nq95", ({ accuracy }) => accuracy.pinball.q95],
    ["covered\nq90", ({ accuracy }) => accuracy.coverage],
    ["unserved\nu=0.9", ({ gains }) => gains.u90.unserved.ratio],
    ["\nu=0.8", ({ gains }) => gains.u80.unserved.ratio],
    ["Assist\nu=0.9", ({ gains }) => gains.u90.assisted.ratio],
    ["\nu=0.8", ({ gains }) => gains.u80.assisted.ratio],
    ["money\nu=0.9", ({ gains }) => gains.u90.sameMoney.ratio],
    ["\nu=0.8", ({ gains }) => gains.u80.sameMoney.ratio],
    ["hours\nu=0.9", ({ gains }) => gains.u90.replicaHours],
    ["\nu=0.8", ({ gains }) => gains.u80.replicaHours],
  ];
  const third = parts.find(({ part }) => part === "third")?.measured ?? [];
  const rows = [...measured, ...third].map(trace => [
    trace.name,
    ...columns.map(([, value]) => value(trace).toFixed(3)),
  ]);
  const means = (title: string, traces: Measured[]): string[] => [
    title,
    ...columns.map(([, value]) => geometricMean(traces.map(value)).toFixed(3)),
  ];
  if (measured.length > 1) rows.push(means("geometric mean", measured));
  for (const part of parts) rows.push(means(`of the ${partTitles[part.part]}`, part.measured));
  const ms = (value: number): string => `${value.toFixed(value < 1 ? 2 : 1)} ms`;
  return [
    "",
    table(["", ...columns.map(([title]) => title)], rows),
    "Errors are in units of the mean change between two slots; they are NaN for a load that never changes.",
    "Unserved load is relative to HPA's at its replica-hours, 0.02 percentage points of the load added to both.",
    "Assist: the same of an HPA with mode Assist. Money: of the MLScaler with this target, relative to an HPA whose",
    "target is lowered until it has as many replica-hours. Hours: its replica-hours over HPA's with the same target.",
    `Hours of the day with a coverage more than three standard errors from 0.90: ${hoursText(measured)}`,
    "Worst trace:",
    ...worstLines(measured),
    ...(parts.length > 0 ? ["Choose a setting by the odd traces and judge it by the even ones, and the reverse."] : []),
    `CPU: a sync ${ms(cost.sync)}; the refits of an hour ${ms(cost.refit)}, ` +
      `their longest pause ${ms(cost.pause)}, at most ${ms(cost.longestPause)}; ` +
      `four weeks of stored history ${ms(cost.replay)}, the longest pause ${ms(cost.replayPause)}`,
  ].join("\n");
}

/** "2 of 48 (web 2)": 24 hours a trace. */
function hoursText(measured: Measured[]): string {
  const off = measured.filter(({ accuracy }) => accuracy.hoursOff > 0);
  const all = off.reduce((sum, { accuracy }) => sum + accuracy.hoursOff, 0);
  const each = off.map(({ name, accuracy }) => `${name} ${accuracy.hoursOff}`).join(", ");
  return `${all} of ${24 * measured.length}${all > 0 ? ` (${each})` : ""}`;
}

const signed = (number: number): string => (number < 0 ? "" : "+") + number.toFixed(4);

/** The mean of the values that are numbers. */
export function geometricMean(numbers: number[]): number {
  const known = numbers.filter(Number.isFinite);
  return Math.exp(known.reduce((sum, number) => sum + Math.log(number), 0) / known.length);
}
