import type { Scenario } from "../../capabilities/mlscaler/backtest/scenario";
import { replayed } from "../../cli/survey/replay";
import type { Gain } from "../../cli/survey/verdict";
import { madeUpLoads, type MadeUpLoad } from "../made-up-loads";
import { tracesIn } from "./forecast-traces";

/** Options of the command line. */
export interface VerdictsSettings {
  traces?: string;
  copies: number;
}

const step = 300_000;
const weekSlots = 2016;

/** Start-ups with which each recorded load is replayed, in seconds. */
const startUps = [180, 480];

/** Judges each load by its second week and by its third, and compares. Returns a table. */
export function measureVerdicts({ traces, copies }: VerdictsSettings, say: (text: string) => void): string {
  const loads = [...madeUpLoads(21, copies), ...(traces === undefined ? [] : recordedIn(traces))];
  const lines: string[] = [];
  const sum = { same: 0, known: 0, right: 0 };
  for (const { name, truth, startUpSeconds, loads: values } of loads) {
    // A shorter load has three shorter weeks.
    const week = Math.min(weekSlots, Math.floor(values.length / 3));
    const newest = values.slice(-3 * week);
    const [second, third] = [0, week].map(from => gainIn(newest.slice(from, from + 2 * week), startUpSeconds));
    if (!second || !third) continue;
    if (second.verdict === third.verdict) sum.same++;
    for (const { verdict } of truth === undefined ? [] : [second, third]) {
      sum.known++;
      if ((truth === "gains") === (verdict === "gains")) sum.right++;
    }
    lines.push(`| ${name}, ${startUpSeconds} s | ${truth ?? "–"} | ${told(second)} | ${told(third)} |`);
    say(lines.at(-1) ?? "");
  }
  return [
    "",
    "| load, start-up | truth | second week | third week |",
    "|---|---|---|---|",
    ...lines,
    "",
    `${sum.same} of ${lines.length} verdicts are the same in both weeks.`,
    `${sum.right} of ${sum.known} are right where the truth is known.`,
  ].join("\n");
}

const told = ({ verdict, confidence, unservedPercent, savedPercent }: Gain): string => {
  const [now, then, equal] = [unservedPercent.hpa, unservedPercent.mlscaler, unservedPercent.equalCost];
  const unserved = [now, then, equal].map(percent => percent.toFixed(2)).join(" / ");
  return `${verdict} (${confidence}): ${unserved} %, saved ${savedPercent.toFixed(0)} %`;
};

/** Judges the second half of a load. Ten pods serve the mean of the first. */
function gainIn(loads: number[], startUpSeconds: number): Gain {
  const from = Math.floor(loads.length / 2) - 1;
  const mean = loads.slice(0, from).reduce((sum, load) => sum + load, 0) / from;
  const scenario: Scenario = {
    capacity: mean / 10,
    utilization: 0.8,
    startUpSeconds,
    syncsPerStep: 5,
    bounds: { min: 1, max: 1000 },
    historySize: 5,
    forecast: { model: "auto", step, horizon: Math.ceil((startUpSeconds * 1000) / step) + 1, quantile: 0.9 },
    from,
  };
  return replayed({ startedAt: 0, step, loads, notes: [] }, scenario).gain;
}

/** Recorded loads by slots of five minutes. Minutes are averaged; a coarser step is taken for five minutes. */
const recordedIn = (folder: string): MadeUpLoad[] =>
  tracesIn(folder).flatMap(({ name, stepMilliseconds, values }) => {
    const width = Math.max(1, Math.round(step / stepMilliseconds));
    const loads = Array.from({ length: Math.floor(values.length / width) }, (_, slot) => {
      const part = values.slice(slot * width, (slot + 1) * width);
      return part.reduce((sum, value) => sum + value, 0) / part.length;
    });
    return startUps.map(startUpSeconds => ({ name, startUpSeconds, loads }));
  });
