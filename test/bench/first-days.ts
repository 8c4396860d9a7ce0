import { byForecast, byLoad } from "../../capabilities/mlscaler/backtest/autoscalers";
import { foreseen, perfectlyForeseen } from "../../capabilities/mlscaler/backtest/foresight";
import type { Figures } from "../../capabilities/mlscaler/backtest/replay";
import type { Scenario } from "../../capabilities/mlscaler/backtest/scenario";
import { forecastSchema } from "../../capabilities/mlscaler/forecast/schema";
import { runSlices } from "../../capabilities/mlscaler/forecast/sliced";
import { scaled, scaledByForecast } from "../../cli/simulate/comparison";
import { daysIn } from "../../cli/survey/replay";
import type { Day } from "../../cli/survey/verdict";
import type { Trace } from "../../sandbox/trace";
import { mean } from "./forecast-accuracy";
import { frontier, unservedAt, type Result } from "./forecast-loop";
import { geometricMean } from "./forecast-figures";
import { chanceFrom, tracesIn } from "./forecast-traces";
import { table } from "./report";

/** Milliseconds. */
const slot = 300_000;
const day = 86_400_000;

/** The start-up of a replica, as in `bench -- forecast`, and the syncs: finer ones decide the same. */
const startUpSeconds = 300;
const syncSeconds = 60;
/** Percentage points that are added to both sides of a ratio: less is no difference. */
const negligible = 0.02;
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

/** Replays the engine with its defaults on each trace of a folder, and on two made-up rises. Returns tables. */
export function measureFirstDays(folder: string, say: (text: string) => void): string {
  const measured = tracesIn(folder).map(trace => {
    const found = utilizations.map(utilization => outcomesOf(inSlots(trace), utilization));
    say(`${trace.name}: ${found.map(of => spans.map(span => told(of[span])).join(", ")).join(" | ")}`);
    return { name: trace.name, found };
  });
  const ratio = (span: Span, against: "hpa" | "equalCost", which: number): string => {
    const ratios = measured.map(({ name, found }) => {
      const { [against]: other = NaN, mlscaler = NaN } = found[which]?.[span] ?? {};
      return { name, ratio: (mlscaler + negligible) / (other + negligible), points: mlscaler - other };
    });
    const worst = ratios.reduce((one, other) => (other.ratio > one.ratio ? other : one));
    const all = geometricMean(ratios.map(one => one.ratio)).toFixed(2);
    return `${all} (${worst.ratio.toFixed(2)} ${worst.name}, ${worst.points.toFixed(2)} points)`;
  };
  const line = (title: string, of: (which: number) => string): string[] => [
    title,
    ...utilizations.map((_, which) => of(which)),
  ];
  const hours = (span: Span, which: number): string =>
    geometricMean(measured.map(({ found }) => found[which]?.[span].hours ?? NaN)).toFixed(2);
  return [
    "Unserved load over that of an HPA, 0.02 points added to both sides: geometric mean (worst load).",
    table(
      ["", ...utilizations.map(utilization => `u = ${utilization}`)],
      [
        line("day 1, the HPA with the same target", which => ratio("day 1", "hpa", which)),
        ...spans.map(span =>
          line(`${span}, an HPA with as many replica-hours`, which => ratio(span, "equalCost", which)),
        ),
        ...spans.map(span => line(`${span}, replica-hours of HPA's`, which => hours(span, which))),
      ],
    ),
    "",
    "Rises beyond twice the load, two weeks of history, u = 0.8: percent unserved.",
    table(["", "HPA", "MLScaler", "perfect forecast", "replica-hours of HPA's"], rises.map(riseLine)),
  ].join("\n");
}

const told = ({ mlscaler, hpa, equalCost, hours }: Outcome): string =>
  `${[mlscaler, hpa, equalCost].map(percent => percent.toFixed(2)).join("/")} ${hours.toFixed(2)}`;

/** The trace by slots of the controller. Minutes are averaged; a coarser step stays. */
function inSlots({ values, stepMilliseconds, ...trace }: Trace): Trace {
  const width = Math.max(1, Math.round(slot / stepMilliseconds));
  const means = Array.from({ length: Math.floor(values.length / width) }, (_, index) =>
    mean(values.slice(index * width, (index + 1) * width)),
  );
  return { ...trace, stepMilliseconds: width * stepMilliseconds, values: means };
}

function outcomesOf({ values, stepMilliseconds: step }: Trace, utilization: number): Outcomes {
  const slots = day / step;
  const capacity = mean(values) / 10;
  const first = judged(values.slice(0, 3 * slots), scenarioOf(step, capacity, utilization, 0));
  const history = Math.min(14 * slots, Math.floor(0.7 * values.length));
  const later = judged(values.slice(0, history + 7 * slots), scenarioOf(step, capacity, utilization, history - 1));
  const outcome = ({ hpa, mlscaler, others }: Judged, days: [from: number, to: number]): Outcome => {
    const result = (of: Day[]): Result => resultOf(of.slice(...days));
    const [own, reactive] = [result(mlscaler), result(hpa)];
    const equalCost = Math.min(100, unservedAt(frontier(others.map(result)), own.cost));
    return { mlscaler: own.unserved, hpa: reactive.unserved, equalCost, hours: own.cost / reactive.cost };
  };
  return {
    "day 1": outcome(first, [0, 1]),
    "day 2": outcome(first, [1, 2]),
    "day 3": outcome(first, [2, 3]),
    "14 days of history": outcome(later, [0, 7]),
  };
}

/** The replays of a load by day. */
interface Judged {
  hpa: Day[];
  mlscaler: Day[];
  /** The HPA at each utilization of the sweep. */
  others: Day[][];
}

function judged(loads: number[], scenario: Scenario): Judged {
  const days = (figures: Figures): Day[] => daysIn(figures, { loads, step: scenario.forecast.step }, scenario);
  const hpa = (as: Scenario): Day[] => days(scaled(loads, byLoad(loads, as), as));
  return {
    hpa: hpa(scenario),
    mlscaler: days(scaledByForecast(loads, runSlices(foreseen(loads, scenario)).highest, scenario)),
    others: sweep.map(utilization => hpa({ ...scenario, utilization })),
  };
}

/** A target with the defaults of the forecast block. */
function scenarioOf(step: number, capacity: number, utilization: number, from: number): Scenario {
  const { quantile_percent, max_extra_percent } = forecastSchema.parse({});
  const horizon = Math.ceil((startUpSeconds * 1000) / step) + 1;
  return {
    ...{ capacity, utilization, startUpSeconds, from, historySize: 5, bounds: { min: 1, max: 1000 } },
    syncsPerStep: Math.round(step / 1000 / syncSeconds),
    forecast: { model: "auto", step, horizon, quantile: quantile_percent / 100 },
    maxExtraPercent: max_extra_percent,
  };
}

function resultOf(days: Day[]): Result {
  const sum = (of: (one: Day) => number): number => days.reduce((all, one) => all + of(one), 0);
  return { cost: sum(({ replicas }) => replicas), unserved: (100 * sum(({ lost }) => lost)) / sum(({ load }) => load) };
}

/** Loads in cores whose rise is more than twofold, of 21 days, with noise of 3 %. */
const rises = [
  // Weekdays from 08:00 to 18:00, over half an hour each way.
  { name: "office hours, 1 → 8 cores", low: 1, high: 8, from: 8, to: 18, ramp: 0.5, days: 5 },
  { name: "batch, 0.4 → 6 cores", low: 0.4, high: 6, from: 2, to: 3, ramp: 0, days: 7 },
];

function riseLine({ name, low, high, from, to, ramp, days }: (typeof rises)[number]): string[] {
  const chance = chanceFrom(20_010_101);
  const slots = day / slot;
  const loads = Array.from({ length: 21 * slots }, (_, index) => {
    const hour = (24 * (index % slots)) / slots;
    const up = Math.floor(index / slots) % 7 < days;
    const share = Math.min(1, Math.max(0, (hour - from) / ramp), Math.max(0, (to - hour) / ramp));
    const risen = ramp > 0 ? share : Number(hour >= from && hour < to);
    return (low + (up ? risen : 0) * (high - low)) * (1 + 0.03 * chance.normal());
  });
  const scenario = { ...scenarioOf(slot, 0.5, 0.8, 14 * slots - 1), bounds: { min: 1, max: 100 } };
  const hpa = scaled(loads, byLoad(loads, scenario), scenario);
  const own = scaledByForecast(loads, runSlices(foreseen(loads, scenario)).highest, scenario);
  const perfect = scaled(loads, byForecast(loads, perfectlyForeseen(loads, scenario).highest, scenario), scenario);
  return [
    name,
    ...[hpa, own, perfect].map(({ unservedPercent }) => unservedPercent.toFixed(2)),
    (own.replicaHoursRatio / hpa.replicaHoursRatio).toFixed(2),
  ];
}
