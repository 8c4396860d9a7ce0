import { createHash } from "node:crypto";
import * as z from "zod";
import { mayPass } from "../../kubernetes/api";
import { errorFields, log } from "../../kubernetes/log";
import { CustomObject } from "../../operator/reconciler";
import { placeMilliseconds } from "../../operator/place";
import { CommonStatus } from "../../definition/resource";
import { CoarseGrid, Place, slotMilliseconds } from "../history/coarse-grid";
import { ConfigMaps, Content, Owner } from "./config-maps";
import { Memory } from "./memory";
import { daysOf, fillDays, Tail, Version, versionSchema } from "../history/segments";
import { dayMilliseconds } from "../history/time";
import { decodeFault } from "./codec";

const prefix = "mlscaler-history-";

/** The pause before the retry of a failed read or write. */
const retryMilliseconds = 300_000;

/** The schema of the ConfigMap of a grid; `of` is the `loadId` of the grid. */
export const contentSchema = (
  of: string,
): z.ZodType<{ data: { version: Version }; binaryData: Record<string, unknown> }> =>
  z.object({
    data: z.object({ version: versionSchema, of: z.literal(of) }),
    binaryData: z.record(z.string(), z.unknown()).default({}),
  });

/** The content of the ConfigMap of a grid; `of` is the `loadId` of the grid. */
export const contentOf = (grid: CoarseGrid, of: string): Content => ({
  data: { version: "2", of },
  binaryData: daysOf(grid),
});

/** The state of a grid in the store. */
interface Stored {
  /** Whether the stored grid was read. Before that, no write may replace it. */
  read: boolean;
  /** The time of the last failed read or write; absent after a success. */
  failedAt?: number;
  /** The first slot that is not stored, and the stored revision; absent when nothing is stored. */
  kept?: Place;
}

type Scaler = Pick<CustomObject<unknown, CommonStatus>, "metadata" | "record" | "now">;
type Grids = Memory["grids"];

/** The name of the ConfigMap of a grid, from the uid of its MLScaler and its `loadId`. */
export const historyName = (uid: string, of: string): string =>
  `${prefix}${uid}-${createHash("sha256").update(of).digest("hex").slice(0, 8)}`;

/**
 * Stores the days of coarse grids across restarts, in one ConfigMap per grid with one key per day. Reads each ConfigMap
 * once and writes it once a day, at its own time. The state of the MLScaler holds the slots since the last write.
 */
export class HistoryStore {
  readonly #stored = new WeakMap<CoarseGrid, Stored>();

  constructor(readonly configMaps: ConfigMaps) {}

  /** The uid in the name of a grid's ConfigMap; undefined for any other name. */
  ownerOf(name: string): string | undefined {
    return new RegExp(`^${prefix}(.+)-[0-9a-f]{8}$`).exec(name)?.[1];
  }

  /**
   * Fills the grids of an MLScaler with their stored days, once. Retries a failed read after five minutes. Unreadable
   * days become gaps, and the next write replaces the ConfigMap. Never throws.
   */
  async restore(scaler: Scaler, grids: Grids): Promise<void> {
    for (const [of, grid] of grids) {
      const stored = this.#storedOf(grid);
      if (stored.read || waits(stored, scaler.now.getTime())) continue;
      await this.#read(scaler, of, grid, stored);
    }
  }

  /** The slots of each grid that its ConfigMap does not hold yet. */
  tailsOf(grids: Grids): Tail[] {
    return [...grids].flatMap(([of, grid]) => {
      const from = this.#keptTo(grid);
      const { next } = grid.place;
      return from < next ? [{ of, from, loads: grid.slots(from, next) }] : [];
    });
  }

  /** Writes the grids of an MLScaler that are due at `now`, as long as `mayWrite` returns true. Never throws. */
  async keep(owner: Owner, grids: Grids, now: number, mayWrite: () => boolean): Promise<void> {
    for (const [of, grid] of grids) {
      const stored = this.#storedOf(grid);
      if (!stored.read || waits(stored, now) || !this.#isDue(owner.uid, grid) || !mayWrite()) continue;
      const kept = grid.place;
      if (await this.configMaps.write(historyName(owner.uid, of), owner, contentOf(grid, of))) stored.kept = kept;
      else stored.failedAt = now;
    }
  }

  /** Marks the grids whose ConfigMap is not `listed` as not stored, so that the next write creates it. */
  reconsider(uid: string, grids: Grids, listed: ReadonlySet<string>): void {
    for (const [of, grid] of grids) if (!listed.has(historyName(uid, of))) this.#storedOf(grid).kept = undefined;
  }

  /** Whether a write of the grid is due: once a day, and after a change of slots that are stored. */
  #isDue(uid: string, grid: CoarseGrid): boolean {
    const { kept } = this.#storedOf(grid);
    const { next, revision } = grid.place;
    if (kept && kept.revision !== revision) return true;
    const place = placeMilliseconds(uid, dayMilliseconds / 1000);
    // Uses slot numbers instead of the time, because the stored days end with a slot.
    const turn = (slot: number): number => Math.floor((slot * slotMilliseconds - place) / dayMilliseconds);
    const from = this.#keptTo(grid);
    return from < next && turn(from) !== turn(next);
  }

  /** The number of the first slot that is not stored. */
  #keptTo(grid: CoarseGrid): number {
    const { kept } = this.#storedOf(grid);
    return kept?.revision === grid.place.revision ? Math.max(kept.next, grid.first) : grid.first;
  }

  async #read(scaler: Scaler, of: string, grid: CoarseGrid, stored: Stored): Promise<void> {
    const name = historyName(scaler.metadata.uid, of);
    const now = scaler.now.getTime();
    let faults: string[];
    try {
      const found = await this.configMaps.find(name);
      stored.read = true;
      if (found === undefined) return;
      const { data, binaryData } = contentSchema(of).parse(found);
      const filled = fillDays(grid, binaryData, data.version, now);
      faults = filled.faults;
      // No grid has the revision NaN, so the grid is written at once.
      stored.kept = { next: filled.next, revision: faults.length > 0 ? NaN : grid.place.revision };
    } catch (error) {
      if (!(error instanceof z.ZodError)) {
        stored.failedAt = now;
        return this.#unread(scaler, name, error);
      }
      faults = [decodeFault(error)];
      stored.kept = { next: -Infinity, revision: NaN };
    }
    if (faults.length === 0) return;
    const more = faults.length > 1 ? `, and ${faults.length - 1} more` : "";
    const message =
      `${this.configMaps.displayName(name)} cannot be read whole, what cannot is left out, ` +
      `and it is written anew: ${faults[0]}${more}`;
    await scaler.record({ type: "Warning", reason: "StateUnreadable", message, action: "Sync" });
  }

  async #unread(scaler: Scaler, configMap: string, error: unknown): Promise<void> {
    const { uid, namespace, name } = scaler.metadata;
    const fields = errorFields(error);
    const message =
      `${this.configMaps.displayName(configMap)} cannot be read, ` + `it is tried again in 5 minutes: ${fields.error}`;
    if (mayPass(error)) log.warn({ namespace, name, uid, reason: fields.reason }, message);
    else await scaler.record({ type: "Warning", reason: "StateUnreadable", message, action: "Sync" });
  }

  #storedOf(grid: CoarseGrid): Stored {
    const known = this.#stored.get(grid);
    if (known) return known;
    const stored = { read: false };
    this.#stored.set(grid, stored);
    return stored;
  }
}

/** Whether the next retry lies after `now`. A failure in the future means that the clock was set back. */
const waits = ({ failedAt = -Infinity }: Stored, now: number): boolean =>
  failedAt <= now && now < failedAt + retryMilliseconds;
