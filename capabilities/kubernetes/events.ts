import { LRUCache } from "lru-cache";
import { Api, isStatus, mergePatch } from "./api";
import { timestamp } from "./time";
import { ObjectReference } from "./metadata";

export interface EventText {
  type: "Normal" | "Warning";
  /** One word in CamelCase: "SuccessfulRescale". */
  reason: string;
  message: string;
  /** The action that failed or succeeded: "Rescale". */
  action: string;
  /** Tells events with the same text apart. */
  occasion?: string;
}

interface Series {
  name: string;
  count: number;
  writtenAt: number;
}

const longestMessage = 1024;
/** A repeated event within this time, in ms, is counted but not written. */
const quietMilliseconds = 60_000;

/**
 * Writes core/v1 Events. A repeated event of an object is one Event with a count, written at most once a minute, so
 * that a lasting fault does not flood the API server. A failed write goes to `failed` and is never thrown.
 */
export class EventRecorder {
  readonly #series = new LRUCache<string, Series>({ max: 4096 });

  constructor(
    readonly api: Api,
    readonly component: string,
    readonly instance: string,
    readonly failed: (error: unknown, object: ObjectReference, event: EventText) => void,
  ) {}

  /** Records `event` of `object` at the time `now`. Never throws. */
  async record(object: ObjectReference, event: EventText, now: Date): Promise<void> {
    const key = `${object.uid} ${event.type} ${event.reason} ${event.occasion ?? ""} ${event.message}`;
    try {
      const series = this.#series.get(key);
      if (series && (await this.#repeat(object, series, now))) return;
      await this.#create(object, event, key, now);
    } catch (error) {
      this.#series.delete(key);
      this.failed(error, object, event);
    }
  }

  /** Counts a repeated event. Returns false when the API server has dropped the Event, as it does after an hour. */
  async #repeat(object: ObjectReference, series: Series, now: Date): Promise<boolean> {
    series.count++;
    if (now.getTime() - series.writtenAt < quietMilliseconds) return true;
    series.writtenAt = now.getTime();
    try {
      const seen = { lastTimestamp: timestamp(now), count: series.count };
      await this.api.patch(`${eventsPath(object)}/${series.name}`, mergePatch, seen);
      return true;
    } catch (error) {
      if (isStatus(error, 404)) return false;
      throw error;
    }
  }

  async #create(object: ObjectReference, event: EventText, key: string, now: Date): Promise<void> {
    // Name it as client-go does: the object and the time make it unique.
    const unique = `${now.getTime().toString(16)}${Math.floor(Math.random() * 4096).toString(16)}`;
    const name = `${object.name.slice(0, 200).replace(/[-.]+$/, "")}.${unique}`;
    this.#series.set(key, { name, count: 1, writtenAt: now.getTime() });
    await this.api.create(eventsPath(object), {
      apiVersion: "v1",
      kind: "Event",
      metadata: { name, namespace: object.namespace || "default" },
      involvedObject: object,
      type: event.type,
      reason: event.reason,
      message: event.message.slice(0, longestMessage),
      action: event.action,
      source: { component: this.component },
      reportingComponent: this.component,
      reportingInstance: this.instance,
      firstTimestamp: timestamp(now),
      lastTimestamp: timestamp(now),
      count: 1,
    });
  }
}

const eventsPath = ({ namespace }: ObjectReference): string => `/api/v1/namespaces/${namespace || "default"}/events`;
