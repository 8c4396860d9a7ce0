import { judgedSteps, mean, type Accuracy } from "./forecast-accuracy";
import type { Cost } from "./forecast-cost";
import type { Gain, Ratio } from "./forecast-loop";
import type { FromStarts } from "./processes";
import { table } from "./report";

/** The figures of one trace from one start. */
export interface Figures {
  accuracy: Accuracy;
  /** The figures of the last value as forecast, for comparison. */
  last: Accuracy;
  /** Comparison with HPA at target utilizations of 0.9 and 0.8. */
  gains: { u90: Gain; u80: Gain };
}

export type Measured = FromStarts<Figures>;

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
    const ratios = measured.map(({ name, starts }) => ({
      name,
      ...meanOf(starts.map(({ gains }) => gains[target][figure])),
    }));
    const { name, ratio, points } = worstOf(ratios);
    const title = `${titles[figure]}, u=${target === "u90" ? "0.9" : "0.8"}`;
    return `  ${title}: ${name} ${ratio.toFixed(3)}, ${signed(points)} percentage points of the load`;
  });
}

const titles = { unserved: "at HPA's replica-hours", sameMoney: "for the same money" };

/** The highest ratio. Throws without any. */
export const worstOf = <One extends Pick<Ratio, "ratio">>(ratios: One[]): One =>
  ratios.reduce((worst, one) => (one.ratio > worst.ratio ? one : worst));

/** The mean of the ratios of one load from several starts. */
export const meanOf = (ratios: Ratio[]): Ratio => ({
  ratio: geometricMean(ratios.map(({ ratio }) => ratio)),
  points: mean(ratios.map(({ points }) => points)),
});

/** The figures as text: a line for each trace and for the means of each part, and the cost of the forecasts. */
export function tablesOf(measured: Measured[], parts: Part[], cost: Cost): string {
  const columns: [string, (figures: Figures) => number][] = [
    ...judgedSteps.map((step, index): [string, (figures: Figures) => number] => [
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
    ...columns.map(([, value]) => geometricMean(trace.starts.map(value)).toFixed(3)),
  ]);
  const means = (title: string, traces: Measured[]): string[] => [
    title,
    ...columns.map(([, value]) => geometricMean(traces.flatMap(({ starts }) => starts.map(value))).toFixed(3)),
  ];
  const errors = columns.map(([, value]) => standardErrorOf(measured.map(({ starts }) => starts.map(value))));
  if (measured.length > 1) rows.push(means("geometric mean", measured));
  if (!errors.every(Number.isNaN)) rows.push(["its standard error", ...errors.map(error => `${error.toFixed(1)} %`)]);
  for (const part of parts) rows.push(means(`of the ${partTitles[part.part]}`, part.measured));
  return [
    "",
    table(["", ...columns.map(([title]) => title)], rows),
    "Errors are in units of the mean change between two slots; they are NaN for a load that never changes.",
    "Unserved load is relative to HPA's at its replica-hours, 0.02 percentage points of the load added to both.",
    "Assist: the same of an HPA with mode Assist. Money: of the MLScaler with this target, relative to an HPA whose",
    "target is lowered until it has as many replica-hours. Hours: its replica-hours over HPA's with the same target.",
    `Hours of the day with a coverage more than three standard errors from 0.90: ${hoursText(measured)}`,
    `Errors over those of the best single model, worst trace: ${worstOfModels(measured)}`,
    "Worst trace:",
    ...worstLines(measured),
    ...(parts.length > 0 ? ["Choose a setting by the odd traces and judge it by the even ones, and the reverse."] : []),
    costText(cost),
  ].join("\n");
}

function costText({ sync, refit, pause, longestPause, replay, replayPause }: Cost): string {
  const ms = (value: number): string => `${value.toFixed(value < 1 ? 2 : 1)} ms`;
  return (
    `CPU: a sync ${ms(sync)}; the refits of an hour ${ms(refit)}, ` +
    `their longest pause ${ms(pause)}, at most ${ms(longestPause)}; ` +
    `four weeks of stored history ${ms(replay)}, the longest pause ${ms(replayPause)}`
  );
}

/** "2 of 48 (web 2)": 24 hours a start. */
function hoursText(measured: Measured[]): string {
  const sum = (numbers: number[]): number => numbers.reduce((all, number) => all + number, 0);
  const off = measured
    .map(({ name, starts }) => ({ name, hours: sum(starts.map(({ accuracy }) => accuracy.hoursOff)) }))
    .filter(({ hours }) => hours > 0);
  const all = sum(off.map(({ hours }) => hours));
  const each = off.map(({ name, hours }) => `${name} ${hours}`).join(", ");
  return `${all} of ${24 * sum(measured.map(({ starts }) => starts.length))}${all > 0 ? ` (${each})` : ""}`;
}

/** "h1 1.002 (web), h3 …": the trace whose error is the highest over that of its best model, by step. */
const worstOfModels = (measured: Measured[]): string =>
  judgedSteps
    .map((step, index) => {
      const { name, ratio } = worstOf(
        measured.map(({ name, starts }) => ({
          name,
          ratio: geometricMean(starts.map(({ accuracy }) => accuracy.ofBestModel[index] ?? NaN)),
        })),
      );
      return `h${step} ${ratio.toFixed(3)} (${name})`;
    })
    .join(", ");

const signed = (number: number): string => (number < 0 ? "" : "+") + number.toFixed(4);

/** The mean of the values that are numbers. */
export function geometricMean(numbers: number[]): number {
  const known = numbers.filter(Number.isFinite);
  return Math.exp(known.reduce((sum, number) => sum + Math.log(number), 0) / known.length);
}

/**
 * The standard error of the geometric mean of the figures, in percent of it: what the start of a trace changes by
 * chance. NaN for one start.
 * @param figures by trace and start; traces without a logarithm do not count, as in the mean
 */
export function standardErrorOf(figures: number[][]): number {
  const logarithms = figures.map(starts => starts.map(Math.log)).filter(starts => starts.every(Number.isFinite));
  const variances = logarithms.map(starts => {
    const center = mean(starts);
    return mean(starts.map(one => (one - center) ** 2)) / (starts.length - 1);
  });
  return 100 * Math.sqrt(mean(variances) / variances.length);
}
