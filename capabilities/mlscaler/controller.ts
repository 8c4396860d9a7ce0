import { isStatus, mayPass } from "../common/api";
import { Finding } from "../common/conditions";
import { Discovery, pathOfVersion } from "../common/discovery";
import { asError, errorFields, log } from "../common/log";
import { Metadata } from "../common/objects";
import { parseQuantity } from "../common/quantity";
import { Instance, Reconciliation, Round, Surroundings } from "../common/reconciler";
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
import { mlscaler, Spec, Status } from "./schema";
import { reasonOf, Report, statusOf, worthWriting } from "./status";
import { kindId, listPods, readScale, Scale, Target, targetField, targetId, targetOf, writeScale } from "./target";
import * as telemetry from "./telemetry";

/** How often a decision is made anew when others change the target at the same time. */
const attempts = 3;

/** Changes of a target within this time after it was scaled wake nobody. */
const settleMilliseconds = 5_000;

/** Resources of this module that set the replicas of a Deployment of theirs. */
const setReplicas = ["EasyService", "Hello"];

/** While it learns, an MLScaler is synced this often. */
const learningSeconds = 10;

/** The kinds that the module may watch, and their plurals; a target of another kind is looked at once a period. */
const watchable: Record<string, string> = {
  "Deployment.apps": "deployments",
  "StatefulSet.apps": "statefulsets",
  "ReplicaSet.apps": "replicasets",
  "EasyService.app.kubebuilder.io": "easyservices",
  "Hello.fraim.co.jp": "helloes",
  "Echo.my-operator.dev": "echoes",
};

/** One MLScaler and its status, as one sync reads it. */
type Scaler = Instance<Spec, Status>;

/** What MLScalers do: `reconcile` is one round for one of them. */
export class MLScalerController implements Reconciliation<Spec, Status> {
  readonly resource = mlscaler;
  readonly fieldManager = "mlscaler";
  readonly finalizer = "mlscaler.example.com/finalizer";
  readonly #source: Source;
  readonly #discovery: Discovery;
  readonly #claims = new Claims();
  readonly #memories = new Map<string, Memory>();
  /** The kinds of target that are watched, by path, from the first that is scaled. */
  readonly #watched = new Set<string>();
  #running?: AbortSignal;

  constructor(readonly around: Surroundings) {
    this.#source = new ResourceMetrics(around.api);
    this.#discovery = new Discovery(around.api);
  }

  start(signal: AbortSignal): void {
    this.#running = signal;
  }

  /** Notes which target an MLScaler claims, before any is synced: of two on one target the older acts. */
  seen(metadata: Metadata, spec: Spec | undefined): void {
    // While another process acts, none of these is synced here, so this is where a claim ends.
    if (metadata.deletionTimestamp && !this.around.leading()) this.#claims.release(keyOf(metadata));
    else if (spec) this.#claim(metadata, spec);
  }

  /** The MLScalers of which anything is known; those that are no more have to be looked at once again, to be forgotten. */
  known(): string[] {
    return [...new Set([...this.#memories.keys(), ...this.#claims.keys()])];
  }

  readonly sameStatus = (before: Status, after: Status): boolean => !worthWriting(before, after);

  /** One round: observe, remember, forecast, decide, act, report. */
  async reconcile(object: Scaler): Promise<Round<Status>> {
    const { metadata, spec, key, now } = object;
    const claim = this.#claim(metadata, spec);
    const report: Report = { now, generation: metadata.generation, spec, scaled: false, failures: [] };
    const target = targetId(metadata.namespace, targetOf(spec));
    const rival = this.#claims.rival(target, claim);
    const owner = this.#claims.ownerOf(target);
    let failure: Error | undefined;
    if (rival) {
      report.failures.push(ambiguous(spec, rival));
    } else if (owner !== undefined && spec.mode === "Active") {
      report.failures.push(owned(spec, owner));
    } else {
      const memory = memoryOf(this.#memories.get(key), key, metadata.uid, spec);
      this.#memories.set(key, memory);
      try {
        await this.#scale(object, report, memory);
      } catch (error) {
        if (!this.around.leading()) throw error;
        failure = asError(error);
        const { reason, error: message } = errorFields(error);
        report.failures.push({ type: "AbleToScale", status: "Unknown", reason, message });
      }
    }
    await this.#report(object, report);
    return { status: statusOf(report, object.status), next: nextRun(report), failure };
  }

  /** Observe, remember, forecast, decide and act, the results in `report`. Throws ApiError when the API server fails. */
  async #scale(object: Scaler, report: Report, memory: Memory): Promise<void> {
    const { spec, metadata } = object;
    const now = report.now.getTime();
    let scale = await this.#readScale(metadata.namespace, report);
    if (!scale) return;
    const load = await this.#observe(metadata.namespace, scale, report);
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
        report.scaled = await this.#act(object, scale, decision);
      } catch (error) {
        if (isStatus(error, 409) && attempt < attempts) {
          scale = await this.#readScale(metadata.namespace, report);
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

  async #readScale(namespace: string, report: Report): Promise<Scale | undefined> {
    const target = targetOf(report.spec);
    const failed = (message: string): undefined =>
      void report.failures.push({ type: "AbleToScale", status: "False", reason: "FailedGetScale", message });
    try {
      const path = await this.#discovery.pathOf(target, namespace);
      if (path === undefined) return failed(`${target.apiVersion} has no kind ${target.kind} in namespaces`);
      this.#watch(target);
      const scale = await readScale(this.around.api, path);
      report.current = scale.replicas;
      return scale;
    } catch (error) {
      if (mayPass(error)) throw error;
      return failed(
        isStatus(error, 404)
          ? `${target.kind} ${target.name} is not in namespace ${namespace}, or has no scale; create it, or name another in a new MLScaler`
          : `${target.kind} ${target.name}: ${errorFields(error).error}`,
      );
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
  async #act(object: Scaler, scale: Scale, decision: Decision): Promise<boolean> {
    if (decision.final === scale.replicas || object.spec.mode === "Observe") return false;
    object.mustLead();
    await writeScale(this.around.api, scale, decision.final);
    return true;
  }

  async #report(object: Scaler, report: Report): Promise<void> {
    telemetry.observe(object.metadata.namespace, object.metadata.name, report);
    for (const { reason, message } of report.failures)
      await object.record({ type: "Warning", reason, message, action: "Sync" });
    if (!report.decision) return;
    const message = reasonOf(report, report.decision);
    if (report.scaled) await object.record({ type: "Normal", reason: "SuccessfulRescale", message, action: "Rescale" });
    else object.log("info", report.decision.basis, message);
    object.log("debug", report.decision.basis, "the steps of the decision", { decision: report.decision });
  }

  /** An MLScaler is being deleted: its target is let go, if this MLScaler scaled it and no other acts on it. */
  async finalize(object: Instance<Spec | undefined, Status>): Promise<boolean> {
    const { metadata, spec, status, key } = object;
    const memory = this.#memories.get(key);
    const scaled =
      status.last_scale_time !== undefined || (memory?.uid === metadata.uid && memory.lastScaled !== undefined);
    if (spec) this.#claim(metadata, spec);
    if (!spec || !scaled || !releasesTarget(spec) || this.#claims.claimedByOther(key)) return true;
    const message = await putToMinimum(object, spec, this.#discovery);
    if (message !== undefined)
      await object.record({ type: "Normal", reason: "SuccessfulRescale", message, action: "Delete" });
    return true;
  }

  /** An MLScaler that is gone, or whose spec is invalid, claims nothing any more; those that stood back for it look again. */
  forget(key: string, why: "gone" | "invalid"): void {
    if (why === "gone") {
      const [namespace = "", name = ""] = key.split("/");
      this.#memories.delete(key);
      telemetry.forget(namespace, name);
    }
    for (const other of this.#claims.release(key)) this.#wake(other);
  }

  #claim(metadata: Metadata, spec: Spec): Claim {
    const { creationTimestamp, uid, namespace } = metadata;
    const claim = { key: keyOf(metadata), creationTimestamp, uid, mode: spec.mode };
    this.#claims.claim(targetId(namespace, targetOf(spec)), claim);
    return claim;
  }

  /** Watches a kind of target that there is, by metadata only, so that one edited by hand is looked at at once. */
  #watch(target: Target): void {
    const id = kindId(target);
    const plural = watchable[id];
    const path = `${pathOfVersion(target.apiVersion)}/${plural}`;
    if (!this.#running || plural === undefined || this.#watched.has(path)) return;
    this.#watched.add(path);
    const wake = (keys: string[]): void => keys.forEach(key => this.#wake(key));
    const of = ({ namespace, name }: Metadata): string => targetId(namespace, { ...target, name });
    const handler = {
      seen: (metadata: Metadata) => {
        const woken = this.#claims.seen(of(metadata), metadata.generation, replicasOwner(metadata));
        // What our own write, or somebody's answer to it, changes can wait for the next sync: two that undo each other's
        // writes would not let it rest.
        wake(woken.filter(key => !this.#hasJustScaled(key)));
      },
      gone: (metadata: Metadata) => wake(this.#claims.gone(of(metadata))),
      failed: (error: unknown) =>
        log.warn({ target: id, ...errorFields(error) }, "the watch of targets broke, it is begun anew"),
    };
    void watchMetadata(this.around.api, path, handler, this.#running);
  }

  #hasJustScaled(key: string): boolean {
    return Date.now() - (this.#memories.get(key)?.lastScaled?.getTime() ?? -Infinity) < settleMilliseconds;
  }

  #wake(key: string): void {
    this.around.wake(mlscaler.kind, key);
  }
}

const keyOf = ({ namespace, name }: Metadata): string => `${namespace}/${name}`;

const ambiguous = (spec: Spec, rival: Claim): Finding => ({
  type: "AbleToScale",
  status: "False",
  reason: "AmbiguousTarget",
  message: `${targetField(spec)}: ${targetOf(spec).kind} ${targetOf(spec).name} is already scaled by MLScaler ${rival.key}, which is older; delete one of them, or set spec.mode to Observe`,
});

const owned = (spec: Spec, owner: string): Finding => ({
  type: "AbleToScale",
  status: "False",
  reason: "AmbiguousTarget",
  message: `${targetField(spec)}: the replicas of ${targetOf(spec).kind} ${targetOf(spec).name} are set by ${owner}; name that in the target_ref of a new MLScaler`,
});

/** Who sets the replicas of a target of its own, as "EasyService web". */
function replicasOwner({ ownerReferences }: Metadata): string | undefined {
  const owner = ownerReferences.find(({ controller, kind }) => controller && setReplicas.includes(kind));
  return owner && `${owner.kind} ${owner.name}`;
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
