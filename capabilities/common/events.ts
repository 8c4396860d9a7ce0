import { LRUCache } from "lru-cache";
import { Api } from "./api";
import { timestamp } from "./conditions";
import { ObjectReference } from "./objects";

export interface EventText {
  type: "Normal" | "Warning";
  /** In one word, CamelCase: "SuccessfulRescale". */
  reason: string;
  message: string;
  /** What was tried: "Rescale". */
  action: string;
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
    const key = `${object.uid} ${event.type} ${event.reason} ${event.message}`;
    const series = this.#series.get(key);
    const namespace = object.namespace || "default";
    const path = `/api/v1/namespaces/${namespace}/events`;
    const seen = { lastTimestamp: timestamp(now), count: (series?.count ?? 0) + 1 };
    try {
      if (series) {
        series.count = seen.count;
        if (now.getTime() - series.writtenAt < quietMilliseconds) return;
        series.writtenAt = now.getTime();
        await this.api.patch(`${path}/${series.name}`, "application/merge-patch+json", seen);
        return;
      }
      // As client-go names them: the object and the time, which makes it unique.
      const name = `${object.name.slice(0, 200)}.${now.getTime().toString(16)}${Math.floor(Math.random() * 4096).toString(16)}`;
      this.#series.set(key, { name, count: 1, writtenAt: now.getTime() });
      await this.api.create(path, {
        apiVersion: "v1",
        kind: "Event",
        metadata: { name, namespace },
        involvedObject: object,
        type: event.type,
        reason: event.reason,
        message: event.message.slice(0, longestMessage),
        action: event.action,
        source: { component: this.component },
        reportingComponent: this.component,
        reportingInstance: this.instance,
        firstTimestamp: timestamp(now),
        ...seen,
      });
    } catch (error) {
      this.#series.delete(key);
      this.failed(error, object, event);
    }
  }
}
