import { createHash } from "node:crypto";
import { setImmediate as turn } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import { Review } from "../common/admission";
import { Api } from "../common/api";
import { Discovery } from "../common/discovery";
import { errorFields, log } from "../common/log";
import { pause } from "../common/pause";
import { parseQuantity } from "../common/quantity";
import { lastDay, LastDay, PastLoad, Replayed } from "./backtest/last-day";
import { settingsOf } from "./forecasts";
import { CoarseGrid, slotMilliseconds, slotOf } from "./history/coarse";
import { ForecastLoad, forecastLoads, loadId } from "./history/memory";
import { storedLoads } from "./history/stored";
import { Prometheus } from "./metrics/prometheus";
import { capacityOf } from "./metrics/total";
import { horizonSecondsOf, startUpSeconds } from "./scaling/start-up";
import { Spec } from "./schema";
import { targetOf } from "./target";
import { TargetLook } from "./target-look";

/** How long an answer is kept, in ms: after that the day has moved by a slot. */
const keptMilliseconds = 300_000;
const mostKept = 1000;

/** Where nothing was known of a load, there is no look for so long, in ms. */
const unknownMilliseconds = 60_000;
const mostUnknown = 10_000;

/** So long nobody else is heard, in ms, as long as no piece of the work takes longer by itself. */
const sliceMilliseconds = 5;

/** When others have asked lately, the work rests for so long after each slice, both in ms. */
const restMilliseconds = 10;
const latelyMilliseconds = 100;

/** So many days are asked of a Prometheus server. */
const askedDays = 14;
/** Who waits for the answer is long gone when a read takes so long: it is made for who asks again. */
const readSeconds = 5;
const dayMilliseconds = 86_400_000;

const neverAborted = new AbortController().signal;

/** Kubernetes asks for warnings of at most so many characters. */
const longestText = 256;

/** What a spec would have done on the last day, told in one line. One backtest at a time, whatever is asked meanwhile. */
export class WhatIf {
  /** By object and spec; without a text where there is nothing to tell. */
  readonly #told = new LRUCache<string, { text?: string }>({ max: mostKept, ttl: keptMilliseconds });
  /** Objects and loads of which nothing is stored, nor known to a server. */
  readonly #unknown = new LRUCache<string, true>({ max: mostUnknown, ttl: unknownMilliseconds });
  #busy = false;

  /**
   * @param prometheus asked for loads that are not stored
   * @param reviewed how many reviews there have been: a backtest gives way while there are others
   */
  constructor(
    readonly api: Api,
    readonly discovery: Discovery,
    readonly prometheus: Pick<Prometheus, "range">,
    readonly reviewed: () => number,
  ) {}

  /**
   * "backtest 24h: …", as soon as it is there and before `milliseconds` have passed; undefined when it is not by then,
   * when another is under way, or where there is no history to tell from. What takes longer goes on, for who asks again.
   * Never throws.
   */
  async ask(review: Review<Spec>, milliseconds: number): Promise<string | undefined> {
    if (this.#unknown.has(loadsOf(review)) || (!review.before && !asksServer(review.spec))) return undefined;
    const key = keyOf(review);
    const told = this.#told.get(key);
    if (told || this.#busy || milliseconds <= 0) return told?.text;
    this.#busy = true;
    const asked = this.#tell(review)
      .then(text => {
        this.#told.set(key, { text });
        return text;
      })
      .catch((error: unknown) => {
        const { namespace, name } = review;
        log.debug({ kind: "MLScaler", namespace, name, ...errorFields(error) }, "no backtest");
        return undefined;
      })
      .finally(() => (this.#busy = false));
    const answered = new AbortController();
    const late = pause(milliseconds, answered.signal).then(() => undefined);
    const text = await Promise.race([asked, late]);
    answered.abort();
    return text;
  }

  async #tell(review: Review<Spec>): Promise<string | undefined> {
    const replayed = await this.#replayedOf(review);
    if (!replayed) return undefined;
    const work = lastDay(replayed);
    let reviewed = this.reviewed();
    let restsUntil = 0;
    for (;;) {
      const sliceUntil = performance.now() + sliceMilliseconds;
      while (performance.now() < sliceUntil) {
        const { done, value } = work.next();
        if (done) return value && textOf(value);
      }
      await turn();
      if (this.reviewed() > reviewed) restsUntil = performance.now() + latelyMilliseconds;
      reviewed = this.reviewed();
      if (performance.now() < restsUntil) await pause(restMilliseconds, neverAborted);
    }
  }

  /** What is to be replayed, as far as there is history and the target is known. Throws what reading it throws. */
  async #replayedOf(review: Review<Spec>): Promise<Replayed | undefined> {
    const { namespace, name, spec } = review;
    const metrics = forecastLoads(spec);
    if (metrics.length === 0) return undefined;
    const grids = await this.#gridsOf(review, Date.now());
    if (!grids.every(grid => grid !== undefined)) {
      this.#unknown.set(loadsOf(review), true);
      return undefined;
    }
    const look = new TargetLook(this.api, this.discovery, namespace, targetOf(spec), () => readSeconds);
    const loads = await Promise.all(
      grids.map(async (grid, index): Promise<PastLoad> => {
        return { means: grid.loads(), capacity: await this.#capacityOf(spec, metrics[index] ?? "", look) };
      }),
    );
    const startUp = startUpSeconds(await look.pods());
    const { forecast: forecasting, sync_period_seconds: period, history_size: historySize = 0 } = spec;
    const horizonSeconds = forecasting?.horizon_seconds ?? horizonSecondsOf(startUp, period);
    return {
      loads,
      rule: spec.metrics ? "hpa" : "short form",
      forecast: forecasting
        ? settingsOf({ key: `${namespace}/${name}`, forecasting, horizonSeconds })
        : { historySize },
      maxExtraPercent: forecasting?.max_extra_percent ?? 0,
      bounds: { min: spec.min_replicas, max: spec.max_replicas },
      behavior: spec.behavior,
      startUpSeconds: startUp,
      syncPeriodSeconds: period,
    };
  }

  /** The loads that are forecast, as they are stored, or as a Prometheus server has them; each undefined where neither has. */
  async #gridsOf({ spec, before }: Review<Spec>, now: number): Promise<(CoarseGrid | undefined)[]> {
    const uid = before?.metadata?.uid;
    const metrics = forecastLoads(spec);
    const ids = metrics.map(metric => loadId(spec, metric));
    const stored = uid === undefined ? [] : await storedLoads(this.api, uid, ids, now);
    return Promise.all(metrics.map(async (metric, index) => stored[index] ?? this.#rangeOf(metric, now)));
  }

  /** Throws MetricsError when the server does not tell. */
  async #rangeOf(metric: ForecastLoad, now: number): Promise<CoarseGrid | undefined> {
    const prometheus = typeof metric === "string" ? undefined : metric.prometheus;
    if (!prometheus) return undefined;
    const { server, query } = prometheus;
    const to = slotOf(now) * slotMilliseconds;
    const from = to - askedDays * dayMilliseconds;
    const options = { timeoutSeconds: readSeconds };
    const values = await this.prometheus.range(server, query, from, to, slotMilliseconds, options);
    const grid = new CoarseGrid();
    grid.backfill(
      values.map(([at, load]) => ({ at, load })),
      slotMilliseconds,
      now,
    );
    return grid;
  }

  async #capacityOf(spec: Spec, metric: ForecastLoad, look: TargetLook): Promise<number> {
    if (typeof metric === "string") return 1 / (parseQuantity(spec.replicas_per_unit ?? "") ?? NaN);
    const isShare = (metric.resource ?? metric.containerResource)?.target.averageUtilization !== undefined;
    const pod = isShare ? await look.pod() : undefined;
    return capacityOf(metric, pod ? [pod] : []);
  }
}

/** Whether a Prometheus server may know a load of an object that is new. */
const asksServer = ({ metrics = [] }: Spec): boolean => metrics.some(({ prometheus }) => prometheus !== undefined);

/** What a history is of: the object and its loads. */
const loadsOf = ({ namespace, name, spec, before }: Review<Spec>): string =>
  [namespace, name, before?.metadata?.uid, ...forecastLoads(spec).map(metric => loadId(spec, metric))].join(" ");

/** What an answer depends on, but for the history: the object and its spec. */
const keyOf = ({ namespace, name, spec, before }: Review<Spec>): string =>
  createHash("sha256")
    .update(JSON.stringify([namespace, name, before?.metadata?.uid, spec]))
    .digest("base64");

/** The day in one line, at most 256 characters. */
export function textOf({ mlscaler, hpa, trusted = 1 }: LastDay): string {
  const percent = (share: number): string => `${share.toFixed(1)}%`;
  const hours = (count: number): string => (count < 10 ? count.toFixed(1) : count.toFixed(0));
  const text =
    `backtest 24h: under-provisioned ${percent(mlscaler.underProvisionedPercent)} (HPA ${percent(hpa.underProvisionedPercent)}), ` +
    `${hours(mlscaler.replicaHours)} replica-hours (HPA ${hours(hpa.replicaHours)}), ` +
    `${mlscaler.scalings} scalings`;
  const doubt = trusted < 1 ? `; forecast trusted ${Math.floor(100 * trusted)}% of the time` : "";
  return `${text}${doubt}`.slice(0, longestText);
}
