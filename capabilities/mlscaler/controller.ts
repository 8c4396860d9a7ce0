import { isStatus, mayPass } from "../common/api";
import { Finding } from "../common/conditions";
import { Discovery } from "../common/discovery";
import { asError, errorFields } from "../common/log";
import { faultText } from "../common/check";
import { Metadata } from "../common/objects";
import { Instance, Reconciliation, Round, Surroundings } from "../common/reconciler";
import { Outcome } from "../common/scheduler";
import { compareWithHpa } from "./comparison";
import { putToMinimum, releasesTarget } from "./deletion";
import { Memory, recall, remember } from "./history/memory";
import { Store } from "./history/store";
import { Observer } from "./observer";
import { remembered } from "./scaling/behavior";
import { decide, Decision } from "./scaling/decide";
import { fallbackOf } from "./scaling/metric-failure";
import { boundsAt, faultsOfSchedules } from "./scaling/schedule";
import { mlscaler, Spec, Status } from "./schema";
import { failuresOf, reasonOf, Report, statusOf, warningsOf, worthWriting } from "./status";
import { readScale, Scale, targetOf, writeScale } from "./target";
import { Targets } from "./targets";
import * as telemetry from "./telemetry";

/** How often a decision is made anew when others change the target at the same time. */
const attempts = 3;

/** While it learns, an MLScaler is synced this often. */
const learningSeconds = 10;

/** One MLScaler and its status, as one sync reads it. */
type Scaler = Instance<Spec, Status>;

/** What MLScalers do: `reconcile` is one round for one of them. */
export class MLScalerController implements Reconciliation<Spec, Status> {
  readonly resource = mlscaler;
  readonly fieldManager = "mlscaler";
  readonly finalizer = "mlscaler.example.com/finalizer";
  readonly trustWatchSeconds = 60;
  readonly #discovery: Discovery;
  readonly #observer: Observer;
  readonly #targets: Targets;
  readonly #store: Store;

  constructor(readonly around: Surroundings) {
    this.#discovery = new Discovery(around.api);
    this.#observer = new Observer(around.api, this.#discovery, key => around.wake(mlscaler.kind, key));
    this.#store = new Store(around);
    this.#targets = new Targets(
      around,
      key => around.wake(mlscaler.kind, key),
      key => this.#store.peek(key)?.lastScaled,
    );
  }

  start(signal: AbortSignal): void {
    this.#observer.start(signal);
    this.#targets.start(signal);
    void this.#store.sweepUntil(signal);
  }

  /** Notes which target an MLScaler claims, before any is synced: of two on one target the older acts. */
  seen(metadata: Metadata, spec: Spec | undefined): void {
    // While another process acts, none of these is synced here, so this is where a claim ends.
    if (metadata.deletionTimestamp && !this.around.leading()) this.#targets.release(keyOf(metadata));
    else if (spec) this.#targets.claim(metadata, spec);
  }

  /** The MLScalers of which anything is known; those that are no more have to be looked at once again, to be forgotten. */
  known(): string[] {
    return [...new Set([...this.#store.keys(), ...this.#targets.keys()])];
  }

  readonly sameStatus = (before: Status, after: Status): boolean => !worthWriting(before, after);

  /** One round: observe, remember, forecast, decide, act, report. */
  async reconcile(object: Scaler): Promise<Round<Status>> {
    const { metadata, spec, key, now } = object;
    const bounds = boundsAt(spec, now.getTime());
    const report: Report = {
      ...{ now, generation: metadata.generation, spec, bounds, scaled: false },
      failures: invalidSchedules(spec),
    };
    const standsBack = await this.#targets.standsBack(metadata, spec);
    let failure: Error | undefined;
    if (standsBack) {
      this.#observer.release(key);
      report.failures.push(standsBack);
    } else {
      const memory = await this.#store.memoryOf(object);
      // Where nothing is observed, time passes and leaves a gap.
      for (const history of memory.coarse.values()) history.record(now.getTime());
      try {
        await this.#scale(object, report, memory);
      } catch (error) {
        if (!this.around.leading()) throw error;
        failure = asError(error);
        const { reason, error: message } = errorFields(error);
        report.failures.push({ type: "AbleToScale", status: "Unknown", reason, message });
      }
      await this.#store.keep(key, now);
    }
    await this.#report(object, report);
    return { status: statusOf(report, object.status), next: notAfter(bounds.until, nextRun(report)), failure };
  }

  /** Observe, remember, forecast, decide and act, the results in `report`. Throws ApiError when the API server fails. */
  async #scale(object: Scaler, report: Report, memory: Memory): Promise<void> {
    const { spec, metadata } = object;
    const now = report.now.getTime();
    let scale = await this.#readScale(metadata.namespace, report);
    if (!scale) {
      this.#observer.release(object.key);
      return;
    }
    const observation = await this.#observer.observe(object, report.bounds.min, scale, memory);
    report.backfilled = observation.backfilled;
    recall(memory, scale.replicas, spec.sync_period_seconds, now, remembered(spec.behavior));
    // A time without decisions is no time in which growth was allowed.
    const lastSync = Math.max(memory.lastSync ?? now, now - spec.sync_period_seconds * 1000);

    for (let attempt = 1; scale; attempt++) {
      report.current = scale.replicas;
      const asked = observation.asks(scale);
      report.asked = asked;
      const failedSyncs = asked.failed ? (memory.failedSyncs ?? 0) + 1 : 0;
      const fallback =
        asked.failed &&
        spec.on_metric_failure &&
        fallbackOf(spec.on_metric_failure, failedSyncs, asked.failed.predictive, memory.most);
      const decision = decide({
        now,
        current: scale.replicas,
        bounds: report.bounds,
        pause: spec.pause,
        proposal: asked.proposed,
        fallback,
        behavior: spec.behavior,
        recommendations: memory.recommendations,
        scaleEvents: memory.scaleEvents,
        lastSync,
      });
      report.decision = decision;
      try {
        report.scaled = await this.#act(object, scale, decision);
      } catch (error) {
        if (isStatus(error, 409) && attempt < attempts) {
          // If it is gone, nothing is decided.
          report.decision = undefined;
          scale = await this.#readScale(metadata.namespace, report);
          continue;
        }
        if (mayPass(error)) throw error;
        report.failures.push({
          type: "AbleToScale",
          status: "False",
          reason: "FailedUpdateScale",
          event: "FailedRescale",
          message: `the target refused ${decision.final} replicas: ${errorFields(error).error}`,
        });
      }
      remember(memory, decision, scale.replicas, report.scaled, report.now);
      memory.failedSyncs = failedSyncs;
      // While pods have no sample yet nothing is foreseen; what was allowed before still is.
      memory.most = asked.proposed?.most ?? memory.most;
      report.lastScaled = memory.lastScaled;
      report.comparison = compareWithHpa(report, memory, observation, fallback);
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
      this.#targets.watch(target, path);
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

  /** Writes the scale when it is to differ, and says whether it did. Throws ApiError. */
  async #act(object: Scaler, scale: Scale, decision: Decision): Promise<boolean> {
    if (decision.final === scale.replicas || object.spec.mode === "Observe") return false;
    object.mustLead();
    await writeScale(this.around.api, scale, decision.final);
    return true;
  }

  async #report(object: Scaler, report: Report): Promise<void> {
    telemetry.observe(object.metadata.namespace, object.metadata.name, report);
    for (const { reason, message } of warningsOf(report))
      await object.record({ type: "Warning", reason, message, action: "Sync" });
    if (!report.decision) return;
    const message = reasonOf(report, report.decision);
    if (report.scaled) await object.record({ type: "Normal", reason: "SuccessfulRescale", message, action: "Rescale" });
    else object.log("info", report.decision.basis, message);
    object.log("debug", report.decision.basis, "the steps of the decision", { decision: report.decision });
  }

  /** An MLScaler is being deleted: its target is let go, if this MLScaler scaled it and no other acts on it. */
  async finalize(object: Instance<Spec | undefined, Status>): Promise<boolean> {
    await this.#release(object);
    await this.#store.remove(object.metadata.uid);
    return true;
  }

  flush(): Promise<void> {
    return this.#store.flush(new Date());
  }

  async #release(object: Instance<Spec | undefined, Status>): Promise<void> {
    const { metadata, spec, status, key } = object;
    const memory = this.#store.peek(key);
    const scaled =
      status.last_scale_time !== undefined || (memory?.uid === metadata.uid && memory.lastScaled !== undefined);
    if (spec) this.#targets.claim(metadata, spec);
    if (!spec || !scaled || !releasesTarget(spec) || this.#targets.actedOnByOther(key)) return;
    const message = await putToMinimum(object, spec, this.#discovery);
    if (message !== undefined)
      await object.record({ type: "Normal", reason: "SuccessfulRescale", message, action: "Delete" });
  }

  /** An MLScaler that is gone, or whose spec is invalid, claims nothing any more; those that stood back for it look again. */
  forget(key: string, why: "gone" | "invalid"): void {
    const [namespace = "", name = ""] = key.split("/");
    telemetry.forget(namespace, name);
    if (why === "gone") {
      this.#store.forget(key);
      this.#observer.forget(key);
    }
    this.#observer.release(key);
    this.#targets.release(key);
  }
}

/** The reason of the condition Ready where the cron or time zone of a schedule is not valid, and got past admission. */
const invalidSchedule = "InvalidSchedule";

function invalidSchedules(spec: Spec): Finding[] {
  const faults = faultsOfSchedules(spec);
  return faults.length === 0
    ? []
    : [{ type: "Ready", status: "False", reason: invalidSchedule, message: faults.map(faultText).join("; ") }];
}

/** An outcome whose next run is no later than `at` (epoch milliseconds), if that is given. */
function notAfter(at: number | undefined, outcome: Outcome): Outcome {
  if (at === undefined || outcome.next === "forget") return outcome;
  const seconds = Math.max(0, at - Date.now()) / 1000;
  if (outcome.next === "retry") return { ...outcome, atMostSeconds: Math.min(outcome.atMostSeconds, seconds) };
  const { periodSeconds } = outcome;
  const afterSeconds = outcome.next === "soon" ? outcome.afterSeconds : periodSeconds;
  return seconds < afterSeconds ? { next: "soon", afterSeconds: seconds, periodSeconds } : outcome;
}

const keyOf = ({ namespace, name }: Metadata): string => `${namespace}/${name}`;

function nextRun(report: Report): Outcome {
  const period = report.spec.sync_period_seconds;
  const forecast = report.asked?.forecast;
  // A line of samples that syncs make is soon learned; a day of slots is not.
  const learning = !report.spec.forecast && forecast !== undefined && forecast.samples < forecast.wanted;
  // Another try does not make a schedule valid.
  if (failuresOf(report).some(({ reason }) => reason !== invalidSchedule))
    return { next: "retry", atMostSeconds: learning ? Math.min(learningSeconds, period) : period };
  // What was filled in is replayed within a moment.
  if ((learning || report.backfilled) && period > learningSeconds)
    return { next: "soon", afterSeconds: learningSeconds, periodSeconds: period };
  return { next: "sync", periodSeconds: period };
}
