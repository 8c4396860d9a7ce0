import { LRUCache } from "lru-cache";
import { Review, Verdict } from "../common/admission";
import { Api, isStatus } from "../common/api";
import { Discovery } from "../common/discovery";
import { errorFields } from "../common/log";
import { faultText } from "../common/check";
import { Acting } from "./acting";
import { autoscaled, autoscalersIn } from "./autoscalers";
import { Prometheus } from "./metrics/prometheus";
import { NoCount, requestsOf } from "./scaling/pods";
import { Pod } from "./scaling/reading";
import { faultsOfSchedules } from "./scaling/schedule";
import { startsWithin } from "./scaling/start-up";
import { Spec } from "./schema";
import { Target, targetField, targetId, targetOf, writeScale } from "./target";
import { TargetLook } from "./target-look";
import { WhatIf } from "./what-if";
import { withoutEffect } from "./without-effect";

/** How long all looks at the cluster may take together, in ms; without an answer the object passes with a warning. */
const lookMilliseconds = 1000;

/** What the API server knows is milliseconds old; each sync looks again. */
const known = { resourceVersion: "0" } as const;

/** A target that was there counts as there for so long, in ms: without it there is but a warning, and its condition. */
const thereMilliseconds = 60_000;
const mostThere = 10_000;

/** So long those who ask share one list of the HPAs of a namespace, in ms. */
const listedMilliseconds = 100;
const mostLists = 1000;

/** How long an answer waits for a backtest, counted from when it was asked, in ms. */
const backtestMilliseconds = 1500;

/**
 * What the CRD cannot see: whether the crons and time zones of schedules are valid, who else scales the target, how that is,
 * and what would have been.
 */
export class Admission {
  readonly #discovery: Discovery;
  readonly #prometheus: Prometheus;
  readonly #acting: Acting;
  /** The HPAs of a namespace by what they scale. */
  readonly #autoscalers = new LRUCache<string, Map<string, string>>({
    ...{ max: mostLists, ttl: listedMilliseconds },
    fetchMethod: namespace => autoscalersIn(this.api, namespace, lookMilliseconds / 1000, known),
  });
  /** Targets that were seen lately ("shop/Deployment.apps/web"). */
  readonly #there = new LRUCache<string, true>({ max: mostThere, ttl: thereMilliseconds });
  readonly #whatIf: WhatIf;
  #reviewed = 0;

  constructor(readonly api: Api) {
    this.#prometheus = new Prometheus(api);
    this.#discovery = new Discovery(api);
    this.#acting = new Acting(api);
    this.#whatIf = new WhatIf(api, this.#discovery, this.#prometheus, () => this.#reviewed);
  }

  /** Watches what it would else ask for at each request, until `signal`. */
  start(signal: AbortSignal): void {
    this.#acting.start(signal);
  }

  /** Whether an MLScaler with a valid spec may be stored. Never throws: what cannot be looked up is a warning. */
  async review(review: Review<Spec>): Promise<Verdict> {
    this.#reviewed++;
    const { namespace, spec } = review;
    const faults = faultsOfSchedules(spec);
    if (faults.length > 0) return { denied: faults.map(faultText).join("; ") };
    const began = performance.now();
    const left = (milliseconds: number): number => milliseconds - (performance.now() - began);
    const secondsLeft = (): number => Math.max(left(lookMilliseconds), 1) / 1000;
    const look = new TargetLook(this.api, this.#discovery, namespace, targetOf(spec), secondsLeft);
    const verdict = await this.#look(review, look);
    if ("denied" in verdict) return verdict;
    const backtest = await this.#whatIf.ask(review, left(backtestMilliseconds));
    return { warnings: [...verdict.warnings, ...(backtest === undefined ? [] : [backtest])] };
  }

  async #look({ namespace, name, spec, before }: Review<Spec>, look: TargetLook): Promise<Verdict> {
    const warnings: string[] = [];
    const unless = async <T>(what: string, seen: Promise<T>): Promise<T | undefined> => {
      try {
        return await seen;
      } catch (error) {
        warnings.push(`${what} could not be checked (${errorFields(error).error}), it is checked again at each sync`);
        return undefined;
      }
    };
    const takes = takesTarget(spec, before);
    const [other, autoscaler, ...faults] = await Promise.all([
      takes &&
        unless(
          "whether another MLScaler is on the target",
          this.#acting.other(namespace, name, spec, look.secondsLeft()),
        ),
      takes &&
        unless("whether an HPA is on the target", this.#autoscaler(namespace, targetId(namespace, targetOf(spec)))),
      unless("the target", this.#faultsOfTarget(spec, look)),
      unless("what the target's containers request", faultsOfRequests(spec, look)),
      unless("how long the target's pods take to start", faultsOfHorizon(spec, look)),
      unless("spec.metrics: the Prometheus server", this.#unknownServers(spec, look)),
    ]);
    if (other) return { denied: `${targetField(spec)}: ${ambiguous(targetOf(spec), other)}` };
    if (autoscaler) return { denied: `${targetField(spec)}: ${autoscaled(targetOf(spec), autoscaler)}` };
    return { warnings: [...warnings, ...faults.flatMap(found => found ?? []), ...withoutEffect(spec)] };
  }

  /** The HPA on a target. Nobody is refused for one that has just gone. */
  async #autoscaler(namespace: string, target: string): Promise<string | undefined> {
    const lately = await this.#autoscalers.fetch(namespace);
    if (!lately?.has(target)) return undefined;
    return (await this.#autoscalers.fetch(namespace, { forceRefresh: true }))?.get(target);
  }

  /** The Prometheus servers that the admin of the cluster has not named, or not yet. */
  async #unknownServers({ metrics = [] }: Spec, look: TargetLook): Promise<string[]> {
    if (!metrics.some(({ prometheus }) => prometheus)) return [];
    const names = await this.#prometheus.names(look.secondsLeft());
    const there = names.length === 0 ? "an admin has named none" : `there are ${names.join(", ")}`;
    return metrics.flatMap(({ prometheus }, index) =>
      prometheus && !names.includes(prometheus.server)
        ? [`spec.metrics[${index}].prometheus.server: there is no server ${prometheus.server} yet, ${there}`]
        : [],
    );
  }

  async #faultsOfTarget(spec: Spec, look: TargetLook): Promise<string[]> {
    const { target, namespace } = look;
    const field = targetField(spec);
    const id = targetId(namespace, target);
    if (!spec.target_ref && this.#there.has(id)) return [];
    try {
      const scale = await look.scale();
      if (!scale) return [`${field}: ${target.apiVersion} has no kind ${target.kind} in namespaces`];
      this.#there.set(id, true);
      // A target may have a ceiling of its own, as a Hello has; only it can tell.
      if (spec.target_ref)
        await writeScale(this.api, scale, spec.max_replicas, { dryRun: true, timeoutSeconds: look.secondsLeft() });
      return [];
    } catch (error) {
      if (isStatus(error, 404))
        return [`${field}: there is no ${target.kind} ${target.name} with a scale in ${namespace} yet`];
      if (isStatus(error, 422))
        return [
          `spec.max_replicas: ${target.kind} ${target.name} refuses ${spec.max_replicas}: ${errorFields(error).error}`,
        ];
      throw error;
    }
  }
}

/** Targets of so many percent of requests that the target's containers do not have. */
async function faultsOfRequests({ metrics = [] }: Spec, look: TargetLook): Promise<string[]> {
  const shares = metrics.flatMap(({ resource, containerResource }, index) => {
    const percent = (resource ?? containerResource)?.target.averageUtilization;
    if (percent === undefined) return [];
    const field = `spec.metrics[${index}].${resource ? "resource" : "containerResource"}`;
    return [{ field, percent, container: undefined, name: "", ...resource, ...containerResource }];
  });
  const pod = shares.length > 0 ? await look.pod() : undefined;
  if (!pod) return [];
  const { kind, name: target } = look.target;
  const faults = shares.flatMap(({ field, percent, container, name }): string[] => {
    const containers = pod.containers.filter(one => container === undefined || one.name === container);
    if (container !== undefined && containers.length === 0)
      return [
        `${field}.container: ${container} is no container of ${kind} ${target}; use ${pod.containers.map(one => one.name).join(" or ")}`,
      ];
    const without = containers.filter(({ requests }) => requests[name] === undefined).map(one => one.name);
    if (without.length === 0 || (container === undefined && pod.requests?.[name] !== undefined)) return [];
    return [
      `${field}.target.averageUtilization: ${percent} percent of a request that ${kind} ${target} does not have in container ${without.join(", ")}; set resources.requests.${name} there, or use averageValue`,
    ];
  });
  // What the template leaves out, a LimitRange may have put into the pods.
  return faults.length > 0 && (await look.pods()).some(one => requestAll(one, shares)) ? [] : faults;
}

/** Whether a pod requests what all of these are a share of. */
const requestAll = (pod: Pod, shares: { name: string; container?: string }[]): boolean => {
  try {
    shares.forEach(({ name, container }) => requestsOf([pod], name, container));
    return true;
  } catch (error) {
    if (error instanceof NoCount) return false;
    throw error;
  }
};

/** A forecast that looks less far ahead than replicas take to matter comes too late. */
async function faultsOfHorizon({ forecast, sync_period_seconds: period }: Spec, look: TargetLook): Promise<string[]> {
  const horizon = forecast?.horizon_seconds;
  if (horizon === undefined || forecast?.model === "off") return [];
  const startUp = startsWithin(await look.pods());
  const needed = Math.ceil((startUp ?? 0) + period);
  if (horizon >= needed) return [];
  const why = startUp === undefined ? "" : `the ${Math.ceil(startUp)} s that the target's pods take to start and `;
  return [
    `spec.forecast.horizon_seconds: ${horizon} is less than ${why}the ${period} s from one sync to the next, so replicas come too late; use ${needed} or more, or leave it out`,
  ];
}

/**
 * Whether the MLScaler is now to act on its target. One that was Active before got its target then; of two that slipped
 * through, the controller lets the older act, and an HPA before both.
 */
const takesTarget = (spec: Spec, before: Review<Spec>["before"]): boolean =>
  spec.mode === "Active" && (before === undefined || (before.spec as Partial<Spec> | undefined)?.mode === "Observe");

/** Why an MLScaler may not act on a target: another does. */
export const ambiguous = ({ kind, name }: Target, other: string): string =>
  `${kind} ${name} is already scaled by MLScaler ${other}; delete one of them, name another target, or set spec.mode to Observe`;
