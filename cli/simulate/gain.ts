/** What a policy did on one judged day. */
export interface Day {
  /** The sum of the replicas asked for over the syncs; where there are nodes, of the nodes. */
  cost: number;
  load: number;
  /** The load that was lost. */
  lost: number;
}

/** What needs no forecast: an HPA with a target utilization in percent, or a steady count. */
export const rivalKinds = ["target", "count"] as const;
type RivalKind = (typeof rivalKinds)[number];

/** A rival at several settings: a replay a setting, a day each. */
export interface Rival {
  kind: RivalKind;
  settings: { value: number; days: Day[] }[];
}

/** The replays of a workload that are compared. */
export interface Replays {
  /** The HPA with its own target. */
  hpa: Day[];
  mlscaler: Day[];
  /** What needs no forecast: the HPA with lower targets, and a steady count. */
  rivals: Rival[];
}

/** A rival between two of its settings, with what it costs and leaves unserved in percent. */
export interface Met {
  kind: RivalKind;
  value: number;
  cost: number;
  unserved: number;
}

/** What a workload would gain. Percent is of all load, or of the cost: replica-hours, with nodes node-hours. */
export interface Gain {
  unservedPercent: { hpa: number; mlscaler: number };
  /** The best rival at the cost of the MLScaler. */
  equalCost: Met;
  /** The cheapest rival that leaves as little unserved. */
  equalService: Met;
  /** The cost of the MLScaler over that of the HPA, in percent. */
  extraPercent: number;
  /** The cost that the MLScaler saves against `equalService`, in percent. */
  savedPercent: number;
  verdict: Verdict;
}

/**
 * - gains: nothing that needs no forecast does as well at the same cost.
 * - no gain: something that needs no forecast does as well, or the difference is too small to count.
 * - unsure: without one of the judged days the verdict is often another one, or the load is in doubt.
 */
export const verdicts = ["gains", "no gain", "unsure"] as const;
export type Verdict = (typeof verdicts)[number];

/** A verdict as the report and the text of `simulate` begin with it. */
export const headlines: Record<Verdict, string> = { gains: "Worth it", "no gain": "No gain", unsure: "Unsure" };

/** Unserved load in percent below which a difference does not count. */
export const negligible = 0.05;

/** The cost, in percent, that has to be saved at equal service, and the most unserved at equal cost. */
export const gainsFrom = { savedPercent: 8, ratio: 0.8 };

/** The share of the days that have to agree. */
const mostAgree = 0.7;

/** What a workload would gain, from its replays. */
export function gainOf(replays: Replays): Gain {
  const all = compared(replays);
  const days = replays.mlscaler.map((_, day) => day);
  const agreeing = days.filter(day => compared(without(replays, day)).verdict === all.verdict).length;
  return agreeing >= mostAgree * days.length ? all : { ...all, verdict: "unsure" };
}

function without({ hpa, mlscaler, rivals }: Replays, day: number): Replays {
  const rest = (days: Day[]): Day[] => days.filter((_, index) => index !== day);
  return {
    hpa: rest(hpa),
    mlscaler: rest(mlscaler),
    rivals: rivals.map(({ kind, settings }) => ({
      kind,
      settings: settings.map(({ value, days }) => ({ value, days: rest(days) })),
    })),
  };
}

function compared({ hpa, mlscaler, rivals }: Replays): Gain {
  const [now, then] = [pointOf(hpa), pointOf(mlscaler)];
  const curves = rivals.map(({ kind, settings }) =>
    envelope(settings.map(({ value, days }): Met => ({ kind, value, ...pointOf(days) }))),
  );
  const equalCost = least(
    curves.map(curve => atCost(curve, then.cost)),
    "unserved",
  );
  const equalService = least(
    curves.map(curve => atService(curve, then.unserved)),
    "cost",
  );
  const savedPercent = equalService.cost > 0 ? 100 * (1 - then.cost / equalService.cost) : 0;
  const ratio = counted(then.unserved) / counted(equalCost.unserved);
  return {
    unservedPercent: { hpa: now.unserved, mlscaler: then.unserved },
    equalCost,
    equalService,
    extraPercent: now.cost > 0 ? 100 * (then.cost / now.cost - 1) : 0,
    savedPercent,
    verdict: savedPercent >= gainsFrom.savedPercent && ratio <= gainsFrom.ratio ? "gains" : "no gain",
  };
}

/** The rival with the least of a figure. */
function least(rivals: (Met | undefined)[], figure: "cost" | "unserved"): Met {
  const known = rivals.filter(rival => rival !== undefined);
  return known.reduce((one, other) => (other[figure] < one[figure] ? other : one));
}

function pointOf(days: Day[]): { cost: number; unserved: number } {
  const sum = { cost: 0, load: 0, lost: 0 };
  for (const { cost, load, lost } of days) {
    sum.cost += cost;
    sum.load += load;
    sum.lost += lost;
  }
  return { cost: sum.cost, unserved: sum.load > 0 ? (100 * sum.lost) / sum.load : 0 };
}

/** The points that no cheaper one equals, by rising cost. */
function envelope(points: Met[]): Met[] {
  const kept: Met[] = [];
  for (const point of points.toSorted((one, other) => one.cost - other.cost || one.unserved - other.unserved))
    if (counted(point.unserved) < counted(kept.at(-1)?.unserved ?? Infinity)) kept.push(point);
  return kept;
}

/** Unserved load, at least `negligible`, because losses are compared by their ratio. */
const counted = (unserved: number): number => Math.max(unserved, negligible);

/** A curve at a cost; below its cheapest point, that point. */
function atCost(curve: Met[], cost: number): Met | undefined {
  const [before, after] = around(curve, point => point.cost >= cost);
  if (!before || !after) return before ?? after;
  return between(before, after, (cost - before.cost) / (after.cost - before.cost));
}

/** A curve where it leaves as little unserved, or its dearest point when it never does. */
function atService(curve: Met[], unserved: number): Met | undefined {
  const [before, after] = around(curve, point => counted(point.unserved) <= counted(unserved));
  if (!before || !after) return before ?? after;
  const [high, low, wanted] = [before.unserved, after.unserved, unserved].map(one => Math.log(counted(one)));
  return between(before, after, ((high ?? 0) - (wanted ?? 0)) / ((high ?? 0) - (low ?? 0)));
}

/** The first point that is reached, and the one before it. Either is undefined at an end of the curve. */
function around(curve: Met[], isReached: (point: Met) => boolean): [before?: Met, after?: Met] {
  const at = curve.findIndex(isReached);
  return at < 0 ? [curve.at(-1)] : [curve[at - 1], curve[at]];
}

/** A point between two. Unserved load falls by its ratio. */
function between(from: Met, to: Met, share: number): Met {
  const mean = (one: number, other: number): number => one + (other - one) * share;
  return {
    kind: from.kind,
    value: mean(from.value, to.value),
    cost: mean(from.cost, to.cost),
    unserved: Math.exp(mean(Math.log(counted(from.unserved)), Math.log(counted(to.unserved)))),
  };
}
