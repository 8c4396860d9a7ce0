import { createHash } from "node:crypto";
import { setImmediate as turn } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import { Review } from "../../webhook/admission";
import { Api } from "../../kubernetes/api";
import { Discovery } from "../../kubernetes/discovery";
import { errorFields, log } from "../../kubernetes/log";
import { pause } from "../../kubernetes/back-off";
import { phaseOf } from "../../operator/phase";
import { lastDay, LastDay, PastLoad, Replayed } from "../backtest/last-day";
import { refitPeriodSeconds, settingsOf } from "../forecast/live-forecasters";
import { CoarseGrid, slotOf } from "../history/coarse-grid";
import { dayMilliseconds, slotMilliseconds } from "../history/retention";
import { forecastLoads, loadId } from "../memory/memory";
import { storedLoads } from "../memory/stored-loads";
import { leadersOf } from "../metrics/leading";
import { Prometheus } from "../metrics/prometheus/client";
import type { Metric } from "../metrics/registry";
import { capacityOf, pastOf } from "../metrics/total";
import { horizonSecondsOf, measuredStartUpSeconds, presumedStartUpSeconds } from "../scaling/ahead/start-up";
import { Spec } from "../schema";
import { targetOf } from "../target/target";
import { TargetReader } from "./target-reader";

/** Lifetime of an answer, in ms. After that the day has moved by a slot. */
const keptMilliseconds = 300_000;

/** The pause before another search for a load without history, in ms. */
const unknownMilliseconds = 60_000;

/** CPU slice per event-loop turn, in ms. A single step may take longer. */
const turnMilliseconds = 5;

/** The pause after each slice, and how long it applies after another review, both in ms. */
const pauseMilliseconds = 10;
const latelyMilliseconds = 100;
const askedDays = 14;
/** The timeout of a read, in seconds. The review no longer waits then, but its repetition profits. */
const readSeconds = 5;

const neverAborted = new AbortController().signal;

/** The limit of Kubernetes on the length of a warning, in characters. */
const longestText = 256;

/** Backtests of the last day of a spec, each in one line. One runs at a time. */
export class WhatIf {
  /** Answers by object and spec. Without a text there is nothing to report. */
  readonly #answers = new LRUCache<string, { text?: string }>({ max: 1000, ttl: keptMilliseconds });
  readonly #unknown = new LRUCache<string, true>({ max: 10_000, ttl: unknownMilliseconds });
  #busy = false;

  /** @param reviewed the number of reviews so far: a backtest slows down while there are others */
  constructor(
    readonly api: Api,
    readonly discovery: Discovery,
    readonly prometheus: Pick<Prometheus, "range">,
    readonly reviewed: () => number,
  ) {}

  /** Returns "backtest 24h: …" within `milliseconds`, if it can. A late answer is cached. Never throws. */
  async ask(review: Review<Spec>, milliseconds: number): Promise<string | undefined> {
    if (this.#unknown.has(loadsOf(review)) || (!review.before && !review.spec.metrics.some(pastOf))) return undefined;
    const key = keyOf(review);
    const answer = this.#answers.get(key);
    if (answer || this.#busy || milliseconds <= 0) return answer?.text;
    this.#busy = true;
    const asked = this.#backtest(review)
      .then(text => {
        this.#answers.set(key, { text });
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

  async #backtest(review: Review<Spec>): Promise<string | undefined> {
    const replayed = await this.#replayedOf(review);
    if (!replayed) return undefined;
    const work = lastDay(replayed);
    let reviewed = this.reviewed();
    let restsUntil = 0;
    for (;;) {
      const sliceUntil = performance.now() + turnMilliseconds;
      while (performance.now() < sliceUntil) {
        const { done, value } = work.next();
        if (done) return value && textOf(value, leadersOf(review.spec).length > 0);
      }
      await turn();
      if (this.reviewed() > reviewed) restsUntil = performance.now() + latelyMilliseconds;
      reviewed = this.reviewed();
      if (performance.now() < restsUntil) await pause(pauseMilliseconds, neverAborted);
    }
  }

  /** Collects the input of the backtest. Undefined without history. Throws the errors of its reads. */
  async #replayedOf(review: Review<Spec>): Promise<Replayed | undefined> {
    const { namespace, name, spec } = review;
    const metrics = forecastLoads(spec);
    if (metrics.length === 0) return undefined;
    const grids = await this.#gridsOf(review, this.api.clock.time);
    if (!grids.every(grid => grid !== undefined)) {
      this.#unknown.set(loadsOf(review), true);
      return undefined;
    }
    const reader = new TargetReader(this.api, this.discovery, namespace, targetOf(spec), () => readSeconds);
    const loads = await Promise.all(
      grids.map(async (grid, index): Promise<PastLoad> => {
        return { means: grid.loads(), capacity: await this.#capacityOf(metrics[index], reader) };
      }),
    );
    const startUp = measuredStartUpSeconds(await reader.pods()) ?? presumedStartUpSeconds;
    const { forecast: forecasting, sync_period_seconds: period, line } = spec;
    const horizonSeconds = forecasting?.horizon_seconds ?? horizonSecondsOf(startUp, period);
    return {
      loads,
      ends: grids[0] && grids[0].cursor.next * slotMilliseconds,
      metrics,
      forecast: forecasting
        ? settingsOf({
            forecasting,
            horizonSeconds,
            phaseMilliseconds: phaseOf(`${namespace}/${name}`, refitPeriodSeconds),
          })
        : { historySize: line?.samples ?? 0 },
      maxExtraPercent: forecasting?.max_extra_percent,
      bounds: { min: spec.min_replicas, max: spec.max_replicas },
      behavior: spec.behavior,
      startUpSeconds: startUp,
      syncPeriodSeconds: period,
    };
  }

  async #gridsOf({ namespace, spec, before }: Review<Spec>, now: number): Promise<(CoarseGrid | undefined)[]> {
    const uid = before?.metadata?.uid;
    const metrics = forecastLoads(spec);
    const ids = metrics.map(metric => loadId(spec, metric));
    const stored = uid === undefined ? [] : await storedLoads(this.api, uid, ids, now);
    return Promise.all(metrics.map(async (metric, index) => stored[index] ?? this.#rangeOf(namespace, metric, now)));
  }

  /** Throws MetricsError when the server fails. */
  async #rangeOf(namespace: string, metric: Metric, now: number): Promise<CoarseGrid | undefined> {
    const past = pastOf(metric);
    if (!past) return undefined;
    const { server, query } = past;
    const to = slotOf(now) * slotMilliseconds;
    const from = to - askedDays * dayMilliseconds;
    const options = { timeoutSeconds: readSeconds };
    const values = await this.prometheus.range(namespace, server, query, from, to, slotMilliseconds, options);
    const grid = new CoarseGrid();
    grid.backfill(
      values.map(([at, load]) => ({ at, load })),
      slotMilliseconds,
      now,
    );
    return grid;
  }

  async #capacityOf(metric: Metric | undefined, reader: TargetReader): Promise<number> {
    if (!metric) return NaN;
    const isShare = (metric.resource ?? metric.containerResource)?.target.averageUtilization !== undefined;
    const pod = isShare ? await reader.pod() : undefined;
    return capacityOf(metric, pod ? [pod] : []);
  }
}

const loadsOf = ({ namespace, name, spec, before }: Review<Spec>): string =>
  [namespace, name, before?.metadata?.uid, ...forecastLoads(spec).map(metric => loadId(spec, metric))].join(" ");

const keyOf = ({ namespace, name, spec, before }: Review<Spec>): string =>
  createHash("sha256")
    .update(JSON.stringify([namespace, name, before?.metadata?.uid, spec]))
    .digest("base64");

/** The text of a backtest, at most 256 characters; `leads` says that leading loads are left out of it. */
export function textOf({ mlscaler, hpa, trusted = 1, rises }: LastDay, leads = false): string {
  const percent = (share: number): string => `${share.toFixed(1)}%`;
  const hours = (count: number): string => (count < 10 ? count.toFixed(1) : count.toFixed(0));
  const text =
    `backtest 24h: under-provisioned ${percent(mlscaler.underProvisionedPercent)} (HPA ` +
    `${percent(hpa.underProvisionedPercent)}), ` +
    `${hours(mlscaler.replicaHours)} replica-hours (HPA ${hours(hpa.replicaHours)}), ${mlscaler.scalings} scalings`;
  const doubt = trusted < 1 ? `; forecast trusted ${Math.floor(100 * trusted)}% of the time` : "";
  const held = rises?.heldBack ? `; max_extra_percent held it back in ${rises.heldBack} of ${rises.all} rises` : "";
  return `${text}${doubt}${held}${leads ? "; without forecast.leading" : ""}`.slice(0, longestText);
}
