import { setTimeout as after } from "node:timers/promises";
import { errorFields } from "../common/log";
import { Instance } from "../common/reconciler";
import { CoarseGrid, keptSlots, Sample, slotMilliseconds } from "./history/coarse";
import { gapsOf, Slots } from "./history/gaps";
import { Prometheus } from "./metrics/prometheus";
import { Metric } from "./metrics/schema";
import { MetricsError } from "./scaling/reading";
import { Spec, Status } from "./schema";

/** The history is asked for with a value a minute, as a sync would have seen it, */
const stepMilliseconds = 60_000;
/** and a week at a time, which is what Prometheus gives in one answer. */
const chunkSlots = keptSlots / 4;

/** What failed is tried again after this, after twice as long the next time, up to an hour. */
const againMilliseconds = 300_000;
const longestAgainMilliseconds = 3_600_000;

/** What is known of the gaps of one grid. */
interface Gaps {
  /** The slot up to which was looked for gaps. */
  lookedTo: number;
  /** Those that are still to be asked for, in the order in which they are. */
  missing: Slots[];
  /** What was answered and is not in the grid yet. */
  found: Sample[];
  asking: boolean;
  failures: number;
  failedAt: number;
}

/** An MLScaler, as far as its history is told of. */
type Scaler = Pick<Instance<Spec, Status>, "key" | "record" | "log">;

/**
 * Fills the gaps of coarse grids with what Prometheus has of their load: four weeks of a load that is new, and what came
 * while nobody looked. One question at a time, the newest week first, and after each a pause as long as it took. What was
 * answered with nothing stays a gap and is not asked for again.
 */
export class Backfill {
  readonly #gaps = new WeakMap<CoarseGrid, Gaps>();
  #turns: Promise<void> = Promise.resolve();

  /** @param wake has an MLScaler synced, by key: there is something to fill in */
  constructor(
    readonly prometheus: Pick<Prometheus, "range">,
    readonly wake: (key: string) => void,
  ) {}

  /**
   * Fills in what has come since for the grid of a metric of `scaler`, whose load has just been observed at `now` (epoch
   * milliseconds), and asks for what is missing. Says whether anything was filled in. Never throws.
   */
  fill(scaler: Scaler, { query, server }: NonNullable<Metric["prometheus"]>, grid: CoarseGrid, now: number): boolean {
    const gaps = this.#gapsOf(grid);
    const { next } = grid.place;
    if (next > gaps.lookedTo) {
      gaps.missing.unshift(...gapsOf(grid, gaps.lookedTo).flatMap(chunksOf));
      gaps.lookedTo = next;
    }
    if (gaps.asking) return false;
    const { found } = gaps;
    gaps.found = [];
    grid.backfill(found, stepMilliseconds, now);
    if (gaps.missing.length > 0 && !waits(gaps, now)) {
      gaps.asking = true;
      this.#turns = this.#turns.then(async () => {
        await this.#ask(scaler, gaps, now, ({ from, end }) =>
          this.prometheus.range(
            server,
            query,
            from * slotMilliseconds,
            end * slotMilliseconds - stepMilliseconds,
            stepMilliseconds,
          ),
        );
      });
    }
    return found.length > 0;
  }

  /** Resolves when all that is being asked for has been answered. Never throws. */
  async settled(): Promise<void> {
    await this.#turns;
  }

  /** Asks for what is missing until there is nothing more, or an answer fails. */
  async #ask(
    scaler: Scaler,
    gaps: Gaps,
    now: number,
    ask: (slots: Slots) => ReturnType<Prometheus["range"]>,
  ): Promise<void> {
    const begun = performance.now();
    try {
      for (let slots = gaps.missing[0]; slots; slots = gaps.missing[0]) {
        const asked = performance.now();
        const values = await ask(slots);
        gaps.missing.splice(gaps.missing.indexOf(slots), 1);
        for (const [at, load] of values) gaps.found.push({ at, load });
        gaps.failures = 0;
        await after(performance.now() - asked);
      }
    } catch (error) {
      gaps.failures++;
      gaps.failedAt = now;
      await this.#failed(scaler, gaps, error);
    } finally {
      gaps.asking = false;
    }
    if (gaps.found.length === 0) return;
    const seconds = ((performance.now() - begun) / 1000).toFixed(1);
    scaler.log("info", "Backfilled", `${gaps.found.length} minutes of history were read in ${seconds} s`);
    this.wake(scaler.key);
  }

  async #failed(scaler: Scaler, gaps: Gaps, error: unknown): Promise<void> {
    const { error: message } = errorFields(error);
    const reason = error instanceof MetricsError ? error.reason : "FailedBackfill";
    const text = `the history could not be read, it is tried again in ${againIn(gaps) / 60_000} min: ${message}`;
    await scaler.record({ type: "Warning", reason, message: text, action: "Backfill" });
  }

  #gapsOf(grid: CoarseGrid): Gaps {
    const known = this.#gaps.get(grid);
    if (known) return known;
    const gaps = { lookedTo: -Infinity, missing: [], found: [], asking: false, failures: 0, failedAt: -Infinity };
    this.#gaps.set(grid, gaps);
    return gaps;
  }
}

/** A gap in pieces that are asked for at once, the newest first. */
function chunksOf({ from, end }: Slots): Slots[] {
  const chunks: Slots[] = [];
  for (let until = end; until > from; until -= chunkSlots)
    chunks.push({ from: Math.max(from, until - chunkSlots), end: until });
  return chunks;
}

const againIn = ({ failures }: Gaps): number =>
  Math.min(againMilliseconds * 2 ** (failures - 1), longestAgainMilliseconds);

/** Whether it is too early to try again at `now`; a failure to come is of a clock that was put back. */
const waits = (gaps: Gaps, now: number): boolean => gaps.failedAt <= now && now < gaps.failedAt + againIn(gaps);
