import { Api, mayPass } from "../common/api";
import { Discovery } from "../common/discovery";
import { errorFields } from "../common/log";
import { Instance } from "../common/reconciler";
import { Backfill } from "./backfill";
import { Forecasts } from "./forecasts";
import { loadId, Memory } from "./history/memory";
import { observeMetrics } from "./long-form";
import { Sources, wantedOf } from "./metrics";
import { loadOf, readyOf } from "./metrics/load";
import { Prometheus } from "./metrics/prometheus";
import { Subject } from "./metrics/source";
import { Foresee, nothing, Observation } from "./observation";
import { Pods } from "./pods";
import { MetricsError, Pod } from "./scaling/reading";
import { Rollout, rolloutOf, withoutStartUp } from "./scaling/rollout";
import { horizonSecondsOf, startUpSeconds } from "./scaling/start-up";
import { LongForm, ShortForm, Spec, Status } from "./schema";
import { Selector, Selectors } from "./selectors";
import { observeLoad, observeNoLoad } from "./short-form";
import { Scale } from "./target";

/** Reads the metrics of targets, takes note of their loads and has them forecast. */
export class Observer {
  readonly #pods: Pods;
  readonly #selectors = new Selectors();
  readonly #sources: Sources;
  readonly #backfill: Backfill;
  readonly #forecasts = new Forecasts();

  /** @param wake has an MLScaler synced, by key: history has come for it */
  constructor(api: Api, discovery: Discovery, wake: (key: string) => void) {
    const prometheus = new Prometheus(api);
    this.#pods = new Pods(api);
    this.#sources = new Sources(api, discovery, prometheus);
    this.#backfill = new Backfill(prometheus, wake);
  }

  /** Watches pods until `signal`. */
  start(signal: AbortSignal): void {
    this.#pods.start(signal);
  }

  /** An MLScaler acts no more on the pods of its target. */
  release(key: string): void {
    this.#selectors.release(key);
  }

  /** Forgets what was forecast of an MLScaler that is gone. */
  forget(key: string): void {
    this.#forecasts.keep(key, []);
  }

  /** Reads the metrics of the target, which is to have `least` replicas now. Throws ApiError when the API server fails. */
  async observe(object: Instance<Spec, Status>, least: number, scale: Scale, memory: Memory): Promise<Observation> {
    const spec = { ...object.spec, min_replicas: least };
    const { namespace } = object.metadata;
    // At 0 replicas there is nothing to measure, and scaling is off.
    if (scale.replicas === 0) {
      this.release(object.key);
      return nothing();
    }
    try {
      const pods = await this.#podsOf(object, scale);
      const { revision: from, replacedAt } = memory;
      const rollout = rolloutOf(pods, { from, replacedAt }, object.now.getTime());
      Object.assign(memory, { revision: rollout.from, replacedAt: rollout.replacedAt });
      if (!spec.rollout_freeze) rollout.starting.clear();
      const subject = { namespace, selector: scale.selector, now: object.now.getTime() };
      const startUp = startUpSeconds(pods);
      const { foresee, filled } = this.#foresee(object, memory, startUp);
      const observation = await (spec.metrics === undefined
        ? this.#observeLoad(spec, memory, pods, rollout, subject, foresee)
        : this.#observeMetrics(spec, pods, rollout, subject, foresee));
      return { ...observation, startUpSeconds: startUp, backfilled: filled() };
    } catch (error) {
      if (!(error instanceof MetricsError)) throw error;
      const { reason, message, event } = error;
      return nothing([{ type: "ScalingActive", status: "False", reason, message, event }]);
    }
  }

  /**
   * The target's pods. Throws MetricsError when they cannot be told from those of another MLScaler that acts, as an HPA
   * does (podautoscaler/horizontal.go, validateAndParseSelector), and ApiError when the API server fails.
   */
  async #podsOf({ key, spec, metadata }: Instance<Spec, Status>, scale: Scale): Promise<Pod[]> {
    const acts = spec.mode === "Active";
    const selector = this.#selectors.of(key, scale.selector);
    if (acts) this.#selectors.claim(key, selector);
    else this.#selectors.release(key);
    const pods = await this.#listed(metadata.namespace, selector, spec);
    const rivals = acts ? this.#selectors.rivals(key, selector, pods) : [];
    if (rivals.length === 0) return pods;
    throw new MetricsError(
      "AmbiguousSelector",
      `pods of the selector ${selector.text} are those of other MLScalers, too: ${rivals.join(", ")}; make the selectors of the targets differ`,
    );
  }

  /** The pods of a selector. What the API server answers for good is a metric that is not known: bounds hold all the same. */
  async #listed(namespace: string, selector: Selector, { metrics }: Spec): Promise<Pod[]> {
    try {
      return await this.#pods.of(namespace, selector);
    } catch (error) {
      if (mayPass(error)) throw error;
      const reason = `FailedGet${metrics?.[0]?.type ?? "Resource"}Metric`;
      throw new MetricsError(reason, `pods cannot be listed: ${errorFields(error).error}; apply dist/install again`);
    }
  }

  /**
   * How loads are taken note of in the history, and forecast, as far ahead as new replicas take to matter; and whether
   * history was filled in meanwhile.
   */
  #foresee(
    object: Instance<Spec, Status>,
    memory: Memory,
    startUp: number,
  ): { foresee: Foresee; filled: () => boolean } {
    const { spec, key, status, now } = object;
    const { forecast: forecasting, sync_period_seconds: period } = spec;
    this.#forecasts.keep(key, forecasting ? memory.coarse.keys() : []);
    const horizonSeconds = forecasting?.horizon_seconds ?? horizonSecondsOf(startUp, period);
    // The status tells of one forecast only.
    const trustedBefore = memory.coarse.size === 1 && (status.forecast?.trusted ?? false);
    let filled = false;
    const foresee: Foresee = (metric, load) => {
      const id = loadId(spec, metric);
      const history = memory.coarse.get(id);
      if (!history) return undefined;
      // A sync that is missed leaves no gap, an outage does.
      history.record(now.getTime(), load, 2 * period * 1000);
      const query = typeof metric === "string" || load === undefined ? undefined : metric.prometheus;
      if (query && this.#backfill.fill(object, query, history, now.getTime())) filled = true;
      if (!forecasting) return undefined;
      return this.#forecasts.of({ key, load: id, forecasting, horizonSeconds, trustedBefore }, history, now.getTime());
    };
    return { foresee, filled: () => filled };
  }

  async #observeLoad(
    spec: ShortForm,
    memory: Memory,
    pods: Pod[],
    { starting }: Rollout,
    subject: Subject,
    foresee: Foresee,
  ): Promise<Observation> {
    const wanted = wantedOf(spec.metric);
    try {
      const ready = readyOf(pods, wanted);
      const samples = await this.#sources.samples(spec.metric, subject);
      const load = loadOf(pods, samples, subject.now, wanted);
      await this.#forecasts.turn(spec.forecast);
      if (starting.size === 0) return observeLoad(spec, memory, load, undefined, subject.now, foresee);
      const without = withoutStartUp(samples, ready, starting);
      const settled = without && loadOf(pods, without, subject.now, wanted);
      return observeLoad(spec, memory, load, { settled }, subject.now, foresee);
    } catch (error) {
      if (!(error instanceof MetricsError) || spec.on_metric_failure?.behavior !== "Forecast") throw error;
      await this.#forecasts.turn(spec.forecast);
      return observeNoLoad(spec, error, foresee);
    }
  }

  async #observeMetrics(
    spec: LongForm,
    pods: Pod[],
    { starting }: Rollout,
    subject: Subject,
    foresee: Foresee,
  ): Promise<Observation> {
    const reads = await Promise.all(
      spec.metrics.map(async metric => {
        try {
          return { metric, reading: await this.#sources.read(metric, subject) };
        } catch (error) {
          if (!(error instanceof MetricsError)) throw error;
          return { metric, error };
        }
      }),
    );
    await this.#forecasts.turn(spec.forecast);
    return observeMetrics(spec, reads, pods, starting, subject.now, foresee);
  }
}
