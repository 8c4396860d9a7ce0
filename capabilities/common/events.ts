import { LRUCache } from "lru-cache";
import { Api, isStatus, mergePatch } from "./api";
import { timestamp } from "./conditions";
import { ObjectReference } from "./objects";

export interface EventText {
  type: "Normal" | "Warning";
  /** In one word, CamelCase: "SuccessfulRescale". */
  reason: string;
  message: string;
  /** What was tried: "Rescale". */
  action: string;
  /** What makes it another event though it says the same. */
  occasion?: string;
}

interface Series {
  name: string;
  count: number;
  writtenAt: number;
}

const longestMessage = 1024;
/** The same event again within this time is counted, but not written. */
const quietMilliseconds = 60_000;

/**
 * Writes core/v1 Events. The same event of the same object is one Event with a count; it is written at most once a
 * minute, so that a fault that lasts does not flood the API server. A failure to write is told to `failed`, never thrown.
 */
export class EventRecorder {
  readonly #series = new LRUCache<string, Series>({ max: 4096 });

  constructor(
    readonly api: Api,
    readonly component: string,
    readonly instance: string,
    readonly failed: (error: unknown, object: ObjectReference, event: EventText) => void,
  ) {}

  /** Records that `event` happened to `object` at `now`. */
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

  /** Counts the event once more; false when the API server has dropped it, as it does after an hour. */
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
    // As client-go names them: the object and the time, which makes it unique.
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
