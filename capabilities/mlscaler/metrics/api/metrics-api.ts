import * as z from "zod";
import { Api, ApiError, namespaceIn, tooLarge } from "../../../kubernetes/api";
import { Discovery } from "../../../kubernetes/discovery";
import { installAgain } from "../../../operator/installed";
import { AnswerCache } from "./answer-cache";
import { CircuitBreaker, Result, Silent } from "./circuit-breaker";
import { ageOf, metricFailed, MetricsError, staleMilliseconds } from "../reading";
import { MetricsReader, MetricsRequest } from "../sources/source";

/** The timeout of a request to a metrics API. */
export const timeoutSeconds = 5;

/** Cache time of answers from adapters and Prometheus servers. */
export const tickMilliseconds = 1_000;

export interface ServedApi {
  group: string;
  versions: [string, ...string[]];
  /** The program that serves the API, as messages to the admin name it. */
  server: string;
  sharedMilliseconds: number;
}

/** Reads lists of one metrics API. Caches answers, and stops requests while the API does not answer. */
export class MetricsApi<Item extends { at: number }> implements MetricsReader<Item> {
  readonly #answers: AnswerCache<Item[]>;
  readonly #breaker = new CircuitBreaker();

  constructor(
    readonly api: Api,
    readonly discovery: Discovery,
    readonly served: ServedApi,
    readonly item: z.ZodType<Item>,
  ) {
    this.#answers = new AnswerCache(served.sharedMilliseconds);
  }

  async read(request: MetricsRequest): Promise<{ fresh: Item[]; stale: Item[] }> {
    const values = await this.#read(request);
    if (values.fresh.length === 0) throw this.#staleError(request, values.stale);
    return values;
  }

  async readWhole(request: MetricsRequest): Promise<Item[]> {
    const { fresh, stale } = await this.#read(request);
    if (stale.length > 0) throw this.#staleError(request, stale);
    return fresh;
  }

  async #read(request: MetricsRequest): Promise<{ fresh: Item[]; stale: Item[] }> {
    let items: Item[];
    try {
      items = await this.#answers.get(JSON.stringify([request.path, request.query]), () => this.#ask(request));
    } catch (error) {
      throw metricFailed(request, await this.#explain(error));
    }
    if (items.length === 0)
      throw metricFailed(request, `${this.served.group} has no value of it; see what its source sends`);
    const isStale = ({ at }: Item): boolean => ageOf(at, request.now) === "stale";
    return { fresh: items.filter(item => !isStale(item)), stale: items.filter(isStale) };
  }

  #ask({ path, query = {} }: MetricsRequest): Promise<Item[]> {
    const question = JSON.stringify([path, query]);
    const given = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ""));
    const request = async (): Promise<Item[]> => {
      const base = `/apis/${this.served.group}/${await this.#version()}`;
      const items: Item[] = [];
      const seen = (item: unknown): void => void items.push(this.#parse(item, items.length));
      await this.api.list(`${base}/${path}`, seen, { query: given, timeoutSeconds });
      return items;
    };
    return this.#breaker.ask(namespaceIn(path), question, request, resultOf);
  }

  #parse(item: unknown, index: number): Item {
    const { success, data, error } = this.item.safeParse(item);
    if (success) return data;
    throw new z.ZodError(error.issues.map(issue => ({ ...issue, path: ["items", index, ...issue.path] })));
  }

  async #version(): Promise<string> {
    const { group, versions } = this.served;
    // A single version needs no discovery. The answer to the request shows whether it is served.
    if (versions.length === 1) return versions[0];
    const available = await this.discovery.versionsOf(group, timeoutSeconds);
    const version = versions.find(one => available.includes(`${group}/${one}`));
    if (version === undefined) throw new ApiError(404, "NotFound", `${group} is in none of these versions`);
    return version;
  }

  async #explain(error: unknown): Promise<string> {
    const { group, versions, server } = this.served;
    if (error instanceof z.ZodError) {
      const [issue] = error.issues;
      const fault = `${issue?.path.join(".")}: ${issue?.message}`;
      return `${group} answered in an unknown form: ${fault}; see which version of ${server} is installed`;
    }
    // One text for all of a silence, because each new message of a condition is a write.
    if (error instanceof Silent || resultOf(error) === "silent")
      return `${group} gave no answer in time; see "kubectl get apiservices" and the log of ${server}`;
    if (!(error instanceof ApiError)) throw error;
    const { status, reason, message } = error;
    if (reason === tooLarge)
      return `${group} failed: ${message}; narrow it by metric.selector, or share out the pods to more namespaces`;
    if (status === 403) return `${group} may not be read: ${message}; ${installAgain}`;
    if (status === 404) {
      const available = await this.discovery.versionsOf(group, timeoutSeconds).catch(() => undefined);
      if (available && !versions.some(version => available.includes(`${group}/${version}`)))
        return `the cluster has no API ${group} (${versions.join(" or ")}); install ${server}`;
      return `${group} does not know it: ${message}; check the name, and what ${server} is configured to serve`;
    }
    return `${group} failed: ${reason}: ${message}; see "kubectl get apiservices" and the log of ${server}`;
  }

  #staleError(request: MetricsRequest, stale: Item[]): MetricsError {
    // Each argument of a call takes stack.
    const newest = stale.reduce((latest, { at }) => Math.max(latest, at), 0);
    const { group, server } = this.served;
    if (newest > request.now)
      return metricFailed(
        request,
        `${group} has values of the future, of ${new Date(newest).toISOString()}; ` +
          `see the clocks of ${server}, of the nodes and of the API server`,
      );
    return metricFailed(
      request,
      `${group} has ${stale.length} of its values too old, the newest of ${new Date(newest).toISOString()}, ` +
        `where ${staleMilliseconds / 60_000} min are allowed; see whether ${server} still gets them, and the clocks`,
    );
  }
}

function resultOf(error: unknown): Result {
  const reason = error instanceof ApiError ? error.reason : undefined;
  if (reason === "TimeoutError") return "silent";
  return reason === "NotSent" ? "unsent" : "answered";
}
