import { setTimeout as after } from "node:timers/promises";
import { Failures, pauseAfter, waits } from "../../kubernetes/back-off";
import { FairPool, Permits } from "../../kubernetes/fair-queue";
import { errorFields } from "../../kubernetes/log";
import { namespaceOf } from "../../kubernetes/metadata";
import { CustomObject } from "../../operator/custom-object";
import { CoarseGrid, TimedLoad } from "../history/coarse-grid";
import { keptSlots, slotMilliseconds } from "../history/retention";
import { gapsOf, Slots } from "../history/gaps";
import { Prometheus } from "../metrics/prometheus/client";
import { PastValues } from "../metrics/sources/source";
import { MetricsError } from "../metrics/reading";
import { CommonStatus } from "../../definition/resource";

/** The resolution of range queries. A sync records about one load per minute. */
const stepMilliseconds = 60_000;
/** The length of one range query in slots: a week, which fits into one answer of Prometheus. */
const chunkSlots = keptSlots / 4;

/** The limit on grids that are queried at once, one of each namespace at most. */
const mostAtOnce = 4;

const pauses = { first: 300_000, longest: 3_600_000 };

interface Gaps extends Failures {
  searchedTo: number;
  missing: Slots[];
  found: TimedLoad[];
  querying: boolean;
}

type Scaler = Pick<CustomObject<unknown, CommonStatus>, "key" | "record" | "log">;

/** Fills the gaps of coarse grids from Prometheus, with one query of a namespace at a time, the newest week first. */
export class Backfill {
  readonly #gaps = new WeakMap<CoarseGrid, Gaps>();
  readonly #turns = new FairPool(new Permits(mostAtOnce, 1));
  #running: Promise<unknown> = Promise.resolve();

  constructor(
    readonly prometheus: Pick<Prometheus, "range">,
    readonly wake: (key: string) => void,
  ) {}

  /** Adds what was read to a grid with the load of `now`, and starts queries for its gaps. Returns whether it added. */
  fill(scaler: Scaler, { query, server }: PastValues, grid: CoarseGrid, now: number): boolean {
    const gaps = this.#gapsOf(grid);
    const { next } = grid.cursor;
    // The clock was set back: the gaps from there on are searched again.
    if (next < gaps.searchedTo) gaps.searchedTo = next;
    if (next > gaps.searchedTo) {
      gaps.missing.unshift(...gapsOf(grid, gaps.searchedTo).flatMap(chunksOf));
      gaps.searchedTo = next;
    }
    if (gaps.querying) return false;
    const { found } = gaps;
    gaps.found = [];
    grid.backfill(found, stepMilliseconds, now);
    if (gaps.missing.length > 0 && !waits(gaps, pauses, now)) {
      gaps.querying = true;
      const namespace = namespaceOf(scaler.key);
      const filled = this.#turns.run(namespace, Infinity, () =>
        this.#query(scaler, gaps, now, ({ from, end }) =>
          this.prometheus.range(
            namespace,
            server,
            query,
            from * slotMilliseconds,
            end * slotMilliseconds - stepMilliseconds,
            stepMilliseconds,
          ),
        ),
      );
      this.#running = Promise.all([this.#running, filled]).then(() => undefined);
    }
    return found.length > 0;
  }

  async settled(): Promise<void> {
    await this.#running;
  }

  async #query(
    scaler: Scaler,
    gaps: Gaps,
    now: number,
    ask: (slots: Slots) => ReturnType<Prometheus["range"]>,
  ): Promise<void> {
    const begunAt = performance.now();
    try {
      for (let slots = gaps.missing[0]; slots; slots = gaps.missing[0]) {
        const startedAt = performance.now();
        const values = await ask(slots);
        gaps.missing.splice(gaps.missing.indexOf(slots), 1);
        for (const [at, load] of values) gaps.found.push({ at, load });
        gaps.failures = 0;
        await after(performance.now() - startedAt);
      }
    } catch (error) {
      gaps.failures++;
      gaps.failedAt = now;
      await this.#failed(scaler, gaps, error);
    } finally {
      gaps.querying = false;
    }
    if (gaps.found.length === 0) return;
    const seconds = ((performance.now() - begunAt) / 1000).toFixed(1);
    scaler.log("info", "Backfilled", `${gaps.found.length} minutes of history were read in ${seconds} s`);
    this.wake(scaler.key);
  }

  async #failed(scaler: Scaler, gaps: Gaps, error: unknown): Promise<void> {
    const { error: message } = errorFields(error);
    const reason = error instanceof MetricsError ? error.reason : "FailedBackfill";
    const minutes = pauseAfter(gaps.failures, pauses) / 60_000;
    const text = `the history could not be read, it is tried again in ${minutes} min: ${message}`;
    await scaler.record({ type: "Warning", reason, message: text, action: "Backfill" });
  }

  #gapsOf(grid: CoarseGrid): Gaps {
    const known = this.#gaps.get(grid);
    if (known) return known;
    const gaps = { searchedTo: -Infinity, missing: [], found: [], querying: false, failures: 0, failedAt: -Infinity };
    this.#gaps.set(grid, gaps);
    return gaps;
  }
}

function chunksOf({ from, end }: Slots): Slots[] {
  const chunks: Slots[] = [];
  for (let until = end; until > from; until -= chunkSlots)
    chunks.push({ from: Math.max(from, until - chunkSlots), end: until });
  return chunks;
}
