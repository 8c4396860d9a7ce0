/** What a policy did on one judged day. */
export interface Day {
  /** The sum of the replicas asked for, over the syncs. */
  replicas: number;
  load: number;
  /** The load that was lost. */
  lost: number;
}

/** One policy at several settings, from cheap to dear: a replay a setting, a day each. */
export type Curve = Day[][];

/** The replays of a workload that are compared. */
export interface Replays {
  /** The HPA with its own target. */
  hpa: Day[];
  mlscaler: Day[];
  /** What needs no forecast: the HPA with lower targets, and a steady count. */
  rivals: Curve[];
}

/** What a workload would gain. Percent is of all load, or of replica-hours. */
export interface Gain {
  unservedPercent: {
    hpa: number;
    mlscaler: number;
    /** The best rival, for the replica-hours of the MLScaler. */
    equalCost: number;
  };
  /** The replica-hours of the MLScaler over those of the HPA, in percent. */
  extraPercent: number;
  /** Replica-hours that the MLScaler saves against the cheapest rival that leaves as little unserved, in percent. */
  savedPercent: number;
  verdict: Verdict;
  confidence: Confidence;
}

/**
 * - gains: nothing that needs no forecast does as well for the same replica-hours.
 * - same: the difference is too small to count.
 * - no gain: something that needs no forecast serves as well for fewer replica-hours.
 */
export const verdicts = ["gains", "same", "no gain"] as const;
export type Verdict = (typeof verdicts)[number];

/** How sure a verdict is: by the days without any one of which it would be the same. */
export const confidences = ["high", "medium", "low"] as const;
export type Confidence = (typeof confidences)[number];

/** Unserved load in percent below which a difference does not count. */
const negligible = 0.05;

/** The replica-hours, in percent, that have to be saved at equal service, and the most unserved at equal cost. */
const gainsFrom = { savedPercent: 8, ratio: 0.8 };

/** The replica-hours, in percent, that something without a forecast has to save at equal service. */
const doNotFrom = 5;

/** The share of the days that have to agree. */
const mostAgree = 0.7;

/** What a workload would gain, from its replays. */
export function gainOf(replays: Replays): Gain {
  const all = compared(replays);
  const days = replays.mlscaler.map((_, day) => day);
  const others = days.map(day => compared(without(replays, day)).verdict);
  const agreeing = others.filter(verdict => verdict === all.verdict).length;
  const isSure = agreeing === days.length;
  return { ...all, confidence: isSure ? "high" : agreeing >= mostAgree * days.length ? "medium" : "low" };
}

function without({ hpa, mlscaler, rivals }: Replays, day: number): Replays {
  const rest = (days: Day[]): Day[] => days.filter((_, index) => index !== day);
  return { hpa: rest(hpa), mlscaler: rest(mlscaler), rivals: rivals.map(curve => curve.map(rest)) };
}

function compared({ hpa, mlscaler, rivals }: Replays): Omit<Gain, "confidence"> {
  const [now, then] = [pointOf(hpa), pointOf(mlscaler)];
  const curves = rivals.map(curve => envelope(curve.map(pointOf)));
  const equalCost = Math.min(...curves.map(curve => unservedAt(curve, then.cost)));
  const equalService = Math.min(...curves.map(curve => costAt(curve, then.unserved)));
  const savedPercent = equalService > 0 ? 100 * (1 - then.cost / equalService) : 0;
  const ratio = counted(then.unserved) / counted(equalCost);
  return {
    unservedPercent: { hpa: now.unserved, mlscaler: then.unserved, equalCost },
    extraPercent: now.cost > 0 ? 100 * (then.cost / now.cost - 1) : 0,
    savedPercent,
    verdict: verdictOf(savedPercent, ratio),
  };
}

function verdictOf(savedPercent: number, ratio: number): Verdict {
  if (savedPercent >= gainsFrom.savedPercent && ratio <= gainsFrom.ratio) return "gains";
  return savedPercent <= -doNotFrom ? "no gain" : "same";
}

/** The cost of a replay, and the percent of the load that it left unserved. */
interface Point {
  cost: number;
  unserved: number;
}

function pointOf(days: Day[]): Point {
  const sum = { cost: 0, load: 0, lost: 0 };
  for (const { replicas, load, lost } of days) {
    sum.cost += replicas;
    sum.load += load;
    sum.lost += lost;
  }
  return { cost: sum.cost, unserved: sum.load > 0 ? (100 * sum.lost) / sum.load : 0 };
}

/** The points that no cheaper one equals, by rising cost. */
function envelope(points: Point[]): Point[] {
  const kept: Point[] = [];
  for (const point of points.toSorted((one, other) => one.cost - other.cost || one.unserved - other.unserved))
    if (counted(point.unserved) < counted(kept.at(-1)?.unserved ?? Infinity)) kept.push(point);
  return kept;
}

/** Unserved load of which less does not count. Losses are compared by their ratio. */
const counted = (unserved: number): number => Math.max(unserved, negligible);

/** The unserved load of a curve for a cost; below its cheapest point, the least that it could be. */
function unservedAt(curve: Point[], cost: number): number {
  const [before, after] = around(curve, point => point.cost >= cost);
  if (!before || !after) return (before ?? after)?.unserved ?? 0;
  const share = (cost - before.cost) / (after.cost - before.cost);
  return Math.exp(between(Math.log(counted(before.unserved)), Math.log(counted(after.unserved)), share));
}

/** The cost at which a curve leaves as little unserved, or that of its dearest point when it never does. */
function costAt(curve: Point[], unserved: number): number {
  const [before, after] = around(curve, point => counted(point.unserved) <= counted(unserved));
  if (!before || !after) return (before ?? after)?.cost ?? 0;
  const [high, low, wanted] = [before.unserved, after.unserved, unserved].map(one => Math.log(counted(one)));
  return between(before.cost, after.cost, ((high ?? 0) - (wanted ?? 0)) / ((high ?? 0) - (low ?? 0)));
}

/** The first point that is reached, and the one before it. Either is undefined at an end of the curve. */
function around(curve: Point[], isReached: (point: Point) => boolean): [before?: Point, after?: Point] {
  const at = curve.findIndex(isReached);
  return at < 0 ? [curve.at(-1)] : [curve[at - 1], curve[at]];
}

const between = (from: number, to: number, share: number): number => from + (to - from) * share;
