import { waysToSet } from "../autoscalers";
import { Fields } from "../objects";
import { Draw } from "./draw";
import type { Episode, Scope } from "./episodes";
import type { App, Autoscaler, Scenario, Wave } from "./scenario";

/** What people do to an assisted autoscaler, and to the MLScaler that assists it. */
export const assistKinds = [
  ...["minimum set", "minimum set", "HPA deleted", "HPA taken over", "HPA away", "second HPA"],
  ...["spec paused", "spec observed", "spec without forecast"],
] as const;

/** What they do that puts a minimum back. */
const puttingBack = [
  "spec paused",
  "spec observed",
  "spec without forecast",
  "minimum set",
  "HPA away",
  "MLScaler deleted",
];

/** Adds an app that an HPA or a ScaledObject scales, and an MLScaler that assists it. Its load rises during the run. */
export function addAssisted(scenario: Scenario, index: number, draw: Draw): void {
  const namespace = draw.pick(scenario.namespaces);
  const name = `${namespace}-${index}`;
  const isKeda = draw.chance(0.4);
  const perReplica = isKeda ? 30 : 0.3;
  const wave: Wave = {
    ...{ mean: draw.between(4, 8) * perReplica, swing: draw.pick([0.4, 0.6]), periodSeconds: draw.pick([5400, 7200]) },
    ...{ phase: draw.between(0.5, 0.75), noise: draw.pick([0, 0.01]) },
  };
  const app: App = {
    ...{ namespace, name, kind: "Deployment", replicas: draw.whole(2, 6), skew: 1 },
    ...{ startUpSeconds: draw.pick([5, 20]), loads: isKeda ? {} : { cpu: wave } },
  };
  const queue = `queue-${name}`;
  if (isKeda) scenario.values.push({ api: "external", namespace, name: queue, wave });
  const target = { type: "AverageValue", averageValue: isKeda ? "30" : "300m" };
  const metric: Fields = isKeda
    ? { type: "External", external: { metric: { name: queue }, target } }
    : { type: "Resource", resource: { name: "cpu", target } };
  const autoscaler: Autoscaler = {
    ...{ kind: isKeda ? "ScaledObject" : "HorizontalPodAutoscaler", namespace, name, metric, wave, perReplica },
    ...{ minimum: isKeda ? draw.whole(0, 3) : draw.whole(1, 3), maximum: draw.pick([8, 12, 20]) },
  };
  const spec: Fields = {
    ...{ target_deployment: name, mode: "Assist", sync_period_seconds: draw.pick([5, 10, 15]) },
    ...(draw.chance(0.3) && { metrics: [metric] }),
    ...(draw.chance(0.3) && { max_replicas: draw.pick([8, 12]) }),
    ...(draw.chance(0.2) && { pause: draw.pick(["All", "Down", "Up"]) }),
    ...(draw.chance(0.3) && { behavior: { scaleDown: { stabilizationWindowSeconds: draw.pick([0, 60]) } } }),
    forecast: {
      ...{ model: draw.pick(["holt", "holt_winters"]), horizon_seconds: draw.pick([600, 900]) },
      ...(draw.chance(0.5) && { max_extra_percent: draw.pick([20, 50, 100]) }),
    },
  };
  scenario.apps.push(app);
  scenario.scalers.push({ namespace, name, spec });
  scenario.histories.push({ name, wave, days: 3, isExact: isKeda, metrics: [metric] });
  (scenario.autoscalers ??= []).push(autoscaler);
}

/** The requests of faults that strike autoscalers, and the faults. */
const struck: readonly Scope[] = ["minimums", "minimums", "autoscalers", "HPAs"];
const faults = [
  ...["api 403", "api 409", "api 429", "api 500", "api slow", "api hang", "api reset", "api lose"],
  ...["killed in a write", "killed in a write", "killed"],
];

/** What befalls assisted autoscalers, from a time on (s); after the last fault people still change them. */
export function assistEpisodes({ autoscalers = [], faultSeconds }: Scenario, from: number, draw: Draw): Episode[] {
  const timed = (one: Draw, lasts: number): Pick<Episode, "from" | "to"> => {
    const begins = Math.round(1000 * one.between(from, faultSeconds - 20)) / 1000;
    return { from: begins, to: Math.min(faultSeconds, begins + lasts) };
  };
  const changes = Array.from({ length: draw.whole(8, 14) }, (_, index): Episode => {
    const one = draw.of(`change ${index}`);
    const kind = one.pick(assistKinds);
    const app = one.pick(autoscalers).name;
    return { kind, ...timed(one, one.pick([20, 60, 90])), app, amount: one.fraction() };
  });
  const failures = Array.from({ length: draw.whole(2, 6) }, (_, index): Episode => {
    const one = draw.of(`fault ${index}`);
    const how = { scope: one.pick(struck), amount: one.pick([1, 3, 12]), process: one.whole(0, 1) };
    return { kind: one.pick(faults), ...timed(one, one.pick([5, 20, 60])), ...how };
  });
  const late = autoscalers.map(({ name: app }, index): Episode => {
    const one = draw.of(`late ${index}`);
    const begins = faultSeconds + 120 + 60 * index;
    return { kind: one.pick(puttingBack), from: begins, to: begins + 60, app, amount: one.fraction() };
  });
  return [...changes, ...failures, ...late];
}

/** How a person sets a minimum, by the amount of an episode: also to the value that is there. */
export function settingOf(amount: number): {
  way: (typeof waysToSet)[number];
  of: (now: number, max: number) => number;
} {
  const draw = new Draw(`minimum ${amount}`);
  const [way, part, isSame] = [draw.pick(waysToSet), draw.fraction(), draw.chance(0.3)];
  return { way, of: (now, most) => (isSame ? now : 1 + Math.floor(part * 0.6 * most)) };
}
