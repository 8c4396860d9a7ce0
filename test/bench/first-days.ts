import { perfectlyForeseen } from "../../cli/simulate/foresight";
import type { Figures } from "../../capabilities/mlscaler/backtest/replay";
import type { Scenario } from "../../capabilities/mlscaler/backtest/scenario";
import { policyOf, scaled } from "../../cli/simulate/comparison";
import type { Day } from "../../cli/simulate/gain";
import { daysIn } from "../../cli/simulate/without-forecast";
import { fromEachStart } from "./processes";
import type { Trace } from "./trace";
import { mean } from "./forecast-accuracy";
import { frontier, shippedOn, ratioOf, type Result, scenarioOf, unservedAt } from "./forecast-loop";
import { geometricMean, meanOf, standardErrorOf, worstOf } from "./forecast-figures";
import { chanceFrom, tracesIn } from "./forecast-traces";
import { table } from "./report";

/** Milliseconds. */
const slot = 300_000;
const day = 86_400_000;

const utilizations = [0.9, 0.8] as const;
/** The utilizations of the HPAs that are compared at equal replica-hours. */
const sweep = Array.from({ length: 34 }, (_, index) => 0.1 + 0.035 * index);

/** The spans that are judged: the first days without history, and up to a week after as much as two weeks of it. */
const spans = ["day 1", "day 2", "day 3", "14 days of history"] as const;
type Span = (typeof spans)[number];

/** What the MLScaler leaves unserved in a span, in percent of the load, beside HPAs. */
interface Outcome {
  mlscaler: number;
  /** The HPA with the same target, and an HPA with as many replica-hours. */
  hpa: number;
  equalCost: number;
  /** The replica-hours over those of the HPA with the same target. */
  hours: number;
}

type Outcomes = Record<Span, Outcome>;

/**
 * Replays the engine with its defaults on each trace of a folder, from several starts, and on two made-up rises. Returns
 * tables.
 */
export async function measureFirstDays(folder: string, count: number, say: (text: string) => void): Promise<string> {
  const measured = await fromEachStart<Outcomes[]>(__filename, "firstDaysOf", tracesIn(folder), count, say);
  const ratio = (span: Span, against: "hpa" | "equalCost", which: number): string => {
    const ratios = measured.map(({ starts }) =>
      starts.map(found => {
        const { [against]: other = NaN, mlscaler = NaN } = found[which]?.[span] ?? {};
        return ratioOf(mlscaler, other);
      }),
    );
    const worst = worstOf(measured.map(({ name }, trace) => ({ name, ...meanOf(ratios[trace] ?? []) })));
    const numbers = ratios.map(ofTrace => ofTrace.map(one => one.ratio));
    const error = count > 1 ? ` ± ${standardErrorOf(numbers).toFixed(1)} %` : "";
    const all = geometricMean(numbers.flat()).toFixed(2);
    return `${all}${error} (${worst.ratio.toFixed(2)} ${worst.name}, ${worst.points.toFixed(2)} points)`;
  };
  const line = (title: string, of: (which: number) => string): string[] => [
    title,
    ...utilizations.map((_, which) => of(which)),
  ];
  const hours = (span: Span, which: number): string =>
    geometricMean(measured.flatMap(({ starts }) => starts.map(found => found[which]?.[span].hours ?? NaN))).toFixed(2);
  return [
    "Unserved load over that of an HPA, 0.02 points added to both sides: geometric mean (worst load).",
    "For the same money: the target of the HPA is lowered until it has as many replica-hours.",
    table(
      ["", ...utilizations.map(utilization => `u = ${utilization}`)],
      [
        line("day 1, the HPA with the same target", which => ratio("day 1", "hpa", which)),
        ...spans.map(span => line(`${span}, for the same money`, which => ratio(span, "equalCost", which))),
        ...spans.map(span => line(`${span}, replica-hours of HPA's`, which => hours(span, which))),
      ],
    ),
    "",
    "Rises beyond twice the load, 70 % of four weeks as history, u = 0.8: percent unserved.",
    table(["", "HPA", "MLScaler", "perfect forecast", "replica-hours of HPA's"], rises.map(riseLine)),
  ].join("\n");
}

/** By the utilizations. */
export const firstDaysOf = (trace: Trace): Outcomes[] => outcomesOf(inSlots(trace));

/** The trace by slots of the controller. Minutes are averaged; a coarser step stays. */
function inSlots({ values, stepMilliseconds, ...trace }: Trace): Trace {
  const width = Math.max(1, Math.round(slot / stepMilliseconds));
  const means = Array.from({ length: Math.floor(values.length / width) }, (_, index) =>
    mean(values.slice(index * width, (index + 1) * width)),
  );
  return { ...trace, stepMilliseconds: width * stepMilliseconds, values: means };
}

function outcomesOf({ values, stepMilliseconds: step }: Trace): Outcomes[] {
  const slots = day / step;
  const capacity = mean(values) / 10;
  const history = Math.min(14 * slots, Math.floor(0.7 * values.length));
  const first = judged(values.slice(0, 3 * slots), scenarioOf(step, capacity, 0));
  const later = judged(values.slice(0, history + 7 * slots), scenarioOf(step, capacity, history - 1));
  return utilizations.map((_, which) => {
    const outcome = ({ own, hpa, others }: Judged, from: number, to: number): Outcome => {
      const result = (days: Day[] = []): Result => resultOf(days.slice(from, to));
      const [ours, reactive] = [result(own[which]), result(hpa[which])];
      const equalCost = unservedAt(frontier(others.map(result)), ours.cost);
      return { mlscaler: ours.unserved, hpa: reactive.unserved, equalCost, hours: ours.cost / reactive.cost };
    };
    return {
      "day 1": outcome(first, 0, 1),
      "day 2": outcome(first, 1, 2),
      "day 3": outcome(first, 2, 3),
      "14 days of history": outcome(later, 0, 7),
    };
  });
}

/** The replays of a load by day: at each of `utilizations`, and of the HPA at each of the sweep. */
interface Judged {
  own: Day[][];
  hpa: Day[][];
  others: Day[][];
}

function judged(loads: number[], scenario: Scenario): Judged {
  const asShipped = shippedOn(loads, scenario);
  const days = (figures: Figures): Day[] => daysIn(figures, { loads, step: scenario.forecast.step }, scenario);
  const at = (utilization: number): Scenario => ({ ...scenario, utilization });
  const hpa = (utilization: number): Day[] => days(scaled(loads, {}, at(utilization)));
  return {
    own: utilizations.map(utilization => days(scaled(loads, asShipped, at(utilization)))),
    hpa: utilizations.map(hpa),
    others: sweep.map(hpa),
  };
}

function resultOf(days: Day[]): Result {
  const sum = (of: (one: Day) => number): number => days.reduce((all, one) => all + of(one), 0);
  return { cost: sum(({ cost }) => cost), unserved: (100 * sum(({ lost }) => lost)) / sum(({ load }) => load) };
}

/** Loads of 28 days in cores that rise more than twofold at once, with noise of 3 %, of pods that start in 8 minutes. */
const rises = [
  {
    ...{ name: "office hours, 1 → 8 cores", low: 1, high: 8 },
    isHigh: (_: number, hour: number) => hour >= 8 && hour < 18,
  },
  {
    ...{ name: "the same on weekdays", low: 1, high: 8 },
    isHigh: (dayOfWeek: number, hour: number) => dayOfWeek < 5 && hour >= 8 && hour < 18,
  },
  {
    ...{ name: "batch every six hours, 0.4 → 6 cores", low: 0.4, high: 6 },
    isHigh: (_: number, hour: number) => hour % 6 < 1,
  },
];

function riseLine({ name, low, high, isHigh }: (typeof rises)[number]): string[] {
  const chance = chanceFrom(20_010_101);
  const slots = day / slot;
  const loads = Array.from({ length: 28 * slots }, (_, index) => {
    const up = isHigh(Math.floor(index / slots) % 7, (24 * (index % slots)) / slots);
    return (up ? high : low) * (1 + 0.03 * chance.normal());
  });
  const scenario = { ...scenarioOf(slot, 0.1, Math.floor(0.7 * loads.length), 480), bounds: { min: 1, max: 200 } };
  const hpa = scaled(loads, {}, scenario);
  const own = scaled(loads, shippedOn(loads, scenario), scenario);
  const perfect = scaled(loads, policyOf(perfectlyForeseen(loads, scenario)), scenario);
  return [
    name,
    ...[hpa, own, perfect].map(({ unservedPercent }) => unservedPercent.toFixed(2)),
    (own.replicaHoursRatio / hpa.replicaHoursRatio).toFixed(2),
  ];
}
