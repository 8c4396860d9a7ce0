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

export interface Figures {
  mase: Record<`h${(typeof judgedSteps)[number]}`, Figure>;
  pinball: Record<"q90" | "q95", Figure>;
  coverage: { min: number; max: number; per_trace: Record<string, number> };
  unserved: Record<"u90" | "u80", Figure>;
  replica_hours: Record<"u90" | "u80", Figure>;
  worst: { u90: number };
  cpu: { sync_ms: number; refit_ms: number };
}

export function figuresOf(measured: Measured[], cost: Cost): Figures {
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
    },
    unserved: { u90: figure(({ gains }) => gains.u90.unserved), u80: figure(({ gains }) => gains.u80.unserved) },
    replica_hours: {
      u90: figure(({ gains }) => gains.u90.replicaHours),
      u80: figure(({ gains }) => gains.u80.replicaHours),
    },
    worst: { u90: Math.max(...measured.map(({ gains }) => gains.u90.unserved)) },
    cpu: { sync_ms: cost.sync, refit_ms: cost.refit },
  };
}

/** The figures as text: a line per trace, and the cost of the forecasts. */
export function tablesOf(measured: Measured[], cost: Cost): string {
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
    ["hours\nu=0.9", ({ gains }) => gains.u90.replicaHours],
    ["\nu=0.8", ({ gains }) => gains.u80.replicaHours],
  ];
  const table = new Table({
    head: ["", ...columns.map(([title]) => title)],
    colAligns: ["left", ...columns.map(() => "right" as const)],
    style: { head: [], border: [], compact: true },
  });
  for (const trace of measured) table.push([trace.name, ...columns.map(([, value]) => value(trace).toFixed(3))]);
  const means = columns.map(([, value]) => geometricMean(measured.map(value)).toFixed(3));
  if (measured.length > 1) table.push(["geometric mean", ...means]);
  const ms = (value: number): string => `${value.toFixed(value < 1 ? 2 : 1)} ms`;
  return [
    "",
    table.toString(),
    "Errors are in units of the mean change between two slots. Unserved load and replica-hours are relative to HPA.",
    "Means exclude NaN: errors are NaN for a load that never changes, hours where the forecast loses more than HPA",
    "at any cost.",
    `CPU: a sync ${ms(cost.sync)}; the refits of an hour ${ms(cost.refit)}, ` +
      `their longest pause ${ms(cost.pause)}, at most ${ms(cost.longestPause)}; ` +
      `four weeks of stored history ${ms(cost.replay)}, the longest pause ${ms(cost.replayPause)}`,
  ].join("\n");
}

/** The mean of the values that are numbers. */
function geometricMean(numbers: number[]): number {
  const known = numbers.filter(Number.isFinite);
  return Math.exp(known.reduce((sum, number) => sum + Math.log(number), 0) / known.length);
}
