import { collectionPath, Names } from "../../definition/resource";
import { pause } from "../../kubernetes/back-off";
import { errorFields, log } from "../../kubernetes/log";
import { objectSchema } from "../../kubernetes/metadata";
import { listAll, listOfMetadata } from "../../kubernetes/watch";
import type { Context } from "../../operator/custom-object";
import { dayMilliseconds, hourMilliseconds } from "../history/retention";
import { ConfigMaps, isCopy } from "./config-maps";

const sweepRetryMilliseconds = 60_000;

/** For how long the ConfigMaps of a deleted MLScaler are kept, in ms. */
export const unownedMilliseconds = dayMilliseconds;

interface Stored {
  /** The names of those that each MLScaler has, by its uid; none of an MLScaler that this process does not know. */
  expected: () => ReadonlyMap<string, ReadonlySet<string>>;
  /** Called with the names of those that a sweep found. */
  swept: (listed: ReadonlySet<string>) => void;
}

export class Sweep {
  #overdue = new Set<string>();

  constructor(
    readonly context: Pick<Context, "api" | "holdsAnyLease" | "holdsLease">,
    readonly names: Names,
    readonly configMaps: ConfigMaps,
    readonly stored: Stored,
  ) {}

  /** Sweeps every hour while this process holds a Lease, until `signal`. Never throws. */
  async until(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      let swept = false;
      try {
        if (this.context.holdsAnyLease()) {
          await this.once();
          swept = true;
        }
      } catch (error) {
        log.warn(errorFields(error), "the sweep of stored states failed");
      }
      await pause(swept ? hourMilliseconds : sweepRetryMilliseconds, signal);
    }
  }

  /**
   * Removes the ConfigMaps that have belonged to nothing for a day. Two sweeps have to find so, because the clock of
   * one may be wrong. Throws ApiError.
   */
  async once(now = new Date(this.context.api.clock.time)): Promise<void> {
    const { api, holdsLease } = this.context;
    const stored = (await this.configMaps.all()).filter(({ namespace }) => holdsLease(namespace));
    // Listed after the ConfigMaps, so that the list has every living MLScaler that owns one of them.
    const living = new Set<string>();
    const seen = (object: unknown): void => void living.add(objectSchema.parse(object).metadata.uid);
    await listAll(api, collectionPath(this.names), seen, { accept: listOfMetadata });
    const expected = this.stored.expected();
    const overdue = new Set<string>();
    for (const { name, uid, namespace, resourceVersion, unownedSince } of stored) {
      const isOwned = living.has(uid) && !isCopy(name) && expected.get(uid)?.has(name) !== false;
      if (isOwned || !name.startsWith("mlscaler-")) continue;
      if (!holdsLease(namespace)) return;
      const age = now.getTime() - unownedSince;
      if (age >= unownedMilliseconds) overdue.add(name);
      // A time in the future comes from a clock that was ahead.
      if (!(age >= 0)) await this.configMaps.markUnowned(name, now);
      else if (overdue.has(name) && this.#overdue.has(name)) await this.configMaps.remove(name, resourceVersion);
    }
    this.#overdue = overdue;
    this.stored.swept(new Set(stored.map(({ name }) => name)));
  }
}
