import { Draw } from "./draw";

/** A fault or a change from `from` to `to` (seconds since the start). */
export interface Episode {
  kind: string;
  from: number;
  to: number;
  /** The namespace that it is limited to; absent for the whole cluster. */
  namespace?: string;
  /** The app or MLScaler that it is about. */
  app?: string;
  /** The requests that it strikes; see `scopes`. */
  scope?: Scope;
  /** The metrics API that it is about. */
  api?: MetricsApi;
  /** The process: its place among the watchers. */
  process?: number;
  /** Milliseconds for clocks, else seconds, or a part of pods from 0 to 1. */
  amount?: number;
  /** Whether it strikes every request of its scope. Else a small amount limits their number. */
  every?: boolean;
}

export type MetricsApi = "resource" | "custom" | "external";

const requestKinds = [
  ...["api 403", "api 404", "api 409", "api 410", "api 422", "api 429", "api 500", "api 503"],
  ...["api slow", "api hang", "api reset", "api lose"],
] as const;
/** Syncs are slower than the renewals that fail, so that the Lease is lost in the middle of them. */
const leaseLost = "api Lease lost";
/** Others that scale the target of an MLScaler. */
const autoscalerKinds = ["second MLScaler", "second MLScaler stays", "HPA"] as const;
const objectKinds = [
  ...["MLScaler deleted", "MLScaler re-created", "target re-created", "spec changed"],
  ...["scaled by hand", "rollout"],
] as const;
const podKinds = ["pods crash", "node lost", "pods slow", "pods Pending"] as const;
const watchKinds = ["watches cut", "watches end", "watches expired", "watches dead", "watches late"] as const;
const processKinds = ["killed", "killed in a write", "terminated", "cut off", "clock", "clock stays"] as const;
/** How the metrics APIs lie. */
const lies = [
  ...["partial", "busy missing", "stale", "stale in part", "late", "NaN", "HTML", "huge", "negative", "negative huge"],
  ...["yesterday", "future", "garbage in part", "large"],
] as const;
const silences = ["silent", "403", "404", "429", "500"] as const;
const metricsKinds = [...lies, ...silences].map(how => `metrics ${how}` as const);
const prometheusKinds = [
  ...["down", "silent", "slow", "empty", "NaN", "HTML", "huge", "negative", "yesterday", "several", "500"],
].map(how => `Prometheus ${how}`);
/** A spec that changes while its sync reads the scale. */
export const changedInSync = "spec changed in a sync";
/** The clock of Prometheus is wrong. */
export const prometheusClock = "Prometheus clock";
/** How Prometheus fails besides: it says that it answers with a part only, or answers with more than a module reads. */
const prometheusExcesses = ["Prometheus partial", "Prometheus large"] as const;
/** A user scales a target to 0, and back at the end. */
export const scaledToZero = "scaled to 0 by hand";
/** An MLScaler that is there again under the same name as soon as it is gone, as with `kubectl replace --force`. */
export const replacedAtOnce = "MLScaler replaced";
const tenantKinds = ["tenant hangs", "tenant slow", "tenant queries", "tenant objects", "tenant selector"] as const;
/** A tenant that is greedy for CPU: its MLScalers, and the metrics of each. Each metric is a step of a sync. */
export const [greedyObjects, greedyMetrics] = [32, 4];

/** The requests of a fault. The namespace is put in for NAMESPACE. */
export const scopes = {
  scale: "/scale$",
  "scale writes": "^PUT .*/scale$",
  status: "mlscalers/[^/]+/status",
  MLScalers: "/mlscalers",
  "MLScalers listed": "^GET /apis/[^?]*/mlscalers(?!.*watch=)",
  states: "configmaps/mlscaler-state",
  "states read": "^GET .*configmaps/mlscaler-",
  "days read": "^GET .*configmaps/mlscaler-history-",
  "ConfigMap created": "^POST .*/configmaps$",
  ConfigMaps: "/configmaps",
  pods: "/pods(\\?|$)",
  Leases: "/leases",
  Events: "/events",
  HPAs: "/horizontalpodautoscalers",
  autoscalers: "/(horizontalpodautoscalers|scaledobjects)/",
  buffers: "/capacitybuffers/",
  minimums: "^PATCH .*/(horizontalpodautoscalers|scaledobjects)/",
  Secret: "/secrets",
  "external metrics": "^GET /apis/external.*/namespaces/NAMESPACE/",
  everything: ".",
  writes: "^(PUT|PATCH|POST|DELETE) ",
  namespace: "/namespaces/NAMESPACE/",
  "a sync": "^(?!.*(/leases|/peprstores|watch=))",
} as const;

export type Scope = keyof typeof scopes;

const scopesOf: Record<string, readonly Scope[]> = {
  "api 403": [
    "scale",
    "scale writes",
    "status",
    "states",
    "states read",
    "ConfigMaps",
    "pods",
    "Events",
    "HPAs",
    "Secret",
  ],
  "api 404": ["scale"],
  "api 409": ["scale writes", "status", "Leases"],
  "api 410": ["pods", "MLScalers"],
  "api 422": ["scale writes", "status"],
};
const anyScope: readonly Scope[] = [
  ...["scale", "scale writes", "status", "MLScalers", "states", "states read", "ConfigMaps", "pods"],
  ...["Leases", "Events", "HPAs", "Secret", "everything", "writes", "namespace"],
] as Scope[];

/** Offsets of clocks in milliseconds. */
const offsets = [-3600e3, -3600e3, -600e3, -90e3, -25e3, -25e3, 25e3, 90e3, 600e3, 3600e3, 3600e3, 28 * 86400e3];

/** The time of the start of the watchers, in seconds. */
export const startSeconds = 30;

/** The finalizer of another controller, which some MLScalers have. */
export const otherFinalizer = "example.org/other";

/** The name of a second MLScaler on the target of an MLScaler. */
export const secondOf = (name: string): string => `${name}-second`;

/** The parts of a scenario that the episodes depend on. */
interface Stage {
  namespaces: string[];
  scalers: { name: string }[];
  values: { api: string }[];
  /** All faults have ended after this time. */
  faultSeconds: number;
  /** Whether it is a small cluster: without tenants that have many objects, and with more changes of its own. */
  isSmall?: boolean;
}

/** Every kind comes about equally often: the list is gone through in a random order from seed to seed. */
export function episodesOf(stage: Stage, fromSeconds: number, draw: Draw): Episode[] {
  const count = draw.whole(8, 18);
  const hasPrometheus = stage.values.some(({ api }) => api === "prometheus");
  const groups: (readonly string[])[] = [
    ...[requestKinds, requestKinds, requestKinds, objectKinds, podKinds, watchKinds, processKinds, processKinds],
    ...[metricsKinds, metricsKinds, metricsKinds, tenantKinds, ["API server away", "CRD missing"]],
    ...(hasPrometheus ? [prometheusKinds] : []),
    ...(stage.isSmall ? [objectKinds, objectKinds, processKinds] : []),
  ];
  const hidden = stage.isSmall ? unseen(stage, fromSeconds, draw.of("unseen")) : [];
  const drawn = Array.from({ length: count }, (_, index) => {
    const one = draw.of(index);
    const group = one.pick(groups);
    return episodeOf(one.pick(stage.isSmall && group === tenantKinds ? metricsKinds : group), stage, fromSeconds, one);
  });
  const episodes = [...drawn.filter(episode => !disturbs(episode, hidden)), ...hidden];
  const lost = draw.of(leaseLost);
  if (lost.chance(0.3) && hidden.length === 0) {
    const from = Math.round(1000 * lost.between(fromSeconds, stage.faultSeconds - 40)) / 1000;
    episodes.push({ kind: leaseLost, from, to: from + lost.whole(20, 40), scope: "Leases" });
  }
  const wrong = draw.of(prometheusClock);
  if (hasPrometheus && wrong.chance(0.3)) {
    const from = Math.round(1000 * wrong.between(fromSeconds, stage.faultSeconds - 40)) / 1000;
    const to = Math.min(stage.faultSeconds, from + wrong.pick([20, 60, 180]));
    episodes.push({ kind: prometheusClock, from, to, amount: wrong.pick(offsets) });
  }
  if (stage.isSmall)
    episodes.push(
      ...calmChanges(stage, fromSeconds, draw.of("calm")),
      ...unseen(stage, fromSeconds, draw.of("unseen")),
    );
  for (const kind of autoscalerKinds) {
    const other = draw.of(kind);
    if (other.chance(0.2) && hidden.length === 0) episodes.push(autoscalerEpisode(kind, stage, fromSeconds, other));
  }
  return episodes.sort((one, other) => one.from - other.from);
}

/** How long after the last fault users change something, in seconds. */
const lateSeconds = 70;
const lateKinds = ["spec changed", "scaled by hand", "rollout", "MLScaler deleted", "MLScaler re-created"];

/** Changes after all faults: a process that has not come back from one misses them. */
export function lateChanges({ faultSeconds, scalers }: Stage, draw: Draw): Episode[] {
  const first = draw.whole(0, scalers.length - 1);
  return [0, 1, 2].map((index): Episode => {
    const one = draw.of(index);
    const from = faultSeconds + lateSeconds + 10 * index;
    const app = scalers[(first + index) % scalers.length]?.name ?? "";
    return { kind: one.pick(lateKinds), from, to: from + 20, app, amount: one.fraction() };
  });
}

/** A Prometheus that answers with too little or too much, and a target that a user stops for a while. */
export function rareEpisodes({ faultSeconds, scalers, values }: Stage, draw: Draw): Episode[] {
  const timed = (one: Draw, lasts: number): Pick<Episode, "from" | "to"> => {
    const from = Math.round(1000 * one.between(60, faultSeconds - 10)) / 1000;
    return { from, to: Math.min(faultSeconds, from + lasts) };
  };
  const excess = draw.of("Prometheus");
  const hasPrometheus = values.some(({ api }) => api === "prometheus");
  const excesses: Episode[] =
    hasPrometheus && excess.chance(0.5)
      ? [{ kind: excess.pick(prometheusExcesses), ...timed(excess, excess.pick([20, 60, 180])) }]
      : [];
  const stop = draw.of(scaledToZero);
  const stops: Episode[] = stop.chance(0.5)
    ? [{ kind: scaledToZero, ...timed(stop, stop.pick([20, 60])), app: stop.pick(scalers).name }]
    : [];
  return [...excesses, ...stops];
}

/** What users change before the first fault. */
const calmKinds = ["spec changed", changedInSync, "MLScaler deleted", "MLScaler re-created", "rollout"];
/** When the watchers act, in seconds. */
const actSeconds = 75;

/** Changes of different MLScalers before the first fault: all that follows has no other cause. */
function calmChanges({ scalers }: Stage, untilSeconds: number, draw: Draw): Episode[] {
  const first = draw.whole(0, scalers.length - 1);
  return scalers.slice(0, calmKinds.length).map((_scaler, index): Episode => {
    const one = draw.of(index);
    const from = Math.round(1000 * one.between(actSeconds, untilSeconds - 20)) / 1000;
    const app = scalers[(first + index) % scalers.length]?.name ?? "";
    return { kind: one.pick(calmKinds), from, to: from + 20, app, amount: one.fraction() };
  });
}

/** The length of dead watches that a process has to notice by itself, in seconds. */
const unseenSeconds = 230;

/** Changes that only a process sees that notices its dead watches. */
function unseen({ faultSeconds, scalers }: Stage, fromSeconds: number, draw: Draw): Episode[] {
  const latest = faultSeconds - unseenSeconds;
  if (latest <= fromSeconds || !draw.chance(0.5)) return [];
  const from = Math.round(1000 * draw.between(fromSeconds, latest)) / 1000;
  const changed = Array.from({ length: 3 }, (_, index): Episode => {
    const one = draw.of(index);
    const at = from + 5 + index;
    return { kind: "spec changed", from: at, to: at + 1, app: one.pick(scalers).name, amount: one.fraction() };
  });
  return [{ kind: "watches dead", from, to: from + unseenSeconds, amount: 3 }, ...changed];
}

/** Whether an episode could make a process look at the cluster again while its watches are dead. */
const disturbs = ({ kind, from, to }: Episode, [dead]: Episode[]): boolean =>
  dead !== undefined &&
  from < dead.to &&
  to > dead.from - 60 &&
  !/^(metrics|Prometheus|pods|node|rollout|scaled)/.test(kind);

/** An HPA may be there before the watchers. */
function autoscalerEpisode(kind: string, { faultSeconds, scalers }: Stage, fromSeconds: number, draw: Draw): Episode {
  const isFirst = kind === "HPA" && draw.chance(0.5);
  const from = isFirst ? startSeconds : Math.round(1000 * draw.between(fromSeconds, faultSeconds - 60)) / 1000;
  const to = Math.min(faultSeconds, from + draw.pick([45, 90, 180]));
  return { kind, from, to, app: draw.pick(scalers).name };
}

function episodeOf(
  kind: string,
  { faultSeconds, namespaces, scalers }: Stage,
  fromSeconds: number,
  draw: Draw,
): Episode {
  const from = Math.round(1000 * draw.between(fromSeconds, faultSeconds - 10)) / 1000;
  const lasts = draw.pick([2, 8, 20, 45, 90, 180]) * draw.between(0.5, 1.5);
  const to = Math.round(1000 * Math.min(faultSeconds, from + lasts)) / 1000;
  const namespace = draw.pick(namespaces);
  const inNamespace = draw.chance(0.5) ? { namespace } : {};
  const app = draw.pick(scalers).name;
  const base = { kind, from, to };
  if (kind === "API server away" || kind === "CRD missing") return base;
  if (kind.startsWith("api ")) {
    const scope = draw.pick(scopesOf[kind] ?? anyScope);
    return { ...base, scope, namespace, amount: draw.pick([1, 3, 7, 12, 25]) };
  }
  if (kind.startsWith("metrics ")) {
    const amount = kind === "metrics late" ? draw.pick([40, 120, 270]) : draw.pick([0.2, 0.5, 0.8, 1]);
    return { ...base, ...inNamespace, api: draw.pick(["resource", "resource", "custom", "external"]), amount };
  }
  if (kind.startsWith("Prometheus ")) return { ...base, amount: draw.pick([1, 3, 7]) };
  if (kind.startsWith("tenant "))
    return { ...base, namespace, to: Math.min(faultSeconds, from + draw.pick([60, 200])) };
  if (kind.startsWith("watches ")) return { ...base, amount: draw.pick([3, 15, 40]) };
  if (kind.startsWith("clock")) return { ...base, process: draw.whole(0, 1), amount: draw.pick(offsets) };
  if ((processKinds as readonly string[]).includes(kind))
    return { ...base, process: draw.whole(0, 1), amount: draw.pick([0.5, 5, 20, 40]), scope: draw.pick(anyScope) };
  return { ...base, app, amount: draw.fraction() };
}
