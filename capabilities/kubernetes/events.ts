import { createHash } from "node:crypto";
import { LRUCache } from "lru-cache";
import { Api, ignoring, mergePatch } from "./api";
import { longestMessage } from "./conditions";
import { Instant, timestamp } from "./time";
import { ObjectReference } from "./metadata";

export interface EventText {
  type: "Normal" | "Warning";
  /** One word in CamelCase: "SuccessfulRescale". */
  reason: string;
  message: string;
  action: string;
  /** Tells events with the same text apart. */
  occasion?: string;
}

interface Series {
  name?: string;
  count: number;
  firstAt: Instant;
  writtenAt: Instant;
}

/** A repeated event within this time, in ms, is counted but not written. */
const quietMilliseconds = 60_000;

// The rules of client-go's correlator (tools/record/events_cache.go, v0.37.2), for each type apart, so that warnings
// never use up the budget of a SuccessfulRescale: a burst, then a write in five minutes; the tenth text within ten
// minutes combines.
const burst = 25;
const refillMilliseconds = 300_000;
const mostTexts = 10;
const similarMilliseconds = 600_000;
const combined = "(combined from similar events): ";

/** The limit on objects and types with a budget of their own, and on namespaces with one for the other objects. */
const mostObjects = 32_768;
const mostNamespaces = 4096;
const fullMilliseconds = burst * refillMilliseconds;
const sweepMilliseconds = 60_000;

/**
 * Writes core/v1 Events. A repeated event is one Event with a count, written at most once a minute, and an object has a
 * budget of writes, so that a lasting fault does not flood the API server. Where there are too many objects the others
 * of a namespace share a budget. A failed write goes to `failed` and is never thrown.
 */
export class EventRecorder {
  readonly #series: LRUCache<string, Series>;
  readonly #similar = new LRUCache<string, { texts: Set<string>; lastAt: Instant }>({ max: 4096 });
  readonly #budgets = new Map<string, { writes: number; at: Instant }>();
  #sweptAt = -Infinity;

  constructor(
    readonly api: Api,
    readonly component: string,
    readonly instance: string,
    readonly failed: (error: unknown, object: ObjectReference, event: EventText) => void,
    readonly most = mostObjects,
  ) {
    this.#series = new LRUCache({ max: most });
  }

  /** Records `event` at the time `now`. Returns whether it was worth a write, also one that failed. Never throws. */
  async record(object: ObjectReference, event: EventText, now: Date): Promise<boolean> {
    const at = now.getTime();
    const text = digestOf(`${event.occasion ?? ""} ${event.message}`);
    const isCombined = this.#combines(`${object.uid} ${event.type} ${event.reason}`, text, at);
    const key = `${object.uid} ${event.type} ${event.reason} ${isCombined ? "" : text}`;
    const series = this.#series.get(key) ?? { count: 0, firstAt: at, writtenAt: -Infinity };
    this.#series.set(key, series);
    series.count++;
    if (Math.abs(at - series.writtenAt) < quietMilliseconds || !this.#mayWrite(this.#payerOf(object, event, at), at))
      return false;
    series.writtenAt = at;
    const message = `${isCombined ? combined : ""}${event.message}`.slice(0, longestMessage);
    try {
      const seen = { lastTimestamp: timestamp(now), count: series.count, ...(isCombined && { message }) };
      if (series.name === undefined || !(await this.#repeat(object, series.name, seen)))
        await this.#create(object, { ...event, message }, series, now);
    } catch (error) {
      this.#series.delete(key);
      this.failed(error, object, event);
    }
    return true;
  }

  /** Adds a text to the similar ones. Returns whether there are so many that it is combined with them. */
  #combines(key: string, text: string, at: Instant): boolean {
    const known = this.#similar.get(key);
    const similar =
      known && Math.abs(at - known.lastAt) <= similarMilliseconds ? known : { texts: new Set<string>(), lastAt: at };
    this.#similar.set(key, similar);
    similar.lastAt = at;
    similar.texts.add(text);
    if (similar.texts.size < mostTexts) return false;
    similar.texts.delete(text);
    return true;
  }

  /** Whose budget an event takes from: that of its object, or of its namespace, or of all, if there are too many. */
  #payerOf({ uid, namespace }: ObjectReference, { type }: EventText, at: Instant): string {
    if (this.#budgets.size >= this.most) this.#sweep(at);
    const { size } = this.#budgets;
    const [ofObject, ofNamespace] = [`${type} ${uid}`, `${type} of ${namespace}`];
    if (size < this.most || this.#budgets.has(ofObject)) return ofObject;
    return size < this.most + mostNamespaces || this.#budgets.has(ofNamespace) ? ofNamespace : type;
  }

  #sweep(at: Instant): void {
    if (Math.abs(at - this.#sweptAt) < sweepMilliseconds) return;
    this.#sweptAt = at;
    for (const [key, budget] of this.#budgets)
      if (Math.abs(at - budget.at) >= fullMilliseconds) this.#budgets.delete(key);
  }

  #mayWrite(key: string, at: Instant): boolean {
    const before = this.#budgets.get(key) ?? { writes: burst, at };
    // A clock that was set back adds nothing.
    const added = Math.max(0, at - before.at) / refillMilliseconds;
    const writes = Math.min(burst, before.writes + added);
    const may = writes >= 1;
    this.#budgets.set(key, { writes: may ? writes - 1 : writes, at });
    return may;
  }

  /** Counts a repeated event. Undefined when the API server has dropped the Event, as it does after an hour. */
  #repeat(object: ObjectReference, name: string, seen: object): Promise<boolean | undefined> {
    const counted = this.api.patch(`${eventsPath(object)}/${name}`, mergePatch, seen).then(() => true);
    return ignoring(counted, 404);
  }

  async #create(object: ObjectReference, event: EventText, series: Series, now: Date): Promise<void> {
    const { type, reason, message, action } = event;
    // Name it as client-go does, by the object and the time. A sync records several events in one millisecond.
    const random = Math.floor(Math.random() * 2 ** 32).toString(16);
    const unique = `${now.getTime().toString(16)}${random.padStart(8, "0")}`;
    const name = `${object.name.slice(0, 200).replace(/[-.]+$/, "")}.${unique}`;
    if (series.name !== undefined) Object.assign(series, { count: 1, firstAt: now.getTime() });
    series.name = name;
    await this.api.create(eventsPath(object), {
      apiVersion: "v1",
      kind: "Event",
      metadata: { name, namespace: object.namespace || "default" },
      involvedObject: object,
      ...{ type, reason, message, action },
      source: { component: this.component },
      reportingComponent: this.component,
      reportingInstance: this.instance,
      firstTimestamp: timestamp(new Date(series.firstAt)),
      lastTimestamp: timestamp(now),
      count: series.count,
    });
  }
}

const digestOf = (text: string): string => createHash("sha256").update(text).digest("base64");

const eventsPath = ({ namespace }: ObjectReference): string => `/api/v1/namespaces/${namespace || "default"}/events`;
