import { z } from "zod";
import { Api, ApiError, asMergePatch, isStatus, mayPass, mergePatch } from "../common/api";
import { Finding, withTransitions } from "../common/conditions";
import { EventRecorder, EventText } from "../common/events";
import { addFinalizer, removeFinalizer } from "../common/finalizer";
import { errorFields, log } from "../common/log";
import { Metadata, metadataSchema, ObjectReference } from "../common/objects";
import { parseQuantity } from "../common/quantity";
import { checkSpec } from "../common/rules";
import { Outcome, placeMilliseconds } from "../common/scheduler";
import { watchMetadata } from "../common/watch";
import { Forecast, forecast } from "./forecast";
import { continuous, emptySeries, longestBridge, record, Series } from "./history/series";
import { Load, MetricsError, Source } from "./metrics";
import { ResourceMetrics } from "./metrics/resource";
import { recent, Recommendation, ScaleEvent } from "./scaling/behavior";
import { decide, Decision } from "./scaling/decide";
import { mlscaler, Spec, Status, statusSchema } from "./schema";
import { reasonOf, Report, statusOf, worthWriting } from "./status";
import { listPods, readScale, Scale, writeScale } from "./target";
import { Claim, Targets } from "./targets";
import * as telemetry from "./telemetry";

export const finalizer = "mlscaler.example.com/finalizer";

/** How often a decision is made anew when others change the target at the same time. */
const attempts = 3;

/** While it learns, an MLScaler is synced this often. */
const learningSeconds = 10;

/** How long before a sync is due its slot in the history begins. */
const slotLeadMilliseconds = 250;

const objectSchema = z.object({
  metadata: metadataSchema,
  spec: z.unknown(),
  status: statusSchema.catch({}).default({}),
});

/** What is remembered of one MLScaler between syncs. */
interface Memory {
  uid: string;
  /** What the series is of: with another metric or step it begins anew. */
  of: string;
  series: Series;
  recommendations: Recommendation[];
  scaleEvents: ScaleEvent[];
  /** Epoch milliseconds; absent until the target was seen for the first time since the start. */
  lastSync?: number;
  /** When this process last scaled the target. */
  lastScaled?: Date;
}

/** What controllers of this module share. */
export interface Surroundings {
  api: Api;
  events: EventRecorder;
  /** Whether this process may write. */
  leading: () => boolean;
  /** Wakes the MLScaler `key`, as soon as there is a place. */
  wake: (key: string) => void;
}

/** Reconciles MLScalers: `sync` is one round for one of them. */
export class MLScalerController {
  readonly kind = mlscaler.kind;
  readonly crd = `${mlscaler.plural}.${mlscaler.group}/${mlscaler.version}`;
  readonly path = `/apis/${mlscaler.group}/${mlscaler.version}/${mlscaler.plural}`;
  readonly #source: Source;
  readonly #targets = new Targets();
  readonly #memories = new Map<string, Memory>();

  constructor(readonly around: Surroundings) {
    this.#source = new ResourceMetrics(around.api);
  }

  /** Watches Deployments, by their metadata only, so that one edited by hand is looked at at once. Until `signal`. */
  start(signal: AbortSignal): void {
    const wake = (keys: string[]): void => keys.forEach(key => this.around.wake(key));
    const handler = {
      seen: (metadata: Metadata) => wake(this.#targets.seen(metadata)),
      gone: (metadata: Metadata) => wake(this.#targets.gone(metadata)),
      failed: (error: unknown) => log.warn(errorFields(error), "the watch of Deployments broke, it is begun anew"),
    };
    void watchMetadata(this.around.api, "/apis/apps/v1/deployments", handler, signal);
  }

  /** Notes which target an MLScaler claims, before any is synced: of two on one target the older acts. */
  seen(object: unknown): void {
    const { metadata, spec } = objectSchema.parse(object);
    const checked = checkSpec(mlscaler, spec);
    if (checked.spec) this.#claim(`${metadata.namespace}/${metadata.name}`, metadata, checked.spec);
  }

  /**
   * One sync: observe, remember, forecast, decide, act, report. Level-based: it reads all it needs and compares.
   * Throws ApiError when the API server fails, to be tried again.
   */
  async sync(key: string): Promise<Outcome> {
    const [namespace = "", name = ""] = key.split("/");
    const path = `/apis/${mlscaler.group}/${mlscaler.version}/namespaces/${namespace}/${mlscaler.plural}/${name}`;
    const object = await this.#read(path);
    if (!object) return this.#forget(key);
    const { metadata, status: previous } = object;
    const reference = referenceTo(metadata);
    if (metadata.deletionTimestamp) return this.#finalize(key, path, object);

    const { spec, faults } = checkSpec(mlscaler, object.spec);
    if (!spec) return this.#reject(path, reference, metadata, previous, faults.join("; "));
    await addFinalizer(this.around.api, path, metadata, finalizer);
    const claim = this.#claim(key, metadata, spec);

    const now = new Date();
    const report: Report = { now, generation: metadata.generation, spec, scaled: false, failures: [] };
    const rival = this.#targets.rival(`${namespace}/${spec.target_deployment}`, claim);
    if (rival) {
      report.failures.push(ambiguous(spec, rival));
    } else {
      const memory = this.#remembered(key, metadata.uid, spec);
      await this.#scale(namespace, report, memory);
    }
    await this.#report(path, reference, report, previous);
    return nextRun(report);
  }

  /** Observe, remember, forecast, decide and act, the results in `report`. Throws ApiError when the API server fails. */
  async #scale(namespace: string, report: Report, memory: Memory): Promise<void> {
    const { spec } = report;
    const now = report.now.getTime();
    let scale = await this.#readScale(namespace, report);
    if (!scale) return;
    const load = await this.#observe(namespace, scale, report);
    const demand = load && this.#forecast(load, memory, report);
    // Where nothing is remembered the current count counts as a recommendation, so that neither a restart (HPA's rule)
    // nor a long outage scales anything down.
    memory.recommendations = recent(memory.recommendations, now);
    if (memory.recommendations.length === 0) memory.recommendations.push({ at: now, replicas: scale.replicas });
    const lastSync = memory.lastSync ?? now;

    for (let attempt = 1; scale; attempt++) {
      report.current = scale.replicas;
      const decision = decide({
        now,
        current: scale.replicas,
        bounds: { min: spec.min_replicas, max: spec.max_replicas },
        pause: spec.pause,
        replicasPerUnit: parseQuantity(spec.replicas_per_unit) ?? NaN,
        demand,
        recommendations: memory.recommendations,
        scaleEvents: memory.scaleEvents,
        lastSync,
      });
      report.decision = decision;
      try {
        report.scaled = await this.#act(namespace, spec, scale, decision);
      } catch (error) {
        if (isStatus(error, 409) && attempt < attempts) {
          scale = await this.#readScale(namespace, report);
          continue;
        }
        if (mayPass(error)) throw error;
        report.failures.push({
          type: "AbleToScale",
          status: "False",
          reason: "FailedUpdateScale",
          message: `the target refused ${decision.final} replicas: ${errorFields(error).error}`,
        });
      }
      remember(memory, decision, scale.replicas, report);
      report.lastScaled = memory.lastScaled;
      return;
    }
  }

  /** Throws when this process may no longer write: a sync that was under way when the Lease was lost ends here. */
  #mustLead(): void {
    if (!this.around.leading()) throw new ApiError(0, "NotLeading", "the Lease was lost, another process acts");
  }

  async #readScale(namespace: string, report: Report): Promise<Scale | undefined> {
    const { target_deployment: name } = report.spec;
    try {
      const scale = await readScale(this.around.api, namespace, name);
      report.current = scale.replicas;
      return scale;
    } catch (error) {
      if (mayPass(error)) throw error;
      const message = isStatus(error, 404)
        ? `Deployment ${name} is not in namespace ${namespace}; create it, or name another in a new MLScaler`
        : `Deployment ${name}: ${errorFields(error).error}`;
      report.failures.push({ type: "AbleToScale", status: "False", reason: "FailedGetScale", message });
      return undefined;
    }
  }

  async #observe(namespace: string, scale: Scale, report: Report): Promise<Load | undefined> {
    // At 0 replicas there is nothing to measure, and scaling is off.
    if (scale.replicas === 0) return undefined;
    try {
      if (!scale.selector) throw new MetricsError("InvalidSelector", "the target has no label selector for its pods");
      const pods = await listPods(this.around.api, namespace, scale.selector);
      const load = await this.#source.observe(namespace, report.spec.metric, pods, report.now.getTime());
      report.load = load.recorded;
      return load;
    } catch (error) {
      if (!(error instanceof MetricsError)) throw error;
      report.failures.push({ type: "ScalingActive", status: "False", reason: error.reason, message: error.message });
      return undefined;
    }
  }

  #forecast(load: Load, memory: Memory, report: Report): NonNullable<Parameters<typeof decide>[0]["demand"]> {
    const now = report.now.getTime();
    record(memory.series, now, load.recorded);
    const loads = continuous(memory.series, now);
    const likely: Forecast = forecast(loads, report.spec.history_size);
    report.forecast = likely;
    const cautious = [...loads.slice(0, -1), Math.min(load.lowest, loads.at(-1) ?? load.lowest)];
    const lowest = load.lowest < load.recorded ? forecast(cautious, report.spec.history_size) : likely;
    return {
      likely: { load: load.likely, forecast: likely.load },
      lowest: { load: load.lowest, forecast: lowest.load },
    };
  }

  /** Writes the scale when it is to differ, and says whether it did. Throws ApiError. */
  async #act(namespace: string, spec: Spec, scale: Scale, decision: Decision): Promise<boolean> {
    if (decision.final === scale.replicas || spec.mode === "Observe") return false;
    this.#mustLead();
    await writeScale(this.around.api, scale, namespace, spec.target_deployment, decision.final);
    return true;
  }

  async #report(path: string, reference: ObjectReference, report: Report, previous: Status): Promise<void> {
    const { namespace, name, uid } = reference;
    telemetry.observe(namespace, name, report);
    const fields = { kind: reference.kind, namespace, name, uid };
    for (const { reason, message } of report.failures) {
      log.warn({ ...fields, reason }, message);
      await this.#record(reference, { type: "Warning", reason, message, action: "Sync" }, report.now);
    }
    if (report.decision) {
      const { basis } = report.decision;
      const reason = report.scaled ? "SuccessfulRescale" : basis;
      const message = reasonOf(report, report.decision);
      log.info({ ...fields, reason }, message);
      log.debug({ ...fields, decision: report.decision }, "the steps of the decision");
      if (report.scaled)
        await this.#record(reference, { type: "Normal", reason, message, action: "Rescale" }, report.now);
    }
    await this.#writeStatus(path, statusOf(report, previous), previous);
  }

  async #writeStatus(path: string, status: Status, previous: Status): Promise<void> {
    if (!worthWriting(previous, status)) return;
    try {
      await this.around.api.patch(`${path}/status`, mergePatch, { status: asMergePatch(status) });
    } catch (error) {
      if (!isStatus(error, 404)) throw error;
    }
  }

  /** An invalid spec that got past admission: said, and left alone until it changes. */
  async #reject(
    path: string,
    reference: ObjectReference,
    metadata: Metadata,
    previous: Status,
    message: string,
  ): Promise<Outcome> {
    const now = new Date();
    const { namespace, name, uid } = reference;
    this.#release(`${namespace}/${name}`);
    log.warn({ kind: reference.kind, namespace, name, uid, reason: "InvalidSpec" }, message);
    await this.#record(reference, { type: "Warning", reason: "InvalidSpec", message, action: "Sync" }, now);
    const failure = { status: "False", reason: "InvalidSpec", message } as const;
    const findings = ["ScalingActive", "Ready"].map(type => ({ type, ...failure }));
    const conditions = withTransitions(previous.conditions ?? [], findings, now, metadata.generation);
    await this.#writeStatus(path, { ...previous, observedGeneration: metadata.generation, conditions }, previous);
    return { next: "sync", periodSeconds: 300 };
  }

  /**
   * An MLScaler is being deleted: its target goes back to min_replicas, unless it asks for Keep, observes, is paused,
   * never scaled, or another acts on the target. What the API server answers for good does not hold the finalizer up.
   */
  async #finalize(key: string, path: string, object: z.infer<typeof objectSchema>): Promise<Outcome> {
    const { metadata, status } = object;
    if (!metadata.finalizers.includes(finalizer)) return this.#forget(key);
    this.#mustLead();
    const { spec } = checkSpec(mlscaler, object.spec);
    if (spec) {
      this.#claim(key, metadata, spec);
      const scaled = status.last_scale_time !== undefined || this.#memories.get(key)?.lastScaled !== undefined;
      if (scaled && releases(spec) && !this.#targets.claimedByOther(key)) {
        await this.#toMinimum(referenceTo(metadata), spec);
      }
    }
    await removeFinalizer(this.around.api, path, metadata, finalizer);
    return this.#forget(key);
  }

  async #toMinimum(reference: ObjectReference, spec: Spec): Promise<void> {
    const { namespace, name, uid } = reference;
    try {
      const scale = await readScale(this.around.api, namespace, spec.target_deployment);
      if (scale.replicas === 0 || scale.replicas === spec.min_replicas) return;
      await writeScale(this.around.api, scale, namespace, spec.target_deployment, spec.min_replicas);
      const message = `${scale.replicas} → ${spec.min_replicas}: the MLScaler is deleted, on_delete is Min`;
      log.info({ kind: reference.kind, namespace, name, uid, reason: "SuccessfulRescale" }, message);
      await this.#record(
        reference,
        { type: "Normal", reason: "SuccessfulRescale", message, action: "Delete" },
        new Date(),
      );
    } catch (error) {
      if (mayPass(error) || isStatus(error, 409)) throw error;
      const fields = { kind: reference.kind, namespace, name, uid, ...errorFields(error) };
      if (!isStatus(error, 404))
        log.warn(fields, "the target could not be put to its minimum, the MLScaler goes all the same");
    }
  }

  async #record(reference: ObjectReference, event: EventText, now: Date): Promise<void> {
    await this.around.events.record(reference, event, now);
  }

  async #read(path: string): Promise<z.infer<typeof objectSchema> | undefined> {
    try {
      return objectSchema.parse(await this.around.api.get(path));
    } catch (error) {
      if (isStatus(error, 404)) return undefined;
      throw error;
    }
  }

  #claim(key: string, metadata: Metadata, spec: Spec): Claim {
    const { creationTimestamp, uid, namespace } = metadata;
    const claim = { key, creationTimestamp, uid, mode: spec.mode };
    this.#targets.claim(`${namespace}/${spec.target_deployment}`, claim);
    return claim;
  }

  #remembered(key: string, uid: string, spec: Spec): Memory {
    const { metric, sync_period_seconds: period, history_size: size } = spec;
    const of = `${metric} every ${period} s`;
    const known = this.#memories.get(key);
    const before = known?.uid === uid ? known : undefined;
    // A gap at the far end of the window must not make it too short.
    const capacity = size + longestBridge;
    if (before?.of === of && before.series.capacity >= capacity) return before;
    const step = period * 1000;
    // A slot begins a little before the object's place, so that a timer a little early does not miss it.
    const series = emptySeries(step, placeMilliseconds(key, period) - slotLeadMilliseconds, capacity);
    if (before?.of === of) Object.assign(series, { last: before.series.last, values: before.series.values });
    const memory: Memory = { recommendations: [], scaleEvents: [], ...before, uid, of, series };
    this.#memories.set(key, memory);
    return memory;
  }

  #forget(key: string): Outcome {
    const [namespace = "", name = ""] = key.split("/");
    this.#memories.delete(key);
    telemetry.forget(namespace, name);
    this.#release(key);
    return { next: "forget" };
  }

  /** The MLScaler claims nothing any more; those that stood back for it look again. */
  #release(key: string): void {
    for (const other of this.#targets.release(key)) this.around.wake(other);
  }
}

const referenceTo = ({ namespace, name, uid }: Metadata): ObjectReference => ({
  apiVersion: `${mlscaler.group}/${mlscaler.version}`,
  kind: mlscaler.kind,
  namespace,
  name,
  uid,
});

/** Whether the target of a deleted MLScaler is to go to its minimum. */
const releases = (spec: Spec): boolean => spec.on_delete === "Min" && spec.mode === "Active" && spec.pause === "None";

const ambiguous = (spec: Spec, rival: Claim): Finding => ({
  type: "AbleToScale",
  status: "False",
  reason: "AmbiguousTarget",
  message: `Deployment ${spec.target_deployment} is already scaled by MLScaler ${rival.key}, which is older; delete one of them, or set spec.mode to Observe`,
});

function remember(memory: Memory, decision: Decision, current: number, { now, scaled }: Report): void {
  const at = now.getTime();
  if (decision.recommended !== undefined) memory.recommendations.push({ at, replicas: decision.recommended });
  memory.scaleEvents = recent(memory.scaleEvents, at);
  if (scaled) {
    memory.scaleEvents.push({ at, change: decision.final - current });
    memory.lastScaled = now;
  }
  memory.lastSync = at;
}

function nextRun({ failures, forecast: result, spec }: Report): Outcome {
  const period = spec.sync_period_seconds;
  const learning = result !== undefined && result.samples < result.wanted;
  if (failures.length > 0)
    return { next: "retry", atMostSeconds: learning ? Math.min(learningSeconds, period) : period };
  if (learning && period > learningSeconds)
    return { next: "soon", afterSeconds: learningSeconds, periodSeconds: period };
  return { next: "sync", periodSeconds: period };
}
