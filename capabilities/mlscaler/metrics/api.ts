import { z } from "zod";
import { Api, ApiError } from "../../common/api";
import { Discovery } from "../../common/discovery";
import { MetricsError } from "../scaling/reading";
import { Patience, Shared } from "./asking";

/** An adapter that answers later than this is as good as one that does not. */
export const timeoutSeconds = 5;

/** A value older than this says nothing of now: its source has stopped. */
const staleMilliseconds = 300_000;

/** What is asked for, as errors name it. */
export interface Wanted {
  /** The reason of the condition when it fails: "FailedGetPodsMetric". */
  reason: string;
  /** "Pods metric requests_per_second" */
  metric: string;
}

/** A request to a metrics API, at `now` (epoch milliseconds). */
interface Question extends Wanted {
  /** What comes after the version: "namespaces/shop/pods". */
  path: string;
  query?: Record<string, string>;
  now: number;
}

/** One of the cluster's metrics APIs, served by metrics-server or by an adapter. */
interface Served {
  group: string;
  /** Its versions that are understood, the preferred first. */
  versions: [string, ...string[]];
  /** What serves it, for those who have to install it. */
  server: string;
  /** One answer serves all who ask the same within this time, those included who ask while it is under way. */
  sharedMilliseconds: number;
}

/** When a value was taken, as all metrics APIs write it; 0 where they do not. Epoch milliseconds. */
export const timestamp = z
  .string()
  .nullish()
  .transform(text => Date.parse(text ?? "") || 0);

/** Reads lists of one metrics API. */
export class MetricsApi<Item extends { at: number }> {
  readonly #shared: Shared<Item[]>;
  readonly #list: z.ZodType<{ items: Item[] }>;
  readonly #patience = new Patience();

  constructor(
    readonly api: Api,
    readonly discovery: Discovery,
    readonly served: Served,
    item: z.ZodType<Item>,
  ) {
    this.#shared = new Shared(served.sharedMilliseconds);
    // Go writes an empty list as null, too.
    this.#list = z.object({
      items: z
        .array(item)
        .nullish()
        .transform(items => items ?? []),
    });
  }

  /** The values, those apart that are stale. Throws MetricsError when all are, or they cannot be read. */
  async read(question: Question): Promise<{ fresh: Item[]; stale: Item[] }> {
    const values = await this.#read(question);
    if (values.fresh.length === 0) throw this.#tooOld(question, values.stale);
    return values;
  }

  /** All values. Throws MetricsError when one is stale, or they cannot be read: a part is not to be taken for the whole. */
  async readWhole(question: Question): Promise<Item[]> {
    const { fresh, stale } = await this.#read(question);
    if (stale.length > 0) throw this.#tooOld(question, stale);
    return fresh;
  }

  async #read(question: Question): Promise<{ fresh: Item[]; stale: Item[] }> {
    let items: Item[];
    try {
      items = await this.#shared.ask(JSON.stringify([question.path, question.query]), () => this.#ask(question));
    } catch (error) {
      throw failed(question, await this.#explain(error));
    }
    if (items.length === 0)
      throw failed(question, `${this.served.group} has no value of it; see what its source sends`);
    const isStale = ({ at }: Item): boolean => at > 0 && question.now - at > staleMilliseconds;
    return { fresh: items.filter(item => !isStale(item)), stale: items.filter(isStale) };
  }

  async #ask({ path, query }: Question): Promise<Item[]> {
    const unanswered = this.#patience.silentAfter();
    if (unanswered > 0)
      throw new ApiError(0, "TimeoutError", `it did not answer ${unanswered} times, and is asked again soon`);
    try {
      const base = `/apis/${this.served.group}/${await this.#version()}`;
      const answer = await this.api.get(`${base}/${path}`, { query, timeoutSeconds });
      this.#patience.hear(true);
      return this.#list.parse(answer).items;
    } catch (error) {
      if (error instanceof ApiError) this.#patience.hear(error.reason !== "TimeoutError");
      throw error;
    }
  }

  async #version(): Promise<string> {
    const { group, versions } = this.served;
    // Where only one will do, the answer itself says whether it is there.
    if (versions.length === 1) return versions[0];
    const there = await this.discovery.versionsOf(group, timeoutSeconds);
    const version = versions.find(one => there.includes(`${group}/${one}`));
    if (version === undefined) throw new ApiError(404, "NotFound", `${group} is in none of these versions`);
    return version;
  }

  async #explain(error: unknown): Promise<string> {
    const { group, versions, server } = this.served;
    if (error instanceof z.ZodError) {
      const [issue] = error.issues;
      return `${group} answered in an unknown form: ${issue?.path.join(".")}: ${issue?.message}; see which version of ${server} is installed`;
    }
    if (!(error instanceof ApiError)) throw error;
    const { status, reason, message } = error;
    if (status === 403) return `${group} may not be read: ${message}; apply dist/install again`;
    if (status === 404) {
      const there = await this.discovery.versionsOf(group, timeoutSeconds).catch(() => undefined);
      if (there && !versions.some(version => there.includes(`${group}/${version}`)))
        return `the cluster has no API ${group} (${versions.join(" or ")}); install ${server}`;
      return `${group} does not know it: ${message}; check the name, and what ${server} is configured to serve`;
    }
    return `${group} failed: ${reason}: ${message}; see "kubectl get apiservices" and the log of ${server}`;
  }

  #tooOld(question: Question, stale: Item[]): MetricsError {
    const newest = Math.max(...stale.map(({ at }) => at));
    const { group, server } = this.served;
    return failed(
      question,
      `${group} has ${stale.length} of its values too old, the newest of ${new Date(newest).toISOString()}, where ${staleMilliseconds / 60_000} min are allowed; see whether ${server} still gets them, and the clocks`,
    );
  }
}

/** A MetricsError that names the metric and says what is wrong with it and what to do. */
export const failed = ({ reason, metric }: Wanted, problem: string): MetricsError =>
  new MetricsError(reason, `${metric}: ${problem}`);
