import { LRUCache } from "lru-cache";
import { Review, Verdict } from "../../webhook/admission";
import { Api, ignoring, isStatus } from "../../kubernetes/api";
import { Discovery } from "../../kubernetes/discovery";
import { errorFields } from "../../kubernetes/log";
import { Namespaces } from "../../kubernetes/namespaces";
import { faultText } from "../../definition/check";
import { Turns } from "../../operator/turns";
import { ActiveMLScalers } from "./active-mlscalers";
import { foundMilliseconds, GuardReader } from "./guard";
import {
  aboveMaximum,
  manyAutoscalers,
  noAutoscaler,
  scaledByHpa,
  scaledByMLScaler,
} from "../target/conflict-messages";
import { type Hpa, hpasIn } from "../target/horizontal-pod-autoscalers";
import { Prometheus } from "../metrics/prometheus/client";
import { NoCount, Pod } from "../metrics/reading";
import { requestsOf } from "../metrics/pods/requests";
import { readings } from "../scaling/schedule/schedule";
import { measuredStartUpSeconds } from "../scaling/ahead/start-up";
import { faultsOf, Spec } from "../schema";
import { writeScale } from "../target/scale";
import { canGuard, targetField, targetId, targetOf } from "../target/target";
import { absentActivations, queriesOf } from "./prometheus-queries";
import { TargetReader } from "./target-reader";
import { WhatIf } from "./what-if";
import { withoutEffect } from "./settings-without-effect";

/** The limit on the time of all reads from the cluster, in ms. Without an answer the object passes with a warning. */
const readMilliseconds = 1000;

/** Reads from the cache of the API server, which is milliseconds old. Each sync checks again. */
const known = { resourceVersion: "0" } as const;

/** How long reviews share one list of the HPAs of a namespace, in ms. */
const listedMilliseconds = 100;

/** The limit on the wait for a backtest, from the start of the review, in ms: half of the webhook's timeout. */
export const backtestMilliseconds = 1500;

/** The checks beyond the CRD: crons and time zones, conflicts over the target, the target itself, and a backtest. */
export class Admission {
  readonly #discovery: Discovery;
  readonly #prometheus: Prometheus;
  readonly #active: ActiveMLScalers;
  readonly #guard: GuardReader;
  readonly #hpas = new LRUCache<string, Map<string, Hpa[]>>({
    ...{ max: 1000, ttl: listedMilliseconds },
    fetchMethod: namespace => hpasIn(this.api, namespace, readMilliseconds / 1000, known),
  });
  readonly #found = new LRUCache<string, true>({ max: 10_000, ttl: foundMilliseconds });
  readonly #whatIf: WhatIf;
  #reviewed = 0;

  constructor(
    readonly api: Api,
    namespaces: Namespaces,
    readonly turns: Turns,
  ) {
    this.#prometheus = new Prometheus(api, turns);
    this.#discovery = new Discovery(api);
    this.#active = new ActiveMLScalers(api, namespaces);
    this.#guard = new GuardReader(api);
    this.#whatIf = new WhatIf(api, this.#discovery, this.#prometheus, () => this.#reviewed);
  }

  start(signal: AbortSignal): void {
    this.#active.start(signal);
  }

  /** Decides whether an MLScaler with a valid spec may be stored. A failed read is a warning. Never throws. */
  async review(review: Review<Spec>): Promise<Verdict> {
    this.#reviewed++;
    const { namespace, spec } = review;
    for (const reading of readings(spec)) await this.turns.run(namespace, reading);
    const faults = faultsOf(spec);
    if (faults.length > 0) return { denied: faults.map(faultText).join("; ") };
    const began = performance.now();
    const left = (milliseconds: number): number => milliseconds - (performance.now() - began);
    const secondsLeft = (): number => Math.max(left(readMilliseconds), 1) / 1000;
    const reader = new TargetReader(this.api, this.#discovery, namespace, targetOf(spec), secondsLeft);
    const verdict = await this.#check(review, reader);
    if ("denied" in verdict) return verdict;
    const backtest = await this.#whatIf.ask(review, left(backtestMilliseconds));
    return { warnings: [...verdict.warnings, ...(backtest === undefined ? [] : [backtest])] };
  }

  async #check(review: Review<Spec>, reader: TargetReader): Promise<Verdict> {
    const { namespace, name, spec, before } = review;
    const warnings: string[] = [];
    const orWarn = async <T>(what: string, check: Promise<T>): Promise<T | undefined> => {
      try {
        return await check;
      } catch (error) {
        warnings.push(`${what} could not be checked (${errorFields(error).error}), it is checked again at each sync`);
        return undefined;
      }
    };
    const [begins, takes] = [beginsToAct(spec, before), takesTarget(spec, before)];
    const queriesChecked = orWarn("the Prometheus server", this.#faultsOfQueries(review, reader));
    const [other, hpas, ...faults] = await Promise.all([
      begins &&
        orWarn(
          "whether another MLScaler is on the target",
          this.#active.other(namespace, name, spec, reader.secondsLeft()),
        ),
      (takes || spec.mode === "Assist") &&
        orWarn("whether an HPA is on the target", this.#hpasOn(namespace, targetId(namespace, targetOf(spec)))),
      orWarn("the target", this.#faultsOfTarget(spec, reader)),
      orWarn("what the target's containers request", faultsOfRequests(spec, reader)),
      orWarn("how long the target's pods take to start", faultsOfHorizon(spec, reader)),
      absentActivations(this.#prometheus, namespace, spec, this.api.clock.now(), reader.secondsLeft()),
      spec.guard_replicas && canGuard(spec) ? this.#guard.faults(reader.secondsLeft()) : [],
    ]);
    const queries = await queriesChecked;
    if (queries && queries.denied.length > 0) return { denied: queries.denied.join("; ") };
    if (other) return { denied: `${targetField(spec)}: ${scaledByMLScaler(targetOf(spec), other)}` };
    const [hpa] = hpas || [];
    if (takes && hpa) return { denied: `${targetField(spec)}: ${scaledByHpa(targetOf(spec), hpa.text)}` };
    const assisted = spec.mode === "Assist" && hpas ? faultsOfAssisted(spec, hpas) : [];
    const found = [...faults.flatMap(texts => texts ?? []), ...assisted, ...(queries?.warnings ?? [])];
    return { warnings: [...warnings, ...found, ...withoutEffect(spec)] };
  }

  /** Returns the HPAs on a target. Reads again before a denial, because an HPA may be gone. */
  async #hpasOn(namespace: string, target: string): Promise<Hpa[]> {
    const recent = await this.#hpas.fetch(namespace);
    if (!recent?.has(target)) return [];
    return (await this.#hpas.fetch(namespace, { forceRefresh: true }))?.get(target) ?? [];
  }

  /** The queries that their Prometheus server would not be asked: those to deny, and those that only it keeps back. */
  async #faultsOfQueries({ namespace, spec }: Review<Spec>, reader: TargetReader): Promise<Faults> {
    const faults: Faults = { denied: [], warnings: [] };
    for (const { field, server, query, max_sample_age_seconds: maxSampleAgeSeconds } of queriesOf(spec)) {
      const question = { server, query, maxSampleAgeSeconds };
      const fault = await this.#prometheus.fault(namespace, question, reader.secondsLeft());
      if (!fault) continue;
      const text = `${field}.${fault.warned ? "server" : "query"}: server ${server} ${fault.text}`;
      (fault.warned ? faults.warnings : faults.denied).push(text);
    }
    return faults;
  }

  async #faultsOfTarget(spec: Spec, reader: TargetReader): Promise<string[]> {
    const { target, namespace } = reader;
    const field = targetField(spec);
    const id = targetId(namespace, target);
    if (!spec.target_ref && this.#found.has(id)) return [];
    try {
      const scale = await reader.scale();
      if (!scale) return [`${field}: ${target.apiVersion} has no kind ${target.kind} in namespaces`];
      this.#found.set(id, true);
      // A target may have a limit of its own, as a Hello has; only a dry run shows it.
      // The admission pods of the Helm chart may only read. Then the condition of the sync reports it.
      const tried = { dryRun: true, timeoutSeconds: reader.secondsLeft() };
      if (spec.target_ref && spec.mode !== "Assist")
        await ignoring(writeScale(this.api, scale, spec.max_replicas, tried), 403);
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

interface Faults {
  denied: string[];
  warnings: string[];
}

/** Warns of averageUtilization targets for requests that the target's containers do not have. */
async function faultsOfRequests({ metrics = [] }: Spec, reader: TargetReader): Promise<string[]> {
  const shares = metrics.flatMap(({ resource, containerResource }, index) => {
    const percent = (resource ?? containerResource)?.target.averageUtilization;
    if (percent === undefined) return [];
    const field = `spec.metrics[${index}].${resource ? "resource" : "containerResource"}`;
    return [{ field, percent, container: undefined, name: "", ...resource, ...containerResource }];
  });
  const pod = shares.length > 0 ? await reader.pod() : undefined;
  if (!pod) return [];
  const { kind, name: target } = reader.target;
  const faults = shares.flatMap(({ field, percent, container, name }): string[] => {
    const containers = pod.containers.filter(one => container === undefined || one.name === container);
    if (container !== undefined && containers.length === 0)
      return [
        `${field}.container: ${container} is not a container of ${kind} ${target}; ` +
          `use ${pod.containers.map(one => one.name).join(" or ")}`,
      ];
    const without = containers.filter(({ requests }) => requests[name] === undefined).map(one => one.name);
    if (without.length === 0 || (container === undefined && pod.requests?.[name] !== undefined)) return [];
    return [
      `${field}.target.averageUtilization: ${percent} percent of a request that ${kind} ${target} ` +
        `does not have in container ${without.join(", ")}; set resources.requests.${name} there, or use averageValue`,
    ];
  });
  // A LimitRange may have added requests that the template does not have.
  return faults.length > 0 && (await reader.pods()).some(one => requestAll(one, shares)) ? [] : faults;
}

const requestAll = (pod: Pod, shares: { name: string; container?: string }[]): boolean => {
  try {
    shares.forEach(({ name, container }) => requestsOf([pod], name, container));
    return true;
  } catch (error) {
    if (error instanceof NoCount) return false;
    throw error;
  }
};

/** Warns of a horizon that is shorter than the start-up time of pods and one sync. */
async function faultsOfHorizon(
  { forecast, sync_period_seconds: period }: Spec,
  reader: TargetReader,
): Promise<string[]> {
  const horizon = forecast?.horizon_seconds;
  if (horizon === undefined || forecast?.model === "off") return [];
  const startUp = measuredStartUpSeconds(await reader.pods());
  const needed = Math.ceil((startUp ?? 0) + period);
  if (horizon >= needed) return [];
  const why = startUp === undefined ? "" : `the ${Math.ceil(startUp)} s that the target's pods take to start and `;
  return [
    `spec.forecast.horizon_seconds: ${horizon} is less than ${why}the ${period} s from one sync to ` +
      `the next, so replicas come too late; use ${needed} or more, or leave it out`,
  ];
}

/** Warns of a target without exactly one HPA to assist, and of bounds above its maximum. */
function faultsOfAssisted(spec: Spec, hpas: Hpa[]): string[] {
  const target = targetOf(spec);
  const [hpa, ...others] = hpas;
  if (!hpa) return [`${targetField(spec)}: ${noAutoscaler(target)}`];
  if (others.length > 0) return [`${targetField(spec)}: ${manyAutoscalers(target, hpas)}`];
  return aboveMaximum(spec.written ?? {}, hpa);
}

type Before = Review<Spec>["before"];

const specBefore = (before: Before): Partial<Spec> | undefined => before?.spec as Partial<Spec> | undefined;

const beginsToAct = (spec: Spec, before: Before): boolean =>
  spec.mode !== "Observe" && (before === undefined || specBefore(before)?.mode === "Observe");

// One that was Active before has its target already. If two pass at once, the controller prefers an HPA, then the older
// MLScaler.
function takesTarget(spec: Spec, before: Before): boolean {
  if (spec.mode !== "Active" || spec.take_over) return false;
  const { mode = "Active", take_over } = specBefore(before) ?? {};
  return before === undefined || mode !== "Active" || take_over === true;
}
