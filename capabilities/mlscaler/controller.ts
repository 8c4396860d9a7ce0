import { z } from "zod";
import { Api, ApiError, asMergePatch, isStatus, mayPass, mergePatch } from "../common/api";
import { Finding, withTransitions } from "../common/conditions";
import { EventRecorder, EventText } from "../common/events";
import { addFinalizer, removeFinalizer } from "../common/finalizer";
import { errorFields, log } from "../common/log";
import { Metadata, metadataSchema, ObjectReference } from "../common/objects";
import { parseQuantity } from "../common/quantity";
import { checkSpec } from "../common/rules";
import { Outcome } from "../common/scheduler";
import { watchMetadata } from "../common/watch";
import { Claim, Claims } from "./claims";
import { putToMinimum, releasesTarget } from "./deletion";
import { Forecast, forecast } from "./forecast";
import { Memory, memoryOf, recall, remember } from "./history/memory";
import { continuous, record } from "./history/series";
import { Load, MetricsError, Source } from "./metrics";
import { ResourceMetrics } from "./metrics/resource";
import { decide, Decision } from "./scaling/decide";
import { mlscaler, Spec, Status, statusSchema } from "./schema";
import { reasonOf, Report, statusOf, worthWriting } from "./status";
import { listPods, readScale, Scale, writeScale } from "./target";
import * as telemetry from "./telemetry";

export const finalizer = "mlscaler.example.com/finalizer";

/** How often a decision is made anew when others change the target at the same time. */
const attempts = 3;

/** While it learns, an MLScaler is synced this often. */
const learningSeconds = 10;

const objectSchema = z.object({
  metadata: metadataSchema,
  spec: z.unknown(),
  status: statusSchema.catch({}).default({}),
});

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
  readonly #claims = new Claims();
  readonly #memories = new Map<string, Memory>();

  constructor(readonly around: Surroundings) {
    this.#source = new ResourceMetrics(around.api);
  }

  /** Watches Deployments, by their metadata only, so that one edited by hand is looked at at once. Until `signal`. */
  start(signal: AbortSignal): void {
    const wake = (keys: string[]): void => keys.forEach(key => this.around.wake(key));
    const handler = {
      seen: (metadata: Metadata) => wake(this.#claims.seen(metadata)),
      gone: (metadata: Metadata) => wake(this.#claims.gone(metadata)),
      failed: (error: unknown) => log.warn(errorFields(error), "the watch of Deployments broke, it is begun anew"),
    };
    void watchMetadata(this.around.api, "/apis/apps/v1/deployments", handler, signal);
  }

  /** Notes which target an MLScaler claims, before any is synced: of two on one target the older acts. */
  seen(object: unknown): void {
    const { metadata, spec } = objectSchema.parse(object);
    const key = `${metadata.namespace}/${metadata.name}`;
    const checked = checkSpec(mlscaler, spec);
    // While another process acts, none of these is synced here, so this is where a claim ends.
    if (metadata.deletionTimestamp && !this.around.leading()) this.#claims.release(key);
    else if (checked.spec) this.#claim(key, metadata, checked.spec);
  }

  /** The MLScalers of which anything is known; those that are no more have to be looked at once again, to be forgotten. */
  known(): string[] {
    return [...new Set([...this.#memories.keys(), ...this.#claims.keys()])];
  }

  /**
   * One sync: observe, remember, forecast, decide, act, report. Level-based: it reads all it needs and compares.
   * Throws ApiError when the API server fails, to be tried again.
   */
  async sync(key: string): Promise<Outcome> {
    this.#mustLead();
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
    const rival = this.#claims.rival(`${namespace}/${spec.target_deployment}`, claim);
    if (rival) {
      report.failures.push(ambiguous(spec, rival));
    } else {
      const memory = memoryOf(this.#memories.get(key), key, metadata.uid, spec);
      this.#memories.set(key, memory);
      try {
        await this.#scale(namespace, report, memory);
      } catch (error) {
        await this.#reportFailure(path, reference, report, previous, error);
        throw error;
      }
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
    recall(memory, scale.replicas, spec.sync_period_seconds, now);
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
      remember(memory, decision, scale.replicas, report.scaled, report.now);
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
      if (mayPass(error) && !(error instanceof MetricsError)) throw error;
      const reason = error instanceof MetricsError ? error.reason : "FailedGetResourceMetric";
      report.failures.push({ type: "ScalingActive", status: "False", reason, message: errorFields(error).error });
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

  /** Says in the status, if that can be written, that a sync broke off; otherwise it would go on saying that all is well. */
  async #reportFailure(
    path: string,
    reference: ObjectReference,
    report: Report,
    previous: Status,
    error: unknown,
  ): Promise<void> {
    if (!this.around.leading()) return;
    const { reason, error: message } = errorFields(error);
    report.failures.push({ type: "AbleToScale", status: "Unknown", reason, message });
    await this.#report(path, reference, report, previous).catch(() => undefined);
  }

  async #writeStatus(path: string, status: Status, previous: Status): Promise<void> {
    if (!worthWriting(previous, status)) return;
    this.#mustLead();
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

  /** An MLScaler is being deleted: its target is let go, if this MLScaler scaled it and no other acts on it. */
  async #finalize(key: string, path: string, object: z.infer<typeof objectSchema>): Promise<Outcome> {
    const { metadata, status } = object;
    const { namespace, name, uid } = metadata;
    if (!metadata.finalizers.includes(finalizer)) return this.#forget(key);
    const { spec } = checkSpec(mlscaler, object.spec);
    const memory = this.#memories.get(key);
    const scaled = status.last_scale_time !== undefined || (memory?.uid === uid && memory.lastScaled !== undefined);
    if (spec) this.#claim(key, metadata, spec);
    if (spec && scaled && releasesTarget(spec) && !this.#claims.claimedByOther(key)) {
      const message = await putToMinimum(this.around.api, namespace, name, spec, () => this.#mustLead());
      if (message !== undefined) {
        const reason = "SuccessfulRescale";
        log.info({ kind: mlscaler.kind, namespace, name, uid, reason }, message);
        await this.#record(referenceTo(metadata), { type: "Normal", reason, message, action: "Delete" }, new Date());
      }
    }
    this.#mustLead();
    await removeFinalizer(this.around.api, path, metadata, finalizer);
    return this.#forget(key);
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
    this.#claims.claim(`${namespace}/${spec.target_deployment}`, claim);
    return claim;
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
    for (const other of this.#claims.release(key)) this.around.wake(other);
  }
}

const referenceTo = ({ namespace, name, uid }: Metadata): ObjectReference => ({
  apiVersion: `${mlscaler.group}/${mlscaler.version}`,
  kind: mlscaler.kind,
  namespace,
  name,
  uid,
});

const ambiguous = (spec: Spec, rival: Claim): Finding => ({
  type: "AbleToScale",
  status: "False",
  reason: "AmbiguousTarget",
  message: `Deployment ${spec.target_deployment} is already scaled by MLScaler ${rival.key}, which is older; delete one of them, or set spec.mode to Observe`,
});

function nextRun({ failures, forecast: result, spec }: Report): Outcome {
  const period = spec.sync_period_seconds;
  const learning = result !== undefined && result.samples < result.wanted;
  if (failures.length > 0)
    return { next: "retry", atMostSeconds: learning ? Math.min(learningSeconds, period) : period };
  if (learning && period > learningSeconds)
    return { next: "soon", afterSeconds: learningSeconds, periodSeconds: period };
  return { next: "sync", periodSeconds: period };
}
