import { setImmediate as turn, setTimeout as delay } from "node:timers/promises";
import { faultText } from "../definition/check";
import { isStatus, mayPass } from "../kubernetes/api";
import { ConditionUpdate } from "../kubernetes/conditions";
import { Discovery } from "../kubernetes/discovery";
import { asError, errorFields } from "../kubernetes/log";
import { keyOf, Metadata } from "../kubernetes/metadata";
import { Skew, skewText } from "../kubernetes/server-clock";
import { Outcome } from "../operator/outcome";
import { placeMilliseconds } from "../operator/place";
import { Context, Controller, CustomObject, Result } from "../operator/reconciler";
import { Forecast, Replaying, replayingOf } from "./forecast/forecast";
import { Forecasters, type ForecastRequest, refitPeriodSeconds } from "./forecast/live-forecasters";
import { faultsOfForecast } from "./forecast/schema";
import { Backfill } from "./memory/backfill";
import { Histories, LoadRecorder } from "./memory/load-recorder";
import { failedSyncsOf, lastSyncOf, Memory, observedSince, recall, remember } from "./memory/memory";
import { limitsFrom, Quota, withoutForecast } from "./memory/quota";
import { Store } from "./memory/store";
import { ActivationReading } from "./metrics/activation";
import { metricsApis } from "./metrics/apis";
import { Observation } from "./metrics/observation";
import { unknownAge, unsampledPods } from "./metrics/load";
import { TargetMetrics } from "./metrics/observer";
import { Prometheus } from "./metrics/prometheus/client";
import {
  activityOf,
  foreseen,
  idleSecondsOf,
  idleSince,
  thresholdOf,
  withActivations,
  withLoadsOf,
} from "./scaling/activity";
import { withBenefit } from "./scaling/benefit";
import { compareWithHpa } from "./scaling/comparison";
import { decide, Decision, Hold } from "./scaling/decide";
import { fallbackOf } from "./scaling/metric-failure";
import { notesOn } from "./scaling/notes";
import { failureOf } from "./scaling/proposal";
import { TargetLoads, loadsOf, propose } from "./scaling/propose";
import { Waiting, waitingOf } from "./scaling/pending";
import { Rollout, rolloutOf } from "./scaling/rollout";
import { BoundsNow, boundsAt, faultsOfSchedules, readings } from "./scaling/schedule";
import { horizonSecondsOf, measuredStartUpSeconds, presumedStartUpSeconds } from "./scaling/start-up";
import { TargetLoad } from "./scaling/target-load";
import { mlscaler, Spec, Status } from "./schema";
import { reasonOf, warningsOf } from "./report/events";
import { worthWriting } from "./report/noise";
import { clockSkewed, failedUpdateScale, failuresOf, Report, SyncSteps } from "./report/report";
import { statusOf, wasScaledToZero, wasTrusted } from "./report/status";
import * as telemetry from "./report/telemetry";
import { putToMinimum, releasesTarget } from "./target/deletion";
import { Ownership } from "./target/ownership";
import { readScale, Scale, writeScale } from "./target/scale";
import { targetOf } from "./target/target";

/** Immediate retries after conflicts in a row. Later conflicts are retried with backoff. */
const conflictRetries = 5;

/** The pause of replays after each slice of a millisecond while objects wait for their first sync, in ms. */
const restMilliseconds = 10;

/** Seconds between syncs while the forecast is learning. */
const learningSeconds = 10;

/** One MLScaler and its status, as one sync reads it. */
type Scaler = CustomObject<Spec, Status>;

/** The steps of one sync, with the conflict or error that ended it. */
type Sync = SyncSteps & {
  /** Present when the scale changed between the read and the write. */
  conflict?: true;
  /** The error that ended the sync early. The reconciler throws it after it has written the status. */
  error?: Error;
  /** The clocks of servers that make the age of values unknown. */
  skews?: Skew[];
};

/** Scales the target of each MLScaler. `reconcile` is one sync. */
export class MLScalerController implements Controller<Spec, Status> {
  readonly resource = mlscaler;
  readonly fieldManager = "mlscaler";
  readonly finalizer = "mlscaler.example.com/finalizer";
  /** At most the sync period of an HPA, so that no object waits for longer than 30 s after an outage. */
  readonly retry = { firstSeconds: 5, atMostSeconds: 15 };
  readonly cacheSeconds = 60;
  readonly #discovery: Discovery;
  readonly #ownership: Ownership;
  readonly #metrics: TargetMetrics;
  readonly #recorder: LoadRecorder;
  readonly #forecasters: Forecasters;
  readonly #store: Store;
  readonly #quota = new Quota(limitsFrom(process.env));
  /** Conflicts in a row, by key. */
  readonly #conflicts = new Map<string, number>();

  constructor(readonly context: Context) {
    const wake = (key: string): void => context.wake(mlscaler.kind, key);
    const prometheus = new Prometheus(context.api);
    this.#discovery = new Discovery(context.api);
    this.#ownership = new Ownership(context, wake, key => this.#store.peek(key)?.state.lastScaled);
    this.#metrics = new TargetMetrics(context.api, metricsApis(context.api, this.#discovery, prometheus));
    this.#forecasters = new Forecasters(
      () => turn(),
      () => (context.starting() ? delay(restMilliseconds) : turn()),
    );
    this.#recorder = new LoadRecorder(new Backfill(prometheus, wake));
    this.#store = new Store(context, mlscaler);
  }

  /** Starts the watches and the sweep of the store, until `signal`. */
  start(signal: AbortSignal): void {
    this.#metrics.start(signal);
    this.#ownership.start(signal);
    void this.#store.sweepUntil(signal);
  }

  /** Records the target of an MLScaler before any sync runs. Of two MLScalers on one target, the older acts. */
  seen(metadata: Metadata, spec: Spec | undefined): void {
    // A process without the Lease runs no finalizer, so it releases the claim here.
    if (metadata.deletionTimestamp && !this.context.leading(metadata.namespace))
      this.#ownership.release(keyOf(metadata));
    else if (spec) this.#ownership.claim(metadata, spec);
    if (metadata.deletionTimestamp) this.#quota.release(keyOf(metadata));
    else if (spec) this.#quota.claim(metadata, spec);
  }

  /** The keys of MLScalers with a memory or a claim. A sync of a deleted one makes the reconciler forget it. */
  known(): string[] {
    return [...new Set([...this.#store.keys(), ...this.#ownership.keys()])];
  }

  readonly sameStatus = (before: Status, after: Status): boolean => !worthWriting(before, after);

  /** One sync: observe, remember, forecast, propose, decide, act, report. */
  async reconcile(read: Scaler): Promise<Result<Status>> {
    this.#quota.claim(read.metadata, read.spec);
    const overQuota = this.#quota.exceeded(read.key);
    const object = overQuota === undefined ? read : read.withSpec(withoutForecast(read.spec));
    const { spec, key, now } = object;
    for (const reading of readings(spec)) await object.turn("schedules", reading);
    const bounds = await object.turn("schedules", () => boundsAt(spec, now.getTime()));
    const rival = await this.#ownership.standsBack(object.metadata, spec);
    const sync = rival ? this.#standBack(key, rival) : await this.#sync(object, bounds);
    const period = spec.sync_period_seconds;
    if (sync.conflict) return { status: object.status, next: { next: "soon", afterSeconds: 0, periodSeconds: period } };
    const failures = [...invalidFields(spec), ...sync.failures, ...this.#clockSkewed(sync.skews)];
    const { generation } = object.metadata;
    const report: Report = { ...sync, failures, now, generation, spec, bounds, overQuota };
    await this.#report(object, report);
    const next = notAfter(bounds.until, nextRun(report), this.context.api.clock.time);
    return { status: statusOf(report, object.status), next, failure: sync.error };
  }

  /** The condition of clocks that differ: ours from that of the API server, or that of a server of metrics. */
  #clockSkewed(skews: Skew[] = []): ConditionUpdate[] {
    const own = this.context.api.clock.skewFrom();
    const ours = "that of MLScaler; correct the clock of its node";
    const others = "that of the API server; correct it, until then its values lower nothing";
    const texts = [...(own ? [skewText(own, ours)] : []), ...skews.map(skew => skewText(skew, others))];
    const message = [...new Set(texts)].join("; ");
    return message ? [{ type: clockSkewed, status: "True", reason: clockSkewed, message }] : [];
  }

  #standBack(key: string, rival: ConditionUpdate): Sync {
    this.#metrics.release(key);
    return { failures: [rival], scaled: false };
  }

  /** Reads the memory, runs the steps and stores the new memory. Throws when the Lease was lost. */
  async #sync(object: Scaler, bounds: BoundsNow): Promise<Sync> {
    const { key, now } = object;
    const before = await this.#store.memoryOf(object);
    // Time without observations leaves a gap.
    for (const grid of before.grids.values()) await object.turn("history", () => grid.record(now.getTime()));
    const { memory, ...sync } = await this.#steps(object, bounds, before).catch((error: unknown) => {
      if (!this.context.leading(object.metadata.namespace)) throw error;
      return { ...broken(asError(error)), memory: before };
    });
    await this.#store.keep(key, memory, now);
    return { ...sync, unread: before.unread };
  }

  /** The steps of a sync: each takes the values before it and returns one. A failure is a value and ends the sync. */
  async #steps(object: Scaler, bounds: BoundsNow, before: Memory): Promise<Sync & { memory: Memory }> {
    const { spec } = object;
    const now = object.now.getTime();

    const { scale, failure, error } = await this.#readScale(object);
    if (!scale) {
      if (!error) this.#metrics.release(object.key);
      return { failures: [failure], scaled: false, error, memory: before };
    }
    const current = scale.replicas;

    const scaledToZero = isScaledToZero(before, object.status);
    const idle = spec.scale_to_zero !== undefined || scaledToZero;
    // Like HPA, a correction to the bounds reads no metrics.
    const corrected = isCorrected(spec, bounds, current);
    const observation = corrected ? unobserved : await this.#metrics.observe(object, scale, idle);
    if (observation.form === "unread") {
      const failures = [failureOf(observation.failure)];
      return { failures, scaled: false, error: observation.error, current, memory: before };
    }
    const rollout = rolloutSeen(observation, before, now);
    // The times of pods are those of the API server.
    const loads = await object.turn("loads", () =>
      loadsOf(spec, observation, rollout.starting, this.context.api.clock.now()),
    );

    const { activations = [], leaders = [] } = observation;
    const totals = withLoadsOf(loads, activations);
    const histories = await this.#recorder.record(object, before, totals, leaders);
    const measured = measuredStartUpSeconds(observation.pods);
    const startUp = measured ?? before.state.startUpSeconds ?? presumedStartUpSeconds;
    const waiting = waitingSeen(observation, before, scale, now);
    const thresholds = totals.map(total => thresholdOf(activations, total));
    const forecasts = await this.#forecast(object, before, loads, { totals, thresholds }, histories, startUp);

    const ofLoads = forecasts.slice(0, loads.totals.length);
    const proven = withBenefit(ofLoads, before.state.benefit);
    const counted = propose(spec, loads, proven, bounds.min, scale);
    const since = idleSinceOf(before, spec, bounds, activations, current, now);
    const activity =
      spec.scale_to_zero &&
      activityOf(spec.scale_to_zero, foreseen(activations, totals, forecasts), {
        ...{ current, since, now },
        counted: counted.proposed !== undefined && counted.failures.length === 0,
      });
    const proposal = withActivations(counted, activations, current);
    const failedSyncs = failedSyncsOf(before, proposal);
    const fallback = fallbackOf(spec.on_metric_failure, failedSyncs, proposal.failed, before.session.most);

    const past = recall(before, current, spec, now);
    const { pause, behavior } = spec;
    const skews = skewsIn(observation);
    const replaying = replayingOf(forecasts);
    const hold = before.unread?.holds ? "StateUnread" : holdOf(skews, loads, replaying);
    const situation = {
      ...{ now, current, bounds, pause, behavior, idle, activity },
      ...{ proposal: proposal.proposed, fallback, ...past },
    };
    const decision = decide({ ...situation, hold, lastSync: lastSyncOf(before, spec, now) });

    const action = await this.#act(object, scale, decision);
    const compares = action.decided && before.grids.size > 0;
    const shadowed = { ...situation, replicas: action.replicas, startUp: startUp * 1000 };
    const shadow = compares
      ? compareWithHpa(spec, loads, ofLoads, before.state.benefit, before.session.shadow, shadowed)
      : undefined;
    const { most } = proposal.proposed ?? {};
    const decided = action.decided
      ? {
          ...{ decision, current, scaled: action.scaled, failedSyncs, most, shadow },
          scaledToZero: (action.scaled ? decision.final === 0 : current === 0 && scaledToZero) || undefined,
        }
      : undefined;
    const memory = remember(before, {
      now,
      series: histories.series,
      revision: rollout,
      waiting: waiting ?? before.session.waiting,
      idleSince: since,
      startUpSeconds: spec.min_replicas === 0 ? measured : undefined,
      past,
      decided,
    });

    const { lastScaled } = memory.state;
    const done = action.decided
      ? { lastScaled, comparison: shadow?.comparison, scaledToZero: memory.state.scaledToZero ?? false }
      : undefined;
    const seen = corrected ? undefined : proposal;
    const { backfilled } = histories;
    const leaderFailure = leaders.find(({ error }) => error)?.error?.message;
    const notes = notesOn(spec, observation.pods);
    const found = {
      ...{ current, proposal: seen, activity, replaying, waiting, backfilled, notes, decision, skews, leaderFailure },
    };
    return { ...found, ...action, ...done, memory };
  }

  /** Reads the scale of the target, or returns the condition of the failure, and its error if that may pass. */
  async #readScale({ metadata: { namespace }, spec }: Scaler): Promise<ScaleRead> {
    const target = targetOf(spec);
    const failed = (message: string, error?: Error): ScaleRead => ({
      failure: { type: "AbleToScale", status: "False", reason: "FailedGetScale", message },
      error,
    });
    try {
      const path = await this.#discovery.pathOf(target, namespace);
      if (path === undefined) return failed(`${target.apiVersion} has no kind ${target.kind} in namespaces`);
      this.#ownership.watch(target, path);
      return { scale: await readScale(this.context.api, path) };
    } catch (error) {
      if (isStatus(error, 404))
        return failed(
          `${target.kind} ${target.name} is not in namespace ${namespace}, or has no scale; ` +
            "create it, or name another in a new MLScaler",
        );
      const message = `${target.kind} ${target.name}: ${errorFields(error).error}`;
      return failed(message, mayPass(error) ? asError(error) : undefined);
    }
  }

  /** One forecast per load, from its history or from the line of the short form. Undefined for a load without one. */
  async #forecast(
    object: Scaler,
    before: Memory,
    loads: TargetLoads,
    { totals, thresholds }: { totals: TargetLoad[]; thresholds: (number | undefined)[] },
    { grids, leaders, series }: Histories,
    startUp: number,
  ): Promise<(Forecast | undefined)[]> {
    const { key, metadata, spec, status } = object;
    const now = object.now.getTime();
    const { forecast: forecasting, sync_period_seconds: period } = spec;
    if (loads.form !== "none") this.#forecasters.keep(key, forecasting ? before.grids.keys() : []);
    if (forecasting) {
      const horizonSeconds = forecasting.horizon_seconds ?? horizonSecondsOf(startUp, period);
      const idleSeconds = spec.min_replicas > 0 ? undefined : idleSecondsOf(spec.scale_to_zero, startUp);
      const coolDownSeconds = spec.scale_to_zero?.cooldown_seconds ?? 0;
      const occurrenceAt = (threshold: number | undefined): ForecastRequest["occurrence"] =>
        threshold === undefined ? undefined : { threshold, coolDownSeconds };
      const uptime = performance.now();
      const phaseMilliseconds = placeMilliseconds(key, refitPeriodSeconds);
      const forecasts: (Forecast | undefined)[] = [];
      for (const [place, load] of grids.entries()) {
        const request = {
          ...{ key, load: load?.id ?? "", forecasting, horizonSeconds, idleSeconds, uptime, phaseMilliseconds },
          occurrence: occurrenceAt(thresholds[place]),
          trustedBefore: wasTrusted(status, metadata.generation, loads.form === "long" ? loads.totals[place] : {}),
        };
        const others = leaders.filter(({ id }) => id !== load?.id).map(({ grid }) => grid);
        const forecast = load && (() => this.#forecasters.forecast(request, load.grid, now, others));
        forecasts.push(forecast && (await object.turn("forecast", forecast)));
      }
      return forecasts;
    }
    if (loads.form !== "short" || loads.error) return [];
    const previous = before.state.series.last;
    const outlook = before.session.line.forecast(series, previous, spec.history_size ?? 0, now, totals[0]?.cautious);
    return [{ ...outlook, horizonSeconds: period }];
  }

  /** Writes the scale if the decision changes it. Failures are part of the result. Throws when the Lease was lost. */
  async #act(object: Scaler, scale: Scale, decision: Decision): Promise<Action> {
    const { key, spec } = object;
    const unscaled = { scaled: false, replicas: scale.replicas, failures: [] };
    if (decision.final === scale.replicas || spec.mode === "Observe") {
      this.#conflicts.delete(key);
      return { ...unscaled, decided: true };
    }
    object.mustLead();
    try {
      await writeScale(this.context.api, scale, decision.final);
      this.#conflicts.delete(key);
      return { decided: true, scaled: true, replicas: decision.final, failures: [] };
    } catch (error) {
      if (isStatus(error, 409) && this.#mayRetry(key)) return { ...unscaled, decided: false, conflict: true };
      const passes = mayPass(error);
      const what = passes ? "the API server did not scale the target to" : "the target refused";
      const message = `${what} ${decision.final} replicas: ${errorFields(error).error}`;
      const reason = { reason: failedUpdateScale, event: "FailedRescale" };
      const refusal: ConditionUpdate = { type: "AbleToScale", status: "False", ...reason, message };
      return { ...unscaled, decided: !passes, failures: [refusal], ...(passes && { error: asError(error) }) };
    }
  }

  /** Counts a conflict of the object. Returns whether the object may be retried at once. */
  #mayRetry(key: string): boolean {
    const conflicts = (this.#conflicts.get(key) ?? 0) + 1;
    this.#conflicts.set(key, conflicts);
    return conflicts <= conflictRetries;
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

  /** Releases the target of a deleted MLScaler, if this MLScaler scaled it and no other autoscaler acts on it. */
  async finalize(object: CustomObject<Spec | undefined, Status>): Promise<boolean> {
    try {
      await this.#release(object);
    } catch (error) {
      // Somebody changed the target between its read and the write.
      if (isStatus(error, 409) && this.#mayRetry(object.key)) return this.finalize(object);
      throw error;
    }
    await this.#store.release(object.key, object.metadata.uid, object.now);
    return true;
  }

  /** Writes changed memories before another process acts in these namespaces. Never throws. */
  flush(isIn?: (namespace: string) => boolean): Promise<void> {
    return this.#store.flush(new Date(this.context.api.clock.time), isIn);
  }

  async #release(object: CustomObject<Spec | undefined, Status>): Promise<void> {
    const { metadata, spec, status, key } = object;
    const memory = this.#store.peek(key);
    const scaled =
      status.last_scale_time !== undefined || (memory?.uid === metadata.uid && memory.state.lastScaled !== undefined);
    if (spec) this.#ownership.claim(metadata, spec);
    const scaledToZero = memory?.uid === metadata.uid ? isScaledToZero(memory, status) : wasScaledToZero(status);
    if (!spec || !scaled || !releasesTarget(spec, scaledToZero)) return;
    const isTaken = (): boolean => this.#ownership.actedOnByOther(key);
    const message = await putToMinimum(object, spec, scaledToZero, this.#discovery, isTaken);
    if (message !== undefined)
      await object.record({ type: "Normal", reason: "SuccessfulRescale", message, action: "Delete" });
  }

  /** Removes the series of an MLScaler on which another process acts. */
  lost(key: string): void {
    const [namespace = "", name = ""] = key.split("/");
    telemetry.forget(namespace, name);
  }

  /**
   * Forgets a deleted MLScaler, or one with an invalid spec. Its claim ends, which wakes the MLScalers that stood back.
   */
  forget(key: string, why: "gone" | "invalid"): void {
    this.lost(key);
    if (why === "gone") {
      this.#store.forget(key);
      this.#forecasters.keep(key, []);
    }
    this.#conflicts.delete(key);
    this.#metrics.release(key);
    this.#ownership.release(key);
    this.#quota.release(key);
  }
}

/** The reason of Ready when a schedule that passed admission has an invalid cron expression or time zone. */
const invalidSchedule = "InvalidSchedule";
/** The reason of Ready when a forecast block that passed admission has an invalid time zone or date. */
const invalidForecast = "InvalidForecast";

/** The reasons of failures that no retry repairs. */
const lasting = [invalidSchedule, invalidForecast, unsampledPods, unknownAge, clockSkewed];

/** The conditions of fields that passed admission and that no rule of the CRD can check. */
const invalidFields = (spec: Spec): ConditionUpdate[] =>
  [
    { reason: invalidSchedule, faults: faultsOfSchedules(spec) },
    { reason: invalidForecast, faults: faultsOfForecast(spec) },
  ].flatMap(({ reason, faults }): ConditionUpdate[] =>
    faults.length === 0 ? [] : [{ type: "Ready", status: "False", reason, message: faults.map(faultText).join("; ") }],
  );

/** Returns the outcome with its next run no later than `at`, at `now`, in epoch ms. Without `at` nothing changes. */
function notAfter(at: number | undefined, outcome: Outcome, now: number): Outcome {
  if (at === undefined || outcome.next === "forget") return outcome;
  const seconds = Math.max(0, at - now) / 1000;
  if (outcome.next === "retry") return { ...outcome, atMostSeconds: Math.min(outcome.atMostSeconds, seconds) };
  const { periodSeconds } = outcome;
  const afterSeconds = outcome.next === "soon" ? outcome.afterSeconds : periodSeconds;
  return seconds < afterSeconds ? { next: "soon", afterSeconds: seconds, periodSeconds } : outcome;
}

type ScaleRead =
  | { scale: Scale; failure?: undefined; error?: undefined }
  | { scale?: undefined; failure: ConditionUpdate; error?: Error };

/** The observation of a sync that needs none. */
const unobserved: Observation = { form: "none", pods: [] };

/** Whether the sync only puts the target within its bounds. One that stays outside of them is observed. */
const isCorrected = ({ mode, pause }: Spec, { min, max }: BoundsNow, current: number): boolean =>
  mode === "Active" &&
  ((current > max && pause !== "All" && pause !== "Down") ||
    (current > 0 && current < min && pause !== "All" && pause !== "Up"));

/** Whether this MLScaler scaled its target to 0. A process without decisions of its own believes the condition. */
const isScaledToZero = ({ state, session }: Memory, status: Status): boolean =>
  state.scaledToZero === true || (session.lastSync === undefined && wasScaledToZero(status));

/** Since when a target with replicas has had no work, as far as it was observed without a break. */
function idleSinceOf(
  before: Memory,
  spec: Spec,
  { min }: BoundsNow,
  activations: ActivationReading[],
  current: number,
  now: number,
): number | undefined {
  if (current === 0 || min > 0 || before.state.replicas === 0) return undefined;
  return idleSince(activations, observedSince(before, spec, now) ? before.session.idleSince : undefined, now);
}

/** The result of writing the scale. */
interface Action {
  /** Whether the decision counts: the scale was written, was right already, or the target refuses the count. */
  decided: boolean;
  scaled: boolean;
  /** The target's replicas after the write. */
  replicas: number;
  failures: ConditionUpdate[];
  conflict?: true;
  /** The API server failed. */
  error?: Error;
}

/** The result of a sync that an error ended. */
const broken = (error: Error): Sync => ({ failures: [unknownState(error)], scaled: false, error });

function unknownState(error: Error): ConditionUpdate {
  const { reason, error: message } = errorFields(error);
  return { type: "AbleToScale", status: "Unknown", reason, message };
}

/** The clocks that make the age of a value unknown, each once. */
function skewsIn(observation: Observation): Skew[] {
  const readings = observation.form === "long" ? observation.readings : [];
  const ofMetrics = readings.flatMap(read =>
    "reading" in read && "milli" in read.reading && read.reading.skew ? [read.reading.skew] : [],
  );
  const found = [...ofMetrics, ...(observation.activations ?? []).flatMap(({ skew }) => skew ?? [])];
  return [...new Map(found.map(skew => [skew.server, skew])).values()];
}

/** What is unknown and could ask for more replicas than the proposal. */
function holdOf(skews: Skew[], loads: TargetLoads, replaying: Replaying | undefined): Hold | undefined {
  if (skews.length > 0 || (loads.form === "short" && !loads.error && loads.untold)) return clockSkewed;
  return replaying === "Held" ? "Replaying" : undefined;
}

/** The rollout of a target. Without pods the revision before it stays. */
function rolloutSeen(observation: Observation, { state, session }: Memory, now: number): Rollout {
  const before = { from: state.revision, replacedAt: session.replacedAt };
  return observation.form === "none" ? { ...before, starting: new Set() } : rolloutOf(observation.pods, before, now);
}

/** The replicas that do not start; undefined if the pods are unknown. */
function waitingSeen(observation: Observation, { session }: Memory, scale: Scale, now: number): Waiting | undefined {
  if (observation.form === "none" && observation.error) return undefined;
  return waitingOf(session.waiting, scale, observation.pods, now);
}

function nextRun(report: Report): Outcome {
  const period = report.spec.sync_period_seconds;
  const forecast = report.proposal?.forecast;
  // Shorter pauses help only the line of the short form, which needs one sample per sync. Models need a day of slots.
  const learning = !report.spec.forecast && forecast !== undefined && forecast.samples < forecast.wanted;
  if (failuresOf(report).some(({ reason }) => !lasting.includes(reason)))
    return { next: "retry", atMostSeconds: learning ? Math.min(learningSeconds, period) : period };
  const corrected = report.scaled && report.decision?.basis === "Bounds";
  // The models replay backfilled history in seconds. A correction to the bounds has read no metrics.
  if ((learning || report.backfilled || corrected) && period > learningSeconds)
    return { next: "soon", afterSeconds: learningSeconds, periodSeconds: period };
  return { next: "sync", periodSeconds: period };
}
