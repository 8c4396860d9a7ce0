import { milliValue, parseQuantity } from "../../../../capabilities/kubernetes/quantity";
import { MetricsError, NoCount, Pod, Reading, Sample } from "../../../../capabilities/mlscaler/metrics/reading";
import { parsedPod } from "../../../../capabilities/mlscaler/metrics/pods/pod-watch";
import { activationsOf } from "../../../../capabilities/mlscaler/metrics/activation";
import { Metric, isCountedPerUnit } from "../../../../capabilities/mlscaler/metrics/registry";
import { toleranceOf } from "../../../../capabilities/mlscaler/scaling/rule/behavior";
import { proposeMetric } from "../../../../capabilities/mlscaler/scaling/rule/hpa";
import { boundsAt } from "../../../../capabilities/mlscaler/scaling/schedule/schedule";
import { capacityOf, nameOf } from "../../../../capabilities/mlscaler/metrics/total";
import { Spec } from "../../../../capabilities/mlscaler/schema";
import { isReady, phaseOf } from "../../workloads";
import { at, selects, selectorText, Stored } from "../../objects";
import { PodSamples, Told, valueKey } from "../sources";
import { kindOf } from "../../kinds";
import { Call } from "../../call";
import { conditionsOf, Invariant, Rescale, Truth } from "../truth";

const name = "unknown never lowers";

/** How long answers are cached, in milliseconds, and the time from a request to its effect. */
const cachedMilliseconds = 3_500;

/** The delay of a healthy watch, in milliseconds. */
const watchMilliseconds = 1_000;
/** A watch that broke shows old objects for so long at most. */
const deadWatchMilliseconds = 330_000;

/** For how long a trusted forecast that is not there may be missed: the deadline of Replaying, in milliseconds. */
const replayMilliseconds = 600_000;

/** A lowering whose forecast the next status shows. */
interface Lowered {
  rescale: Rescale;
  predictive: number;
  spec: string;
}

/**
 * A scale is lowered only if HPA's rule, on the newest samples that the sources could deliver, asks for no more with
 * every unknown at its worst allowed value, and no trusted forecast that is missing asked for more.
 */
export function unknownNeverLowers(truth: Truth): Invariant {
  const lowered = new Map<string, Lowered>();
  return {
    others: ({ path, query, body }) => {
      if (!path.endsWith("/api/v1/query")) return;
      const parameters = typeof body === "string" && body ? new URLSearchParams(body) : query;
      if (parameters.has("time"))
        truth.report(
          name,
          "Prometheus",
          `a query for the time ${parameters.get("time")}`,
          "no time in an instant query: no clock of ours decides what is read",
        );
    },
    answered: call => {
      const rescale = truth.rescaleOf(call);
      if (rescale && rescale.after < rescale.before) {
        for (const scaler of truth.scalersOf(rescale.target)) {
          judge(truth, rescale, scaler);
          expectForecast(truth, rescale, scaler, lowered);
        }
      }
      seeForecast(truth, call, lowered);
    },
  };
}

const keyOf = ({ metadata: { namespace, name } }: Stored): string => `${namespace}/${name}`;

function judge(truth: Truth, rescale: Rescale, scaler: Stored): void {
  const { call, before, after, process } = rescale;
  if (scaler.metadata.deletionTimestamp) return;
  const readAt = truth.lastRead(process, call.path, call.at) ?? call.at;
  const disturbed = truth.disturbed(readAt / 1000 - 400, call.at / 1000, ({ kind }) =>
    /^(watches|api|API|cut)/.test(kind),
  );
  const since = readAt - (disturbed ? deadWatchMilliseconds : watchMilliseconds);
  // An MLScaler that assists takes its metrics from an HPA.
  const specs = truth.specsWithin(keyOf(scaler), since - 5000, call.at).filter(({ metrics }) => metrics.length > 0);
  if (specs.length === 0) return;
  const needs = specs.map(spec => needOf(truth, rescale, spec, readAt, since));
  const least = needs.reduce((one, other) => (one.replicas <= other.replicas ? one : other));
  if (after >= least.replicas) return;
  truth.report(
    name,
    scaler,
    `${process} lowered ${rescale.target.kind.kind} ${rescale.target.name} from ${before} to ${after}`,
    `at least ${least.replicas === Infinity ? "as many as before" : least.replicas}: ${least.why}`,
  );
}

/** The keys of the sources of a spec's metrics. */
export function sourcesOf(spec: Spec, namespace: string): string[] {
  return spec.metrics.map(metric => sourceOf(metric, namespace).key);
}

/** What the target of an MLScaler needs now, by the latest sync; undefined when it has no target or no sync. */
export function needFor(truth: Truth, scaler: Stored, spec: Spec): (Need & { current: number }) | undefined {
  const path = truth.scalePathOf(scaler);
  const process = truth.leaseOf(scaler.metadata.namespace)?.process ?? "";
  const readAt = truth.lastRead(process, path, Infinity);
  const { kind, name } = spec.target_ref ?? { kind: "Deployment", name: spec.target_deployment ?? "" };
  const object = truth.cluster.store.find(kindOf(kind), scaler.metadata.namespace, name);
  if (!object || readAt === undefined) return undefined;
  const target = { kind: kindOf(kind), namespace: scaler.metadata.namespace, name };
  const current = Number(at(object, target.kind.scale?.replicas ?? "") ?? 0);
  const call = { at: truth.clock.now } as Rescale["call"];
  const rescale = { call, process, target, before: current, after: current, object };
  return { ...needOf(truth, rescale, spec, readAt, readAt), current };
}

interface Need {
  replicas: number;
  why: string;
}

/** The replicas that a spec needs at least, of all that a sync that began at `readAt` could know. */
function needOf(truth: Truth, rescale: Rescale, spec: Spec, readAt: number, since: number): Need {
  const { call, before, process } = rescale;
  const offset = truth.process(process)?.program.wallOffset ?? 0;
  const times = [readAt, call.at].flatMap(time => [truth.wallAt(time), truth.wallAt(time) + offset]);
  const bounds = times.map(time => boundsAt(spec, time));
  const most = Math.min(...bounds.map(({ max }) => max));
  if (before > most && bounds.some(({ max }) => max === rescale.after))
    return { replicas: 0, why: "above max_replicas" };
  if (spec.scale_to_zero && rescale.after === 0) return idleNeed(truth, rescale, spec, readAt);
  const need = spec.metrics
    .map(metric =>
      isCountedPerUnit(metric)
        ? perUnitNeed(truth, rescale, metric, readAt, since)
        : longNeed(truth, rescale, spec, metric, readAt, since),
    )
    .reduce((one, other) => (one.replicas >= other.replicas ? one : other));
  return { ...need, replicas: need.replicas === Infinity ? Infinity : Math.min(need.replicas, most) };
}

/** The least replicas of a target that goes to 0: none if all activations are known, and none was lately above. */
function idleNeed(truth: Truth, rescale: Rescale, spec: Spec, readAt: number): Need {
  const { namespace } = rescale.target;
  const coolDown = 1000 * (spec.scale_to_zero?.cooldown_seconds ?? 0);
  for (const { metric, threshold } of activationsOf(spec)) {
    const { key } = sourceOf(metric, namespace);
    const valuesFrom = (from: number, to: number): number[] =>
      truth.heard(rescale.process, key, from, to).flatMap(({ told }) => (told.of === "value" ? [told.value] : []));
    const recent = valuesFrom(readAt - cachedMilliseconds, rescale.call.at);
    if (recent.length === 0) return { replicas: Infinity, why: `${key} was not heard` };
    const isAbove = (value: number): boolean => value > threshold;
    if (recent.every(isAbove)) return { replicas: 1, why: `${key} is above ${threshold}` };
    if (valuesFrom(readAt - coolDown + watchMilliseconds, readAt - cachedMilliseconds).some(isAbove))
      return { replicas: 1, why: `${key} was above ${threshold} within ${coolDown / 1000} s` };
  }
  return { replicas: 0, why: "no activation is above its threshold" };
}

const leastOf = (needs: Need[], otherwise: string): Need =>
  needs.reduce<Need>((one, other) => (one.replicas <= other.replicas ? one : other), {
    replicas: Infinity,
    why: otherwise,
  });

function heardOf(truth: Truth, { process, call }: Rescale, key: string, readAt: number): Told[] {
  return truth.heard(process, key, readAt - cachedMilliseconds, call.at).map(({ told }) => told);
}

/** The pods of the target, as a process could see them. */
function fleets(truth: Truth, { target, object, call }: Rescale, since: number): Stored[][] {
  const selector = selectorText(at(object, target.kind.scale?.selector ?? ""));
  return truth
    .podsWithin(target.namespace, since, call.at)
    .map(pods => pods.filter(({ metadata }) => selects(selector, metadata.labels)));
}

function perUnitNeed(truth: Truth, rescale: Rescale, metric: Metric, readAt: number, since: number): Need {
  const { key } = sourceOf(metric, rescale.target.namespace);
  const name = nameOf(metric);
  const perUnit = 1 / capacityOf(metric, []);
  const needs = heardOf(truth, rescale, key, readAt).flatMap(told => {
    if (told.of === "value") return [];
    return fleets(truth, rescale, since).map((pods): Need => {
      const ready = pods.filter(pod => isReady(pod) && !pod.metadata.deletionTimestamp && phaseOf(pod) === "Running");
      if (ready.length === 0) return { replicas: Infinity, why: "no pod is Ready" };
      const values = ready.map(pod => unitsOf(told.samples, pod.metadata.name, name));
      const known = values.filter(value => value !== undefined);
      if (known.length === 0) return { replicas: Infinity, why: "no pod has a sample" };
      const total = known.reduce((sum, value) => sum + value, 0) + (values.length - known.length) / perUnit;
      const replicas = Math.ceil(Number((total * perUnit).toFixed(6)));
      return {
        replicas,
        why: `${name} of ${total.toFixed(3)}, ${known.length} of ${values.length} pods with a sample`,
      };
    });
  });
  return leastOf(needs, `${key} was not heard`);
}

/** The sample of a pod in the unit of the total. */
function unitsOf(samples: PodSamples, pod: string, metric: string): number | undefined {
  const texts = samples.get(pod)?.containers.map(({ usage }) => usage[metric] ?? usage.value);
  const values = texts?.map(text => parseQuantity(text ?? "")) ?? [];
  if (values.length === 0 || values.includes(undefined)) return undefined;
  const sum = values.reduce<number>((total, value) => total + (value ?? 0), 0);
  return metric === "memory" ? sum / 2 ** 30 : sum;
}

function longNeed(truth: Truth, rescale: Rescale, spec: Spec, metric: Metric, readAt: number, since: number): Need {
  const { target, before, object, call } = rescale;
  const { key, container, resource } = sourceOf(metric, target.namespace);
  const told = heardOf(truth, rescale, key, readAt);
  const observed = Number(at(object, target.kind.scale?.observed ?? "") ?? 0);
  const tolerance = toleranceOf(spec.behavior);
  const needs = told.flatMap(one =>
    fleets(truth, rescale, since).map((pods): Need => {
      const reading: Reading =
        one.of === "value"
          ? { milli: milliOf(one.value, metric) }
          : { samples: samplesOf(one.samples, resource, container) };
      const state = {
        now: truth.wallAt(call.at),
        pods: pods.map(podOf),
        tolerance,
        specReplicas: before,
        statusReplicas: observed,
      };
      try {
        return {
          replicas: proposeMetric(metric, reading, state).replicas,
          why: `${key} by HPA's rule, ${pods.length} pods`,
        };
      } catch (error) {
        if (error instanceof MetricsError || error instanceof NoCount)
          return { replicas: Infinity, why: `${key}: ${error.message}` };
        throw error;
      }
    }),
  );
  return leastOf(needs, `${key} was not heard`);
}

/** What a process reads of a value: the metrics APIs answer with whole thousandths, Prometheus with a float. */
const milliOf = (value: number, { type }: Metric): number =>
  type === "Prometheus" ? Math.ceil(Number((value * 1000).toFixed(6))) : Math.round(value * 1000);

/** Where a metric comes from. */
export function sourceOf(metric: Metric, namespace: string): { key: string; resource: string; container?: string } {
  switch (metric.type) {
    case "Resource":
      return { key: `resource ${namespace}`, resource: metric.resource?.name ?? "" };
    case "ContainerResource": {
      const { name = "", container } = metric.containerResource ?? {};
      return { key: `resource ${namespace}`, resource: name, container };
    }
    case "Pods":
      return { key: `pods ${namespace} ${metric.pods?.metric.name}`, resource: "value" };
    case "External":
      return { key: valueKey("external", namespace, metric.external?.metric.name ?? ""), resource: "" };
    case "Object": {
      const { describedObject, metric: of } = metric.object ?? {};
      return {
        key: valueKey("custom", namespace, `ingresses.networking.k8s.io/${describedObject?.name}/${of?.name}`),
        resource: "",
      };
    }
    case "Prometheus":
      return { key: valueKey("prometheus", namespace, metric.prometheus?.query ?? ""), resource: "" };
  }
}

function samplesOf(samples: PodSamples, resource: string, container?: string): Map<string, Sample> {
  const found = new Map<string, Sample>();
  for (const [pod, { at, containers }] of samples) {
    const counted = containers.filter(one => container === undefined || one.name === container);
    const values = counted.map(({ usage }) => milliValue(usage[resource] ?? ""));
    if (values.length === 0 || values.includes(undefined)) continue;
    const milli = values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
    found.set(pod, { milli, at, windowMilliseconds: resource === "value" ? 60_000 : 15_000 });
  }
  return found;
}

/** The pods in the form of HPA's rules. A stored object never changes. */
const pods = new WeakMap<Stored, Pod>();

function podOf(stored: Stored): Pod {
  const pod = pods.get(stored) ?? parsedPod(stored);
  pods.set(stored, pod);
  return pod;
}

/**
 * Notes what a trusted forecast asked for before a lowering. The line of a short form needs no trust. After a gap in
 * its samples, such as a jump of the clock, a new line is fitted and the count follows the load.
 */
function expectForecast(truth: Truth, rescale: Rescale, scaler: Stored, lowered: Map<string, Lowered>): void {
  if (scaler.metadata.deletionTimestamp || at(scaler, "spec.forecast") === undefined) return;
  const predictive = Number(at(scaler.status, "decision.predictive") ?? 0);
  const process = truth.process(rescale.process);
  if (at(scaler.status, "forecast.trusted") !== true || predictive <= rescale.after || !process) return;
  const leads = Math.max(process.startedAt, truth.leaseOf(scaler.metadata.namespace)?.since ?? 0);
  const max = Number(at(scaler, "spec.max_replicas"));
  if (truth.clock.now - leads > replayMilliseconds || rescale.before > max) return;
  lowered.set(keyOf(scaler), { rescale, predictive, spec: JSON.stringify(scaler.spec) });
}

/** The first status after a lowering shows whether the forecast was there. */
function seeForecast(truth: Truth, call: Call, lowered: Map<string, Lowered>): void {
  const object = truth.scalerIn(call);
  const found = object && lowered.get(keyOf(object));
  if (!found || call.status !== 200) return;
  lowered.delete(keyOf(object));
  // The status of another process does not tell what the one that lowered the count knew.
  if (call.by !== found.rescale.process) return;
  if (!truth.scalersOf(found.rescale.target).includes(object) || JSON.stringify(object.spec) !== found.spec) return;
  const condition = conditionsOf(object.status).get("ForecastReady");
  if (condition?.status === "True" || !["Learning", "Replaying"].includes(condition?.reason ?? "Learning")) return;
  const { before, after, process } = found.rescale;
  truth.report(
    name,
    object,
    `${process} lowered it from ${before} to ${after} while ForecastReady is ${condition?.reason ?? "missing"}`,
    `at least ${Math.min(before, found.predictive)}, for which the trusted forecast had asked`,
  );
}
