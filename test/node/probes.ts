import { setTimeout as delay } from "node:timers/promises";
import { Api, ApiError, mergePatch } from "../../capabilities/kubernetes/api";
import { scalerManifest, scaler, shortForm, until } from "../e2e/cluster";

const everyMilliseconds = 100;

/** One review that the API server was asked for. Times in milliseconds since an arbitrary start. */
interface Review {
  sentAt: number;
  milliseconds: number;
  denied: boolean;
}

/** What a probe of the webhook saw. */
export interface Asked {
  reviews: number;
  /** From the first review that was let through to the next one that was denied, the longest of them. */
  unaskedSeconds: number;
  /** Reviews that took longer than 3 s, the timeout of the webhook. */
  slow: number;
  slowestSeconds: number;
}

/**
 * Asks every 100 ms whether a second MLScaler may be on the Deployment of another one, which only the webhook denies.
 * Does not wait for an answer before the next question.
 */
class WebhookProbe {
  readonly #reviews: Review[] = [];
  readonly #stopped = new AbortController();
  readonly #done: Promise<void>;
  readonly #api = new Api();

  /** @param target a Deployment with an MLScaler */
  constructor(
    readonly namespace: string,
    readonly target: string,
  ) {
    this.#done = this.#run();
  }

  /** Waits until the webhook has denied all reviews of the last second. */
  async settled(): Promise<void> {
    const since = performance.now();
    await until("the webhook is asked", () => {
      const last = this.#reviews.slice(-10);
      return Promise.resolve(last.length === 10 && last.every(({ denied, sentAt }) => denied && sentAt > since));
    });
  }

  /** Asks no more. */
  end(): void {
    this.#stopped.abort();
  }

  /** What it saw until its end. Throws when a question failed. */
  async seen(): Promise<Asked> {
    await this.#done;
    const reviews = this.#reviews.sort((one, other) => one.sentAt - other.sentAt);
    let unasked = 0;
    let since: number | undefined;
    for (const { sentAt, denied } of reviews) {
      if (!denied) since ??= sentAt;
      if (since !== undefined) unasked = Math.max(unasked, sentAt - since);
      if (denied) since = undefined;
    }
    return {
      reviews: reviews.length,
      unaskedSeconds: unasked / 1000,
      slow: reviews.filter(({ milliseconds }) => milliseconds > 3000).length,
      slowestSeconds: Math.max(...reviews.map(({ milliseconds }) => milliseconds)) / 1000,
    };
  }

  async #run(): Promise<void> {
    const asked: Promise<void>[] = [];
    while (!this.#stopped.signal.aborted) {
      asked.push(this.#ask());
      await delay(everyMilliseconds, undefined, { signal: this.#stopped.signal }).catch(() => undefined);
    }
    await Promise.all(asked);
  }

  async #ask(): Promise<void> {
    const sentAt = performance.now();
    const answered = (denied: boolean): void =>
      void this.#reviews.push({ sentAt, milliseconds: performance.now() - sentAt, denied });
    try {
      const path = `/apis/example.com/v1/namespaces/${this.namespace}/mlscalers`;
      const second = scalerManifest("second", { ...shortForm, target_deployment: this.target });
      await this.#api.create(path, second, { query: { dryRun: "All" } });
      answered(false);
    } catch (error) {
      if (!(error instanceof ApiError) || !error.message.includes("is already scaled by MLScaler")) throw error;
      answered(true);
    }
  }
}

/** What a probe of the watcher saw. */
export interface Acted {
  changes: number;
  /** The longest time from a change of a spec to the status that is about it. */
  nobodySeconds: number;
}

/** Changes the spec of an MLScaler, waits for the status of that generation, and changes it again. */
class ActionProbe {
  readonly #seconds: number[] = [];
  readonly #stopped = new AbortController();
  readonly #done: Promise<void>;
  readonly #api = new Api();

  constructor(
    readonly namespace: string,
    readonly name: string,
  ) {
    this.#done = this.#run();
  }

  /** Waits for the answer to a change that is made after now. */
  async settled(): Promise<void> {
    const { length } = this.#seconds;
    // The first one may be the answer to a change of before.
    await until("changes of a spec are answered", () => Promise.resolve(this.#seconds.length > length + 1));
  }

  /** Changes no more. */
  end(): void {
    this.#stopped.abort();
  }

  /** What it saw until its end. Throws when a change failed. */
  async seen(): Promise<Acted> {
    await this.#done;
    return { changes: this.#seconds.length, nobodySeconds: Math.max(...this.#seconds) };
  }

  async #run(): Promise<void> {
    const path = `/apis/example.com/v1/namespaces/${this.namespace}/mlscalers/${this.name}`;
    for (let number = 0; !this.#stopped.signal.aborted; number++) {
      await this.#api.patch(path, mergePatch, { spec: { max_replicas: 10 + (number % 2) } });
      const changedAt = performance.now();
      for (;;) {
        const { metadata, status } = await scaler(this.namespace, this.name);
        if (status.observedGeneration === metadata.generation) break;
        if (this.#stopped.signal.aborted) return;
        await delay(20);
      }
      this.#seconds.push((performance.now() - changedAt) / 1000);
      await delay(everyMilliseconds);
    }
  }
}

/** What was seen of a change to the module, by `WebhookProbe` and `ActionProbe`. */
export type Handover = Asked & Acted;

/**
 * Probes webhook and watcher by the MLScaler `name` on a Deployment of the same name, from before `work` until after.
 */
export async function handover(namespace: string, name: string, work: () => Promise<void>): Promise<Handover> {
  const probes = [new WebhookProbe(namespace, name), new ActionProbe(namespace, name)] as const;
  try {
    await Promise.all(probes.map(probe => probe.settled()));
    await work();
    await Promise.all(probes.map(probe => probe.settled()));
  } finally {
    for (const probe of probes) probe.end();
  }
  return { ...(await probes[0].seen()), ...(await probes[1].seen()) };
}
