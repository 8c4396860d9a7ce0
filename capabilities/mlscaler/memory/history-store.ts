import { createHash } from "node:crypto";
import * as z from "zod";
import { isStatus } from "../../kubernetes/api";
import { Failures, waits } from "../../kubernetes/back-off";
import { errorFields } from "../../kubernetes/log";
import { installCommand } from "../../operator/installed";
import { CustomObject } from "../../operator/custom-object";
import { phaseOf } from "../../operator/phase";
import { CommonStatus } from "../../definition/resource";
import { CoarseGrid, Cursor } from "../history/coarse-grid";
import { dayMilliseconds, slotMilliseconds } from "../history/retention";
import { ConfigMaps, Content, Owner } from "./config-maps";
import { Memory } from "./memory";
import { daysOf, fillDays, Tail } from "../history/segments";
import { decodeFault } from "./codec";

const version = "3";
const pauses = { first: 5000, longest: 300_000 };

/** The schema of the ConfigMap of a grid; `of` is the `loadId` of the grid. */
export const contentSchema = (of: string): z.ZodType<{ binaryData: Record<string, unknown> }> =>
  z.object({
    data: z.object({ version: z.literal(version), of: z.literal(of) }),
    binaryData: z.record(z.string(), z.unknown()).default({}),
  });

/** The content of the ConfigMap of a grid; `of` is the `loadId` of the grid. */
export const contentOf = (grid: CoarseGrid, of: string): Content => ({
  data: { version, of },
  binaryData: daysOf(grid),
});

interface StoredGrid extends Failures {
  /** Whether the stored grid was read. Before that, no write may replace it. */
  read: boolean;
  fault?: string;
  /** The first slot that is not stored, and the stored revision; absent when nothing is stored. */
  kept?: Cursor;
}

type Scaler = Pick<CustomObject<unknown, CommonStatus>, "record" | "now" | "turn">;
type Grids = Memory["grids"];

/** The name of the ConfigMap of a grid, from the uid of its MLScaler and its `loadId`. */
export const historyName = (uid: string, of: string): string =>
  `mlscaler-history-${uid}-${createHash("sha256").update(of).digest("hex").slice(0, 8)}`;

/** Stores the days of coarse grids, in one ConfigMap a grid, read once and written once a day. */
export class HistoryStore {
  readonly #stored = new WeakMap<CoarseGrid, StoredGrid>();

  constructor(readonly configMaps: ConfigMaps) {}

  /**
   * Fills the grids with their stored days, once; those of `adopted` where there are none. Never throws. Returns why
   * stored days could not be read, for people; undefined when all are read.
   */
  async restore(scaler: Scaler, owner: Owner, grids: Grids, adopted?: string): Promise<string | undefined> {
    let fault: string | undefined;
    for (const [of, grid] of grids) {
      const stored = this.#storedOf(grid);
      if (!stored.read && !waits(stored, pauses, scaler.now.getTime()))
        await this.#read(scaler, owner, { of, grid, stored, adopted });
      fault ??= stored.fault;
    }
    return fault;
  }

  areRead(grids: Grids): boolean {
    return [...grids.values()].every(grid => this.#storedOf(grid).read);
  }

  /** The slots of each grid that its ConfigMap does not hold yet. */
  tailsOf(grids: Grids): Tail[] {
    return [...grids].flatMap(([of, grid]) => {
      const from = this.#keptTo(grid);
      const { next } = grid.cursor;
      return from < next ? [{ of, from, loads: grid.slots(from, next) }] : [];
    });
  }

  /** Writes the grids of an MLScaler that are due at `now`, as long as `mayWrite` returns true. Never throws. */
  async keep(owner: Owner, grids: Grids, now: number, mayWrite: () => boolean): Promise<void> {
    for (const [of, grid] of grids) if (this.#isDue(owner.uid, grid)) await this.#keep(owner, of, grid, now, mayWrite);
  }

  /** Writes all grids that have slots to store, in the same way. Returns those that still have. */
  async keepAll(owner: Owner, grids: Grids, now: number, mayWrite: () => boolean): Promise<Grids> {
    const hasSlots = ([, grid]: [string, CoarseGrid]): boolean => this.#keptTo(grid) < grid.cursor.next;
    const all = [...grids].filter(hasSlots);
    for (const [of, grid] of all) await this.#keep(owner, of, grid, now, mayWrite);
    return new Map(all.filter(hasSlots));
  }

  async #keep(owner: Owner, of: string, grid: CoarseGrid, now: number, mayWrite: () => boolean): Promise<void> {
    const stored = this.#storedOf(grid);
    if (!stored.read || waits(stored, pauses, now) || !mayWrite()) return;
    const kept = grid.cursor;
    const written = await this.configMaps.write(historyName(owner.uid, of), owner, contentOf(grid, of), mayWrite);
    if (written === "written") Object.assign(stored, { kept, failures: 0 });
    // Another process wrote days: they are read, and what is missing here is filled in.
    else if (written === "conflict") Object.assign(stored, { read: false, kept: undefined, failures: 0 });
    else fail(stored, now);
  }

  /** Marks the grids whose ConfigMap is not `listed` as not stored, so that the next write creates it. */
  reconsider(uid: string, grids: Grids, listed: ReadonlySet<string>): void {
    for (const [of, grid] of grids) if (!listed.has(historyName(uid, of))) this.#storedOf(grid).kept = undefined;
  }

  /** Whether a write of the grid is due: once a day, and after a change of slots that are stored. */
  #isDue(uid: string, grid: CoarseGrid): boolean {
    const { kept } = this.#storedOf(grid);
    const { next, revision } = grid.cursor;
    if (kept && kept.revision !== revision) return true;
    const phase = phaseOf(uid, dayMilliseconds / 1000);
    // Uses slot numbers instead of the time, because the stored days end with a slot.
    const turn = (slot: number): number => Math.floor((slot * slotMilliseconds - phase) / dayMilliseconds);
    const from = this.#keptTo(grid);
    return from < next && turn(from) !== turn(next);
  }

  #keptTo(grid: CoarseGrid): number {
    const { kept } = this.#storedOf(grid);
    return kept?.revision === grid.cursor.revision ? Math.max(kept.next, grid.first) : grid.first;
  }

  async #read(
    scaler: Scaler,
    owner: Owner,
    { of, grid, stored, adopted }: { of: string; grid: CoarseGrid; stored: StoredGrid; adopted?: string },
  ): Promise<void> {
    const { configMaps } = this;
    const now = scaler.now.getTime();
    let name = historyName(owner.uid, of);
    try {
      let found = await configMaps.find(name);
      const isOwn = found !== undefined;
      if (!isOwn && adopted !== undefined) {
        name = historyName(adopted, of);
        found = await configMaps.find(name);
      }
      Object.assign(stored, { read: true, failures: 0, fault: undefined });
      if (found === undefined) return;
      const { next, faults } = await scaler.turn("history", () => daysIn(found, of, grid, now));
      // No grid has the revision NaN, so the grid is written at once.
      if (isOwn) stored.kept = { next, revision: faults.length === 0 ? grid.cursor.revision : NaN };
      if (faults.length > 0) await this.#incomplete(scaler, owner, name, found, faults);
    } catch (error) {
      stored.read = false;
      stored.fault = unreadText(configMaps.displayName(name), error);
      fail(stored, now);
    }
  }

  async #incomplete(scaler: Scaler, owner: Owner, name: string, found: unknown, faults: string[]): Promise<void> {
    const { configMaps } = this;
    const copy = await configMaps.copy(name, owner, found, scaler.now);
    const more = faults.length > 1 ? `, and ${faults.length - 1} more` : "";
    const message =
      `${configMaps.displayName(name)} has days that cannot be decoded: ${faults[0]}${more}. ` +
      `They are gaps. A copy is kept for a day as ${configMaps.displayName(copy)}`;
    await scaler.record({ type: "Warning", reason: "StateUnreadable", message, action: "Sync" });
  }

  #storedOf(grid: CoarseGrid): StoredGrid {
    const known = this.#stored.get(grid);
    if (known) return known;
    const stored = { read: false, failures: 0, failedAt: -Infinity };
    this.#stored.set(grid, stored);
    return stored;
  }
}

function daysIn(found: unknown, of: string, grid: CoarseGrid, now: number): { next: number; faults: string[] } {
  const content = contentSchema(of).safeParse(found);
  if (!content.success) return { next: -Infinity, faults: [decodeFault(content.error)] };
  return fillDays(grid, content.data.binaryData, now);
}

/** The text for people about a ConfigMap that cannot be read, with the remedy. */
export function unreadText(configMap: string, error: unknown): string {
  const remedy = isStatus(error, 403) ? `Install the rights with ${installCommand}. ` : "";
  return `${configMap} cannot be read: ${errorFields(error).error}. ${remedy}It is read again at a later sync`;
}

function fail(stored: StoredGrid, now: number): void {
  stored.failures++;
  stored.failedAt = now;
}
