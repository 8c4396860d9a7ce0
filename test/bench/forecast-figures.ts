import Table from "cli-table3";
import { judgedSteps, type Accuracy } from "./forecast-accuracy";
import type { Cost } from "./forecast-cost";
import type { Gain } from "./forecast-loop";

/** The figures of one trace. */
export interface Measured {
  name: string;
  accuracy: Accuracy;
  /** The figures of the last value as forecast, for comparison. */
  last: Accuracy;
  /** Comparison with HPA at target utilizations of 0.9 and 0.8. */
  gains: { u90: Gain; u80: Gain };
}

/** A figure over all traces. A trace without a number for it counts in neither mean. */
interface Figure {
  geomean: number;
  per_trace: Record<string, number>;
}

/** The figures of some traces. */
interface Figures {
  mase: Record<`h${(typeof judgedSteps)[number]}`, Figure>;
  pinball: Record<"q90" | "q95", Figure>;
  coverage: {
    min: number;
    max: number;
    per_trace: Record<string, number>;
    /** Hours of the day that are more than three standard errors from 0.90, by trace. */
    hours_off: Record<string, number>;
  };
  unserved: Record<"u90" | "u80", Figure>;
  /** Of an HPA with mode Assist. */
  assisted: Record<"u90" | "u80", Figure>;
  replica_hours: Record<"u90" | "u80", Figure>;
  /** Unserved load above HPA's, in percentage points of the load, by trace. */
  points: Record<"u90" | "u80", Record<string, number>>;
  /** The unserved load of the worst trace. */
  worst: Record<"u90" | "u80", number>;
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

/** All figures as one object, with those of each part. */
export const summaryOf = (measured: Measured[], parts: Part[], cost: Cost): Summary => ({
  ...figuresOf(measured),
  ...(parts.length > 0 && {
    parts: Object.fromEntries(parts.map(({ part, measured }) => [part, figuresOf(measured)])),
  }),
  cpu: { sync_ms: cost.sync, refit_ms: cost.refit },
});

/** The figures of all traces and of each part, and the cost of the forecasts. */
interface Summary extends Figures {
  parts?: Record<string, Figures>;
  cpu: { sync_ms: number; refit_ms: number };
}

function figuresOf(measured: Measured[]): Figures {
  const figure = (value: (trace: Measured) => number): Figure => ({
    geomean: geometricMean(measured.map(value)),
    per_trace: perTrace(value),
  });
  const perTrace = (value: (trace: Measured) => number): Record<string, number> =>
    Object.fromEntries(
      measured.map(trace => [trace.name, value(trace)] as const).filter(([, number]) => Number.isFinite(number)),
    );
  const error = (step: (typeof judgedSteps)[number]): Figure =>
    figure(({ accuracy }) => accuracy.errors[judgedSteps.indexOf(step)] ?? NaN);
  const coverages = measured.map(({ accuracy }) => accuracy.coverage);
  return {
    mase: { h1: error(1), h3: error(3), h6: error(6), h12: error(12) },
    pinball: {
      q90: figure(({ accuracy }) => accuracy.pinball.q90),
      q95: figure(({ accuracy }) => accuracy.pinball.q95),
    },
    coverage: {
      min: Math.min(...coverages),
      max: Math.max(...coverages),
      per_trace: perTrace(({ accuracy }) => accuracy.coverage),
      hours_off: perTrace(({ accuracy }) => accuracy.hoursOff),
    },
    unserved: { u90: figure(({ gains }) => gains.u90.unserved), u80: figure(({ gains }) => gains.u80.unserved) },
    assisted: { u90: figure(({ gains }) => gains.u90.assisted), u80: figure(({ gains }) => gains.u80.assisted) },
    replica_hours: {
      u90: figure(({ gains }) => gains.u90.replicaHours),
      u80: figure(({ gains }) => gains.u80.replicaHours),
    },
    points: { u90: perTrace(({ gains }) => gains.u90.points), u80: perTrace(({ gains }) => gains.u80.points) },
    worst: { u90: worstOf(measured, "u90").gains.u90.unserved, u80: worstOf(measured, "u80").gains.u80.unserved },
  };
}

/** The trace that loses most, relative to HPA with a target utilization. */
function worstOf(measured: Measured[], utilization: "u90" | "u80"): Measured {
  const [first, ...others] = measured;
  if (!first) throw new Error("there is no trace");
  const unserved = ({ gains }: Measured): number => gains[utilization].unserved;
  return others.reduce((worst, trace) => (unserved(trace) > unserved(worst) ? trace : worst), first);
}

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
    ["unserved\nu=0.9", ({ gains }) => gains.u90.unserved],
    ["\nu=0.8", ({ gains }) => gains.u80.unserved],
    ["Assist\nu=0.9", ({ gains }) => gains.u90.assisted],
    ["\nu=0.8", ({ gains }) => gains.u80.assisted],
    ["hours\nu=0.9", ({ gains }) => gains.u90.replicaHours],
    ["\nu=0.8", ({ gains }) => gains.u80.replicaHours],
  ];
  const table = new Table({
    head: ["", ...columns.map(([title]) => title)],
    colAligns: ["left", ...columns.map(() => "right" as const)],
    style: { head: [], border: [], compact: true },
  });
  const third = parts.find(({ part }) => part === "third")?.measured ?? [];
  for (const trace of [...measured, ...third])
    table.push([trace.name, ...columns.map(([, value]) => value(trace).toFixed(3))]);
  const means = (title: string, traces: Measured[]): string[] => [
    title,
    ...columns.map(([, value]) => geometricMean(traces.map(value)).toFixed(3)),
  ];
  if (measured.length > 1) table.push(means("geometric mean", measured));
  for (const part of parts) table.push(means(`of the ${partTitles[part.part]}`, part.measured));
  const worst = (["u90", "u80"] as const).map(utilization => {
    const { name, gains } = worstOf(measured, utilization);
    const { unserved, points } = gains[utilization];
    const u = utilization === "u90" ? "0.9" : "0.8";
    return `  u=${u} ${name} ${unserved.toFixed(3)}, ${signed(points)} percentage points of the load`;
  });
  const ms = (value: number): string => `${value.toFixed(value < 1 ? 2 : 1)} ms`;
  return [
    "",
    table.toString(),
    "Errors are in units of the mean change between two slots. Unserved load and replica-hours are relative to HPA.",
    "Assist: the unserved load of an HPA with mode Assist, relative to the HPA alone.",
    "Means exclude NaN: errors are NaN for a load that never changes, hours where the forecast loses more than HPA",
    "at any cost.",
    `Hours of the day with a coverage more than three standard errors from 0.90: ${hoursText(measured)}`,
    "Worst trace by unserved load:",
    ...worst,
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
