import { setImmediate as turn, setTimeout as delay } from "node:timers/promises";
import { type Assisted, putBack, readAssisted, type Unassisted } from "./assist/assist";
import { withRaised } from "./assist/minimum";
import { isStatus } from "../kubernetes/api";
import { afterApiError } from "../kubernetes/back-off";
import type { ConditionUpdate } from "../kubernetes/conditions";
import { Discovery } from "../kubernetes/discovery";
import { asError, errorFields } from "../kubernetes/log";
import { keyOf, type Metadata } from "../kubernetes/metadata";
import { type Skew, skewText } from "../kubernetes/server-clock";
import type { Context, Controller, CustomObject, Result } from "../operator/reconciler";
import { Forecasters } from "./forecast/live-forecasters";
import { Backfill } from "./memory/backfill";
import { LoadRecorder } from "./memory/load-recorder";
import { type Memory, remember, rememberedOf } from "./memory/memory";
import { limitsFrom, Quota, withoutForecast } from "./memory/quota";
import { Store } from "./memory/store";
import { metricsApis } from "./metrics/api/apis";
import { TargetMetrics } from "./metrics/observer";
import { Prometheus } from "./metrics/prometheus/client";
import { describe } from "./report/description";
import { releasedEvent } from "./report/events";
import { worthWriting } from "./report/noise";
import { publish } from "./report/publish";
import { clockSkewed, type Report, type SyncSteps } from "./report/report";
import { statusOf, wasScaledToZero } from "./report/status";
import * as telemetry from "./report/telemetry";
import { type Plan, plan } from "./scaling/plan";
import { type BoundsNow, boundsAt, readings } from "./scaling/schedule/schedule";
import { mlscaler, type Spec, type Status } from "./schema";
import { act, type Action, Conflicts } from "./sync/act";
import { assist } from "./sync/assist";
import { type Gathered, Gatherer, isScaledToZero, type Scaler } from "./sync/gather";
import { invalidFields } from "./sync/invalid-fields";
import { learnOutcome } from "./sync/learn";
import { nextRun } from "./sync/next-run";
import { releasesTarget, scaleToMinimum } from "./target/deletion";
import { Ownership } from "./target/ownership";

/** The pause of replays after each slice of a millisecond while objects wait for their first sync, in ms. */
const restMilliseconds = 10;

/** The steps of one sync, with the conflict or error that ended it. */
type Sync = SyncSteps & Pick<Action, "conflict" | "error"> & Partial<Pick<Gathered, "skews">>;

/** A sync, with the MLScaler as it acted. */
interface Synced {
  object: Scaler;
  bounds: BoundsNow;
  overQuota?: string;
  sync: Sync;
}

/** Scales the target of each MLScaler. `reconcile` is one sync. */
export class MLScalerController implements Controller<Spec, Status> {
  readonly resource = mlscaler;
  readonly fieldManager = "mlscaler";
  readonly finalizer = "mlscaler.example.com/finalizer";
  readonly retry = afterApiError;
  readonly cacheSeconds = 60;
  readonly #discovery: Discovery;
  readonly #ownership: Ownership;
  readonly #metrics: TargetMetrics;
  readonly #forecasters: Forecasters;
  readonly #gatherer: Gatherer;
  readonly #store: Store;
  readonly #quota = new Quota(limitsFrom(process.env));
  readonly #conflicts = new Conflicts();
  /** The days on which autoscalers had an Event of their raised minimum, by the key of the MLScaler. */
  readonly #announced = new Map<string, string>();

  constructor(readonly context: Context) {
    const wake = (key: string): void => context.wake(mlscaler.kind, key);
    const prometheus = new Prometheus(context.api, context.turns);
    this.#discovery = new Discovery(context.api);
    this.#ownership = new Ownership(context, wake, key => this.#store.peek(key)?.state.lastScaled);
    const apis = metricsApis(context.api, this.#discovery, prometheus);
    this.#metrics = new TargetMetrics(context.api, apis, context.namespaces);
    this.#forecasters = new Forecasters(
      () => turn(),
      () => (context.starting() ? delay(restMilliseconds) : turn()),
    );
    const recorder = new LoadRecorder(new Backfill(prometheus, wake));
    this.#store = new Store(context, mlscaler);
    this.#gatherer = new Gatherer(context, {
      ...{ discovery: this.#discovery, ownership: this.#ownership, metrics: this.#metrics },
      ...{ recorder, forecasters: this.#forecasters },
    });
  }

  /** Starts the watches and the sweep of the store, until `signal`. */
  start(signal: AbortSignal): void {
    this.#metrics.start(signal);
    this.#ownership.start(signal);
    void this.#store.sweepUntil(signal);
  }

  /** Records the target of an MLScaler before any sync runs. Of two MLScalers on one target, the older acts. */
  onObserved(metadata: Metadata, spec: Spec | undefined): void {
    // A process without the Lease runs no finalizer, so it releases the claim here.
    if (metadata.deletionTimestamp && !this.context.holdsLease(metadata.namespace))
      this.#ownership.release(keyOf(metadata));
    else if (spec) this.#ownership.claim(metadata, spec);
    if (metadata.deletionTimestamp) this.#quota.release(keyOf(metadata));
    // A sync knows the metrics of the HPA that it assists.
    else if (spec && spec.metrics.length > 0) this.#quota.claim(metadata, spec);
  }

  /** The keys of MLScalers with a memory or a claim. A sync of a deleted one makes the reconciler drop it. */
  trackedKeys(): string[] {
    return [...new Set([...this.#store.keys(), ...this.#ownership.keys()])];
  }

  readonly sameStatus = (before: Status, after: Status): boolean => !worthWriting(before, after);

  /** One sync: gather, plan, act, remember, report. */
  async reconcile(read: Scaler): Promise<Result<Status>> {
    for (const reading of readings(read.spec)) await read.turn("schedules", reading);
    const { object, bounds, overQuota, sync } = await this.#synced(read);
    const { spec, now } = object;
    if (sync.conflict) {
      const next = { next: "soon", afterSeconds: 0, periodSeconds: spec.sync_period_seconds } as const;
      return { status: object.status, next };
    }
    const failures = [...invalidFields(spec), ...sync.failures, ...this.#clockSkewed(sync.skews)];
    const { generation } = object.metadata;
    const report: Report = { ...sync, failures, now, generation, spec, bounds, overQuota };
    await publish(object, report, this.#announced);
    return {
      status: statusOf(report, object.status),
      next: nextRun(report, sync.error, this.retry, this.context.api.clock.time),
    };
  }

  /** Syncs an MLScaler in the mode in which it acts now, unless it has to stand back. */
  async #synced(found: Scaler): Promise<Synced> {
    // It waits until the HPAs are known, on which the mode depends.
    const rival = await this.#ownership.conflictOf(found.metadata, found.spec);
    const mode = this.#ownership.modeOf(found.metadata, found.spec);
    const hpas = this.#ownership.hpasOn(found.metadata.namespace, found.spec);
    const inMode = found.withSpec({ ...found.spec, mode });
    const assists = mode === "Assist" && !rival && hpas[0];
    const read = assists ? await readAssisted(inMode, assists) : undefined;
    const [assisted, unassisted] = read && "reason" in read ? [undefined, read] : [read, undefined];
    const object = assisted ? inMode.withSpec(assisted.spec) : inMode;
    const bounds = await object.turn("schedules", () => boundsAt(object.spec, object.now.getTime()));
    const done = (sync: Sync): Synced => ({ object, bounds, sync });
    if (unassisted?.reason === "FailedGetAutoscaler") return done({ ...notAssisted(unassisted), leftRaised: true });
    const error = await putBack(object, assisted ? [] : hpas, assisted?.autoscaler.path);
    if (error) return done({ ...broken(error), leftRaised: true });
    if (unassisted) return done(notAssisted(unassisted));
    if (rival) return done(this.#standBack(object.key, rival));
    this.#quota.claim(object.metadata, object.spec);
    const overQuota = this.#quota.exceeded(object.key);
    const within = overQuota === undefined ? object : object.withSpec(withoutForecast(object.spec));
    return { object: within, bounds, overQuota, sync: await this.#sync(within, bounds, assisted) };
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
  async #sync(object: Scaler, bounds: BoundsNow, assisted: Assisted | undefined): Promise<Sync> {
    const { key, now } = object;
    const before = await this.#store.memoryOf(object);
    // Time without observations leaves a gap.
    for (const grid of before.grids.values()) await object.turn("history", () => grid.record(now.getTime()));
    const { memory, ...sync } = await this.#steps(object, bounds, before, assisted).catch((error: unknown) => {
      if (!this.context.holdsLease(object.metadata.namespace)) throw error;
      return { ...broken(asError(error)), memory: before };
    });
    await this.#store.keep(key, memory, now);
    return { ...sync, unread: before.unread };
  }

  async #steps(
    object: Scaler,
    bounds: BoundsNow,
    before: Memory,
    assisted: Assisted | undefined,
  ): Promise<Sync & { memory: Memory }> {
    const { spec } = object;
    const now = object.now.getTime();
    const gathered = await this.#gatherer.gather(object, bounds, before);
    if (!("world" in gathered)) {
      const ended = { ...gathered, scaled: false };
      const action = assisted && (await assist(object, assisted, gathered, this.#conflicts));
      return { ...ended, ...action, failures: [...ended.failures, ...(action?.failures ?? [])], memory: before };
    }
    const { world, scale, histories, rollout, measuredStartUp, scaledToZero } = gathered;
    const current = scale.replicas;
    const remembered = withRaised(rememberedOf(before, current, spec, now), assisted?.autoscaler.note, now);
    const planned = plan(spec, world, remembered, now);
    const { decision } = planned;
    const action = assisted
      ? await assist(object, assisted, { ...gathered, planned }, this.#conflicts)
      : await act(object, scale, decision, this.#conflicts);
    const isAtZero = action.scaled ? decision.final === 0 : current === 0 && scaledToZero;
    const shadow = learnOutcome(spec, before, gathered, planned, action, now);
    const memory = remember(before, {
      ...{ now, plan: planned, series: histories.series, revision: rollout },
      waiting: gathered.waiting ?? before.session.waiting,
      startUpSeconds: spec.min_replicas === 0 ? measuredStartUp : undefined,
      decided: action.decided
        ? { current, scaled: action.scaled, shadow, scaledToZero: isAtZero || undefined }
        : undefined,
    });
    return { ...stepsOf(spec, gathered, planned), ...action, ...(action.decided && doneIn(memory)), memory };
  }

  /** Releases the target of a deleted MLScaler, if this MLScaler scaled it and no other autoscaler acts on it. */
  async finalize(object: CustomObject<Spec | undefined, Status>): Promise<boolean> {
    const { metadata, spec } = object;
    if (spec) {
      await this.#ownership.hpasUnknownIn(metadata.namespace);
      const error = await putBack(object, this.#ownership.hpasOn(metadata.namespace, spec));
      if (error) throw error;
    }
    try {
      await this.#release(object);
    } catch (error) {
      // Somebody changed the target between its read and the write.
      if (isStatus(error, 409) && this.#conflicts.mayRetry(object.key)) return this.finalize(object);
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
    const done = await scaleToMinimum(object, spec, scaledToZero, this.#discovery, isTaken);
    if (done) await object.record(releasedEvent(spec, done));
  }

  /** Removes the series of an MLScaler on which another process acts. */
  onLeaseLost(key: string): void {
    const [namespace = "", name = ""] = key.split("/");
    telemetry.forget(namespace, name);
  }

  onDeleted(key: string): void {
    this.onInvalid(key);
    this.#store.evict(key);
    this.#forecasters.drop(key);
  }

  /** Ends the claim of an MLScaler, which wakes those that stood back. Its memory stays. */
  onInvalid(key: string): void {
    this.onLeaseLost(key);
    this.#conflicts.end(key);
    this.#announced.delete(key);
    this.#metrics.release(key);
    this.#ownership.release(key);
    this.#quota.release(key);
  }
}

/** The result of a sync whose autoscaler cannot be assisted. */
const notAssisted = ({ error, ...condition }: Unassisted): Sync => ({
  failures: [{ type: "AbleToScale", status: "False", ...condition }],
  ...{ scaled: false, error },
});

/** What a sync reports of its steps. A correction to the bounds reports no metrics. */
function stepsOf(
  spec: Spec,
  gathered: Gathered,
  { proposal, forecasts, activity, decision, planned }: Plan,
): Partial<SyncSteps> {
  const { world, scale, corrected, replaying, waiting, histories, notes, skews, leaderFailure } = gathered;
  const percent = spec.forecast?.quantile_percent;
  return {
    ...{ current: scale.replicas, activity, replaying, waiting, notes, decision, planned, skews, leaderFailure },
    proposal: corrected ? undefined : { ...proposal, ...describe(world.loads, forecasts, proposal, percent) },
    backfilled: histories.backfilled,
  };
}

/** What a sync whose decision counts reports of the memory. */
const doneIn = ({ state, session }: Memory): Partial<SyncSteps> => ({
  lastScaled: state.lastScaled,
  comparison: session.shadow?.comparison,
  scaledToZero: state.scaledToZero ?? false,
});

/** The result of a sync that an error ended. */
const broken = (error: Error): Sync => ({ failures: [unknownState(error)], scaled: false, error });

function unknownState(error: Error): ConditionUpdate {
  const { reason, error: message } = errorFields(error);
  return { type: "AbleToScale", status: "Unknown", reason, message };
}
