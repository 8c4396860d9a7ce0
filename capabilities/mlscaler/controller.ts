import { setImmediate as turn, setTimeout as delay } from "node:timers/promises";
import { withRaised } from "./assist/minimum";
import { afterApiError } from "../kubernetes/back-off";
import { Discovery } from "../kubernetes/discovery";
import { asError } from "../kubernetes/log";
import { keyOf, type Metadata } from "../kubernetes/metadata";
import { moduleName } from "../kubernetes/names";
import type { Context, CustomObject } from "../operator/custom-object";
import type { Controller, Result } from "../operator/reconciler";
import { Forecasters } from "./forecast/live-forecasters";
import { Tomorrows } from "./forecast/live-tomorrow";
import { Backfill } from "./memory/backfill";
import { LoadRecorder } from "./memory/load-recorder";
import { type Memory, rememberedOf } from "./memory/memory";
import { limitsFrom, Quota } from "./memory/quota";
import { Store } from "./memory/store";
import { metricsApis } from "./metrics/api/apis";
import { TargetMetrics } from "./metrics/observer";
import { Prometheus } from "./metrics/prometheus/client";
import { Nodes } from "./nodes/nodes";
import { settled, worthWriting } from "./report/noise";
import { Publisher } from "./report/publish";
import type { Report } from "./report/report";
import { statusOf } from "./report/status";
import { plan } from "./scaling/plan";
import { mlscaler, type Spec, type Status } from "./schema";
import { act, Conflicts } from "./sync/act";
import { assist } from "./sync/assist";
import { finalize } from "./sync/deletion";
import { Gatherer, type Scaler } from "./sync/gather";
import { invalidFields, skewFailures } from "./sync/faults";
import { type Acting, inMode } from "./sync/mode";
import { nextDayIn } from "./sync/next-day";
import { nextRun } from "./sync/next-run";
import { askForNodes, withBuffer } from "./sync/nodes";
import { rememberSync } from "./sync/remember";
import { brokenSync, endedSync, stepsOf, type Sync } from "./sync/steps";
import { Ownership } from "./target/ownership";

/** The pause of replays after each slice of a millisecond while objects wait for their first sync, in ms: 2 % CPU. */
const restMilliseconds = 50;

/** Scales the target of each MLScaler. `reconcile` is one sync. */
export class MLScalerController implements Controller<Spec, Status> {
  readonly resource = mlscaler;
  readonly fieldManager = moduleName;
  readonly finalizer = "mlscaler.example.com/finalizer";
  readonly retry = afterApiError;
  readonly cacheSeconds = 60;
  readonly #discovery: Discovery;
  readonly #ownership: Ownership;
  readonly #metrics: TargetMetrics;
  readonly #forecasters: Forecasters;
  readonly #tomorrows: Tomorrows;
  readonly #gatherer: Gatherer;
  readonly #nodes: Nodes;
  readonly #store: Store;
  readonly #quota = new Quota(limitsFrom(process.env));
  readonly #conflicts = new Conflicts();
  readonly #publisher = new Publisher();

  constructor(readonly context: Context) {
    const wake = (key: string): void => context.wake(mlscaler.kind, key);
    const prometheus = new Prometheus(context.api, context.turns);
    this.#discovery = new Discovery(context.api);
    this.#ownership = new Ownership(context, wake, key => this.#store.peek(key)?.state.lastScaled);
    const apis = metricsApis(context.api, this.#discovery, prometheus);
    this.#metrics = new TargetMetrics(context.api, apis, context.namespaces);
    const rest = (): Promise<void> => (context.starting() ? delay(restMilliseconds) : turn());
    const wakeSoon = (key: string): void => context.wake(mlscaler.kind, key, "soon");
    this.#forecasters = new Forecasters(() => turn(), rest, wakeSoon);
    this.#tomorrows = new Tomorrows(rest, () => this.#forecasters.replayed());
    const recorder = new LoadRecorder(new Backfill(prometheus, wake));
    this.#nodes = new Nodes(context.api, this.#discovery);
    this.#store = new Store(context, mlscaler);
    this.#gatherer = new Gatherer(context, {
      ...{ discovery: this.#discovery, ownership: this.#ownership, metrics: this.#metrics },
      ...{ recorder, forecasters: this.#forecasters, nodes: this.#nodes },
    });
  }

  start(signal: AbortSignal): void {
    this.#metrics.start(signal);
    this.#ownership.start(signal);
    void this.#store.sweep.until(signal);
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
    return [...new Set([...this.#store.keys(), ...this.#ownership.claims.keys()])];
  }

  readonly sameStatus = (before: Status, after: Status): boolean => !worthWriting(before, after);

  /** One sync: gather, plan, act, remember, report. */
  async reconcile(read: Scaler): Promise<Result<Status>> {
    const acting = await inMode(read, this.#ownership, this.#quota, this.#metrics);
    const { object, refused } = acting;
    if (refused) {
      // A retry may repair an error, and then the buffer is still wanted.
      const nodes = refused.error ? undefined : await askForNodes(object, await this.#nodes.bufferOf(object));
      return this.#report(acting, { ...refused, nodes });
    }
    const before = await this.#store.memoryOf(object);
    const { memory, ...sync } = await this.#steps(acting, before).catch((error: unknown) => {
      if (!this.context.holdsLease(object.metadata.namespace)) throw error;
      return { ...brokenSync(asError(error)), memory: before };
    });
    await this.#store.keep(object.key, memory, object.now);
    return this.#report(acting, { ...sync, unread: before.unread });
  }

  async #steps({ object, bounds, assisted }: Acting, before: Memory): Promise<Sync & { memory: Memory }> {
    const { spec } = object;
    const now = object.now.getTime();
    const gathered = await this.#gatherer.gather(object, bounds, before);
    if (!("world" in gathered)) {
      const action = assisted && (await assist(object, assisted, gathered, this.#conflicts));
      const nodes = gathered.error ? undefined : await askForNodes(object, await this.#nodes.bufferOf(object));
      return { ...endedSync(gathered, action), nodes, memory: before };
    }
    const { world, scale } = gathered;
    const remembered = rememberedOf(before, scale.replicas, spec, now);
    const planned = plan(spec, world, withRaised(remembered, assisted?.autoscaler.note, now), now);
    const action = assisted
      ? await assist(object, assisted, { ...gathered, planned }, this.#conflicts)
      : await act(object, scale, planned.decision, this.#conflicts);
    const nodes = await askForNodes(object, gathered.buffer, { ...planned, world });
    const memory = rememberSync(spec, before, gathered, withBuffer(planned, nodes), action, now);
    const nextDay = nextDayIn(spec, gathered, this.#tomorrows, now);
    return { ...stepsOf(spec, gathered, planned, action, memory), nextDay, nodes, memory };
  }

  async #report(
    { object, bounds, overQuota }: Acting,
    { conflict, error, skews = [], ...steps }: Sync,
  ): Promise<Result<Status>> {
    const { spec, now, status } = object;
    const { clock } = this.context.api;
    if (conflict) return { status, next: { next: "soon", afterSeconds: 0, periodSeconds: spec.sync_period_seconds } };
    const failures = [...invalidFields(spec), ...steps.failures, ...skewFailures(clock.skewFrom(), skews)];
    const { generation } = object.metadata;
    const report: Report = { ...steps, failures, now, generation, spec, bounds, overQuota };
    await this.#publisher.publish(object, report);
    return {
      status: settled(status, statusOf(report, status), steps.replaying),
      next: nextRun(report, error, this.retry, clock.time),
    };
  }

  async finalize(object: CustomObject<Spec | undefined, Status>): Promise<boolean> {
    await finalize(object, {
      ...{ discovery: this.#discovery, ownership: this.#ownership, store: this.#store, conflicts: this.#conflicts },
      nodes: this.#nodes,
    });
    return true;
  }

  /** Writes changed memories before another process acts in these namespaces. Never throws. */
  flush(isIn?: (namespace: string) => boolean): Promise<void> {
    return this.#store.flush(new Date(this.context.api.clock.time), isIn);
  }

  onLeaseLost(key: string): void {
    this.#publisher.onLeaseLost(key);
  }

  onDeleted(key: string): void {
    this.onInvalid(key);
    this.#store.evict(key);
    this.#nodes.drop(key);
    this.#forecasters.drop(key);
  }

  /** Ends the claim of an MLScaler, which wakes those that stood back. Its memory stays. */
  onInvalid(key: string): void {
    this.#publisher.onInvalid(key);
    this.#conflicts.end(key);
    this.#metrics.release(key);
    this.#ownership.release(key);
    this.#quota.release(key);
  }
}
