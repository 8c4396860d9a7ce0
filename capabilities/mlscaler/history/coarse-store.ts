import { createHash } from "node:crypto";
import * as z from "zod";
import { mayPass } from "../../common/api";
import { errorFields, log } from "../../common/log";
import { Instance } from "../../common/reconciler";
import { placeMilliseconds } from "../../common/scheduler";
import { Spec, Status } from "../schema";
import { CoarseGrid, Place, slotMilliseconds } from "./coarse";
import { ConfigMaps, Content, Owner } from "./config-maps";
import { Memory } from "./memory";
import { daysOf, fillDays, Tail, Version, versionSchema } from "./segments";
import { faultOf } from "./state";

const prefix = "mlscaler-history-";

const dayMilliseconds = 86_400_000;

/** What could not be read or written is tried again after this. */
const againMilliseconds = 300_000;

/** The ConfigMap of a grid; `of`: what it is of (`loadId`). */
export const contentSchema = (
  of: string,
): z.ZodType<{ data: { version: Version }; binaryData: Record<string, unknown> }> =>
  z.object({
    data: z.object({ version: versionSchema, of: z.literal(of) }),
    binaryData: z.record(z.string(), z.unknown()).default({}),
  });

/** What is to be stored of a grid. */
export const contentOf = (grid: CoarseGrid, of: string): Content => ({
  data: { version: "2", of },
  binaryData: daysOf(grid),
});

/** What is known of how a grid is stored. */
interface Stored {
  /** Whether what was stored has been read: until then nothing is written over it. */
  read: boolean;
  /** When the last read or write failed, if it did. */
  failedAt?: number;
  /** Up to where it is stored, and the revision that is; absent when nothing is. */
  kept?: Place;
}

type Scaler = Pick<Instance<Spec, Status>, "metadata" | "record" | "now">;
type Grids = Memory["coarse"];

/** The name of the ConfigMap of a grid, by the uid of its MLScaler and what it is of (`loadId`). */
export const historyName = (uid: string, of: string): string =>
  `${prefix}${uid}-${createHash("sha256").update(of).digest("hex").slice(0, 8)}`;

/**
 * The days of coarse grids, beyond the life of this process: a ConfigMap a grid, a key a day, read once and written
 * once a day, each at its own time. What came since, the tail of the grid, is stored with the state of the MLScaler.
 */
export class CoarseStore {
  readonly #stored = new WeakMap<CoarseGrid, Stored>();

  constructor(readonly configMaps: ConfigMaps) {}

  /** The uid of the MLScaler that such a ConfigMap is about, by its name. */
  ownerOf(name: string): string | undefined {
    return new RegExp(`^${prefix}(.+)-[0-9a-f]{8}$`).exec(name)?.[1];
  }

  /**
   * Fills the grids of an MLScaler with their stored days, once. Never throws: a read that failed is made again five
   * minutes later. Days that cannot be read are gaps, the others count; the ConfigMap is then written anew.
   */
  async restore(scaler: Scaler, grids: Grids): Promise<void> {
    for (const [of, grid] of grids) {
      const stored = this.#storedOf(grid);
      if (stored.read || waits(stored, scaler.now.getTime())) continue;
      await this.#read(scaler, of, grid, stored);
    }
  }

  /** What the stored days of the grids do not hold. */
  tailsOf(grids: Grids): Tail[] {
    return [...grids].flatMap(([of, grid]) => {
      const from = this.#keptTo(grid);
      const { next } = grid.place;
      return from < next ? [{ of, from, loads: grid.slots(from, next) }] : [];
    });
  }

  /** Stores the grids of an MLScaler, those for which it is time at `now`, as long as `mayWrite`. Never throws. */
  async keep(owner: Owner, grids: Grids, now: number, mayWrite: () => boolean): Promise<void> {
    for (const [of, grid] of grids) {
      const stored = this.#storedOf(grid);
      if (!stored.read || waits(stored, now) || !this.#isDue(owner.uid, grid) || !mayWrite()) continue;
      const kept = grid.place;
      if (await this.configMaps.write(historyName(owner.uid, of), owner, contentOf(grid, of))) stored.kept = kept;
      else stored.failedAt = now;
    }
  }

  /** Takes in that of these ConfigMaps there are only those that are `listed`: those that were deleted are written anew. */
  reconsider(uid: string, grids: Grids, listed: ReadonlySet<string>): void {
    for (const [of, grid] of grids) if (!listed.has(historyName(uid, of))) this.#storedOf(grid).kept = undefined;
  }

  /** Whether a grid is to be stored: once a day, and when other than its newest slots have changed. */
  #isDue(uid: string, grid: CoarseGrid): boolean {
    const { kept } = this.#storedOf(grid);
    const { next, revision } = grid.place;
    if (kept && kept.revision !== revision) return true;
    const place = placeMilliseconds(uid, dayMilliseconds / 1000);
    // Told by slots, not by the time: what is stored ends with a slot.
    const turn = (slot: number): number => Math.floor((slot * slotMilliseconds - place) / dayMilliseconds);
    const from = this.#keptTo(grid);
    return from < next && turn(from) !== turn(next);
  }

  /** Number of the first slot that is not stored. */
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
      // No grid has the revision NaN: it is written at once.
      stored.kept = { next: filled.next, revision: faults.length > 0 ? NaN : grid.place.revision };
    } catch (error) {
      if (!(error instanceof z.ZodError)) {
        stored.failedAt = now;
        return this.#unread(scaler, name, error);
      }
      faults = [faultOf(error)];
      stored.kept = { next: -Infinity, revision: NaN };
    }
    if (faults.length === 0) return;
    const more = faults.length > 1 ? `, and ${faults.length - 1} more` : "";
    const message = `${this.configMaps.called(name)} cannot be read whole, what cannot is left out, and it is written anew: ${faults[0]}${more}`;
    await scaler.record({ type: "Warning", reason: "StateUnreadable", message, action: "Sync" });
  }

  async #unread(scaler: Scaler, configMap: string, error: unknown): Promise<void> {
    const { uid, namespace, name } = scaler.metadata;
    const fields = errorFields(error);
    const message = `${this.configMaps.called(configMap)} cannot be read, it is tried again in 5 minutes: ${fields.error}`;
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

/** Whether it is too early to try again at `now`; a failure to come is of a clock that was put back. */
const waits = ({ failedAt = -Infinity }: Stored, now: number): boolean =>
  failedAt <= now && now < failedAt + againMilliseconds;
