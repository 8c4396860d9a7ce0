import type { Wake, ZeroFigures } from "../zero-figures";
import { replicasNeeded } from "../../../capabilities/mlscaler/backtest/replay";
import { Scenario } from "../../../capabilities/mlscaler/backtest/scenario";
import { coldStartsOf, zeroPolicies } from "../cold-starts";
import { Contender, contendersIn, PolicyComparison } from "../comparison";
import { Episode, Rival, rivals, Span, timeOf, tooFew, worstEpisodes } from "../episodes";
import type { NextStep } from "../next-step";
import { Judgement, Summary, ZeroSummary } from "../summary";
import { columnsOf, names, verdictOf, zeroColumns, zeroNames } from "../text";
import { durationText, minuteText } from "../time";
import { Trace } from "../trace";
import { TradeOff } from "../trade-off";
import { Card, cardsOf, grouped, wholePercent } from "./cards";
import { Setting, settingsOf } from "./settings";
import { words, zeroWords } from "./words";

/** What a report has beside the results of the simulation. */
export interface Origin {
  /** The command line. */
  command: string;
  /** The version of MLScaler. */
  version: string;
  /** The time of the simulation. */
  at: Date;
  /** The price of a replica-hour, in any currency. */
  price?: number;
  /** The time zone of the times in the report. */
  zone: string;
  nextStep?: NextStep;
}

/** The data of the page. Series have an entry for each judged slot; null where there is no value. Texts have times in `zone`. */
export interface Report {
  title: string;
  /** The judged time, the version and the date. */
  subtitle: string;
  command: string;
  zone: string;
  judgement?: Judgement;
  nextStep?: NextStep;
  cards: Card[];
  verdict: string[];
  notes: string[];
  episodes: EpisodeRow[];
  results: { headings: string[]; rows: string[][] };
  /** The cold starts of each policy; absent for a target that keeps a replica. */
  zero?: { headings: string[]; rows: string[][] };
  settings: Setting[];
  words: Record<string, string>;
  /** Text alternatives of the charts. */
  alternatives: { load: string; replicas: string };
  /** What the load is: the name of its column, where that says more than "load". */
  load: string;
  stepSeconds: number;
  /** Epoch seconds at which slots begin. */
  times: number[];
  loads: Points;
  forecasts: Points;
  uppers: Points;
  /** The fewest replicas that can serve the load. */
  needed: Points;
  ready: Ready[];
  tradeOff: TradeOff;
}

type Points = (number | null)[];

/** The ready replicas of a policy. */
export interface Ready {
  contender: Contender;
  name: string;
  /** Epoch seconds and the replicas that are ready from then on. */
  changes: [at: number, count: number][];
  /** The times with too few. */
  tooFew: Span[];
  /** The wakes from 0 replicas, in epoch seconds; absent for a target that keeps a replica. */
  wakes?: { at: number; kind: Wake["kind"] }[];
}

/** One of the worst episodes: its time in epoch seconds, and the shortage of the HPA and of the MLScaler in words. */
export interface EpisodeRow {
  from: number;
  to: number;
  name: string;
  shortages: Record<Rival, string>;
}

/** The number of episodes that the report names. */
const named = 3;

/** The data of the page of a simulation. */
export function reportDataOf(
  summary: Summary,
  trace: Trace,
  scenario: Scenario,
  comparison: PolicyComparison,
  tradeOff: TradeOff,
  origin: Origin,
): Report {
  const { capacity, from, zero } = scenario;
  const { zone } = origin;
  const { standings } = comparison;
  const loads = trace.loads.slice(from + 1);
  const { foresight } = standings.mlscaler;
  const needed = loads.map(load => (Number.isNaN(load) ? null : replicasNeeded(load, capacity, zero?.threshold)));
  const worst = worstEpisodes(trace, scenario, comparison, named);
  const zeroFigures = coldStartsOf(trace, scenario, comparison);
  const byContender: Partial<Record<Contender, ZeroFigures>> = zeroFigures
    ? { hpa: zeroFigures.cool_down, mlscaler: zeroFigures.mlscaler, perfect: zeroFigures.perfect }
    : {};
  const wakesOf = (contender: Contender): Pick<Ready, "wakes"> => {
    const wakes = byContender[contender]?.wakes.map(({ sync, kind }) => ({ at: timeOf(sync, trace, scenario), kind }));
    return wakes ? { wakes } : {};
  };
  const ready = contendersIn(standings).map(([contender, { ready: counts }]) => ({
    contender,
    name: names[contender],
    changes: changesOf(counts).map(([sync, count]): [number, number] => [timeOf(sync, trace, scenario), count]),
    tooFew: tooFew(counts, trace, scenario),
    ...wakesOf(contender),
  }));
  const policies = contendersIn(summary.policies);
  const { judged_from, judged_to } = summary.trace;
  return {
    title: `${summary.trace.name}: MLScaler and HPA on the same load`,
    subtitle:
      `${minuteText(judged_from, zone)} to ${minuteText(judged_to, zone)} ${zone}, simulated by mlscaler ` +
      `${origin.version} on ${minuteText(origin.at.toISOString(), zone)} ${zone}`,
    command: origin.command,
    zone,
    judgement: summary.judgement,
    nextStep: origin.nextStep,
    cards: cardsOf(summary, worst[0], origin.price),
    verdict: verdictOf(summary),
    notes: summary.notes,
    episodes: worst.map(episode => rowOf(episode, trace, zone)),
    results: {
      headings: policies.map(([contender]) => names[contender]),
      rows: columnsOf(summary).map(({ heading, of }) => [heading, ...policies.map(([, policy]) => of(policy))]),
    },
    ...(summary.zero && { zero: zeroTableOf(summary.zero) }),
    settings: settingsOf(summary, origin.price),
    words: summary.zero ? { ...words, ...zeroWords } : words,
    alternatives: {
      load: loadAlternative(loads, summary),
      replicas: rivals
        .map(rival =>
          shortageText(
            names[rival],
            ready.find(one => one.contender === rival),
          ),
        )
        .join(" "),
    },
    load:
      trace.column === undefined || /^(load|value)$/i.test(trace.column) ? "in the unit of the trace" : trace.column,
    stepSeconds: trace.step / 1000,
    times: loads.map((_, slot) => (trace.startedAt + (from + 1 + slot) * trace.step) / 1000),
    loads: loads.map(point),
    forecasts: (foresight?.loads ?? []).slice(from + 1).map(point),
    uppers: (foresight?.uppers ?? []).slice(from + 1).map(point),
    needed,
    ready,
    tradeOff,
  };
}

function zeroTableOf(zero: ZeroSummary): Report["zero"] {
  const named = zeroNames(zero);
  return {
    headings: zeroPolicies.map(policy => named[policy]),
    rows: zeroColumns.map(({ heading, of }) => [heading, ...zeroPolicies.map(policy => of(zero.policies[policy]))]),
  };
}

/** The first entry, and each that differs from the one before, with its place. */
const changesOf = (counts: number[]): [at: number, count: number][] =>
  counts.flatMap((count, at) => (at === 0 || count !== counts[at - 1] ? [[at, count] as [number, number]] : []));

function rowOf({ from, to, shortages }: Episode, { startedAt, step }: Trace, zone: string): EpisodeRow {
  const text = (rival: Rival): string => {
    const { seconds, missing, unservedPercent } = shortages[rival];
    if (seconds === 0) return "enough all the time";
    return `${durationText(seconds)} too few, up to ${missing} missing, ${wholePercent(unservedPercent)} unserved`;
  };
  const start = startedAt + from * step;
  return {
    from: start / 1000,
    to: (startedAt + to * step) / 1000,
    name: `${minuteText(new Date(start).toISOString(), zone)}, ${durationText(((to - from) * step) / 1000)}`,
    shortages: { hpa: text("hpa"), mlscaler: text("mlscaler") },
  };
}

function loadAlternative(loads: number[], { policies: { mlscaler } }: Summary): string {
  const known = loads.filter(load => !Number.isNaN(load));
  const [least, most] = known.reduce(([low, high], load) => [Math.min(low, load), Math.max(high, load)], [
    Infinity,
    -Infinity,
  ] as [number, number]);
  const mean = known.reduce((sum, load) => sum + load, 0) / known.length;
  const [low, high, average] = [least, most, mean].map(value => grouped(Number(value.toPrecision(3))));
  const covered = mlscaler.coverage_percent;
  return (
    `The load is between ${low} and ${high}, on average ${average}.` +
    (covered === undefined ? "" : ` ${covered.toFixed(0)} % of it is at or under the upper quantile of its forecast.`)
  );
}

function shortageText(name: string, ready: Ready | undefined): string {
  const spans = ready?.tooFew ?? [];
  if (spans.length === 0) return `${name} always has enough replicas.`;
  const seconds = spans.reduce((sum, [from, to]) => sum + to - from, 0);
  const times = spans.length === 1 ? "once" : `${spans.length} times`;
  return `${name} has too few replicas ${times}, ${durationText(seconds)} in all.`;
}

/** Rounds to five digits, the resolution of the chart. */
const point = (load: number | undefined): number | null =>
  load === undefined || Number.isNaN(load) ? null : Number(load.toPrecision(5));
