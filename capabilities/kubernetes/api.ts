import { readFileSync } from "node:fs";
import type { RequestOptions } from "node:https";
import type { Readable } from "node:stream";
import { KubeConfig } from "@kubernetes/client-node";
import type { Pool } from "undici";
import * as z from "zod";
import { piecesOf, TooLong, wholeOf } from "./body";
import { type Answer, codeOf, exchange, poolOf } from "./exchange";
import { FairPool, NoPermit, Permits } from "./fair-queue";
import { InvalidList, ListReader } from "./list-reader";
import { ServerClock } from "./server-clock";
import type { Instant } from "./time";

/** Lifetime of credentials before they are read again, in ms. A projected token lives for an hour. */
const credentialsLifetimeMilliseconds = 60_000;

/** The limit on concurrent requests, without those of watches. The requests about one namespace get half of it. */
export const mostConnections = 64;

// The limits of answers, in bytes. An object is parsed in one turn; etcd stores at most 1.5 MiB. A list comes by items.
const mostBytes = { object: 2 << 20, list: 16 << 20, failure: 64 << 10 };

// Paths that the API server itself answers. Aggregated APIs behind others have the time of their own servers.
const ownPath = /^\/(api|apis\/coordination\.k8s\.io)\//;

export const tooLarge = "TooLarge";

export const mergePatch = "application/merge-patch+json";
export const jsonPatch = "application/json-patch+json";
export const applyPatch = "application/apply-patch+yaml";

export class ApiError extends Error {
  /** @param reason of Kubernetes ("NotFound") or the system ("ECONNREFUSED"), "TimeoutError", or "NotSent" */
  constructor(
    readonly status: number,
    readonly reason: string,
    message: string,
  ) {
    super(message);
    this.name = "ApiError";
  }
}

/** Whether `error` is an answer of the API server with this HTTP status. */
export const isStatus = (error: unknown, status: number): boolean =>
  error instanceof ApiError && error.status === status;

/** Whether `error` is transient: no answer, too many requests, a server error, or an unknown error. */
export const mayPass = (error: unknown): boolean =>
  !(error instanceof ApiError) || error.status === 0 || error.status === 429 || error.status >= 500;

export interface Request {
  query?: Record<string, string>;
  body?: unknown;
  contentType?: string;
  accept?: string;
  /** The timeout in seconds; 10 by default. It begins when the request is sent; a request waits as long to be sent. */
  timeoutSeconds?: number;
}

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** The API server, how to connect to it, and the headers that authenticate. */
interface Server {
  url: URL;
  /** What the connections depend on. */
  identity: string;
  headers: Record<string, string>;
  pool: Pool;
  /** Watches hold their connections for minutes, so they take none from the pool. */
  watches: Pool;
  readAt: Instant;
}

/** The API server over one pool of connections. KFC opens a TLS connection for every call, too slow for syncs. */
export class Api {
  readonly #permits = new FairPool(new Permits(mostConnections));
  readonly clock = new ServerClock("the API server");
  #server?: Server;
  #reading?: Promise<Server>;

  constructor(readonly context?: string) {}

  /** Sends GET to `path`, and returns the parsed JSON. Throws ApiError. */
  get(path: string, request: Request = {}): Promise<unknown> {
    return this.#call("GET", path, request);
  }

  /** Sends GET to a list, whose items go to `seen` while they arrive. Returns the rest. Throws ApiError. */
  list(path: string, seen: (item: unknown) => void, request: Request = {}): Promise<object> {
    return this.#withPermit("GET", path, request, async signal => {
      const { body } = await this.#answered("GET", path, request, signal);
      const reader = new ListReader(seen);
      try {
        for await (const piece of piecesOf(body, mostBytes.list)) reader.read(piece);
        return reader.end();
      } catch (error) {
        if (error instanceof InvalidList) throw invalid(`GET ${path}`, `a list: ${error.message}`);
        throw unread(error, mostBytes.list, `GET ${path}`);
      }
    });
  }

  /** Sends GET to `path`. Returns undefined when there is no such object. Throws ApiError. */
  async find(path: string, request: Request = {}): Promise<unknown> {
    try {
      return await this.get(path, request);
    } catch (error) {
      if (isStatus(error, 404)) return undefined;
      throw error;
    }
  }

  /** Sends POST of `body` to `path`. Throws ApiError. */
  create(path: string, body: unknown, request: Request = {}): Promise<unknown> {
    return this.#call("POST", path, { ...request, body });
  }

  /** Sends PUT of `body` to `path`. Throws ApiError; 409 when the resourceVersion of `body` is not the newest. */
  replace(path: string, body: unknown, request: Request = {}): Promise<unknown> {
    return this.#call("PUT", path, { ...request, body });
  }

  /** Sends PATCH to `path`; `contentType` is the kind of patch. Throws ApiError. */
  patch(path: string, contentType: string, body: unknown, request: Request = {}): Promise<unknown> {
    return this.#call("PATCH", path, { ...request, contentType, body });
  }

  /** Sends DELETE to `path`; `body` is the DeleteOptions. Throws ApiError; 409 when a precondition fails. */
  delete(path: string, body?: unknown, request: Request = {}): Promise<unknown> {
    return this.#call("DELETE", path, { ...request, body });
  }

  /** Sends GET to `path`, for watches. Returns the response with an unread body, until `signal`. Throws ApiError. */
  async stream(path: string, request: Request, signal: AbortSignal): Promise<Readable> {
    const response = await this.#send("GET", path, request, signal, "watches");
    if (response.statusCode !== 200) throw await failure(response);
    return response.body;
  }

  #call(method: Method, path: string, request: Request): Promise<unknown> {
    return this.#withPermit(method, path, request, async signal => {
      const { body } = await this.#answered(method, path, request, signal);
      const call = `${method} ${path}`;
      const whole = await wholeOf(body, mostBytes.object).catch((error: unknown) => {
        throw unread(error, mostBytes.object, call);
      });
      try {
        return JSON.parse(whole.toString()) as unknown;
      } catch {
        throw invalid(call, "JSON");
      }
    });
  }

  /** Runs `run` once the namespace in `path` has a permit for it. The timeout of its signal begins then. */
  async #withPermit<Answer>(
    method: Method,
    path: string,
    { timeoutSeconds = 10 }: Request,
    run: (signal: AbortSignal) => Promise<Answer>,
  ): Promise<Answer> {
    const longest = Math.ceil(timeoutSeconds * 1000);
    try {
      return await this.#permits.run(namespaceIn(path), longest, () => within(longest, run));
    } catch (error) {
      if (!(error instanceof NoPermit)) throw error;
      const why = "was not sent, because too many requests of its namespace wait for answers";
      throw new ApiError(0, "NotSent", `${method} ${path} ${why}`);
    }
  }

  /** Sends a request. Returns a response that is no failure, with an unread body. Throws ApiError. */
  async #answered(method: Method, path: string, request: Request, signal: AbortSignal): Promise<Answer> {
    let response = await this.#send(method, path, request, signal);
    if (response.statusCode === 401) {
      // The token may have been rotated.
      await response.body.dump();
      if (this.#server) this.#server.readAt = -Infinity;
      response = await this.#send(method, path, request, signal);
    }
    if (response.statusCode >= 300) throw await failure(response);
    return response;
  }

  async #send(
    method: Method,
    path: string,
    { query, body, contentType = "application/json", accept = "application/json" }: Request,
    signal: AbortSignal,
    over: "pool" | "watches" = "pool",
  ): Promise<Answer> {
    const { url, headers, [over]: pool } = await this.#reached();
    const prefix = url.pathname.replace(/\/$/, "");
    const request = {
      ...{ method, signal },
      path: `${prefix}${path}${query ? `?${new URLSearchParams(query).toString()}` : ""}`,
      headers: { ...headers, Accept: accept, ...(body !== undefined && { "Content-Type": contentType }) },
      body: body === undefined ? undefined : JSON.stringify(body),
    };
    return exchange(pool, request, ownPath.test(path) ? this.clock : undefined).catch((error: unknown) => {
      throw noAnswer(error, `${method} ${path}`);
    });
  }

  /** The API server, by credentials of the last minute. */
  async #reached(): Promise<Server> {
    if (this.#server && Date.now() - this.#server.readAt < credentialsLifetimeMilliseconds) return this.#server;
    this.#reading ??= this.#read().finally(() => (this.#reading = undefined));
    return this.#reading;
  }

  /** Reads the kubeconfig. Connections stay while the server and its certificates do. Throws ApiError. */
  async #read(): Promise<Server> {
    const kubeConfig = new KubeConfig();
    kubeConfig.loadFromDefault();
    if (this.context !== undefined) kubeConfig.setCurrentContext(this.context);
    const cluster = kubeConfig.getCurrentCluster();
    if (!cluster) throw new ApiError(0, "NoCluster", "the kubeconfig names no cluster");
    const options: RequestOptions = {};
    await kubeConfig.applyToHTTPSOptions(options);
    const { headers, ca, cert, key, rejectUnauthorized, servername } = options;
    const tls = { ca, cert, key, rejectUnauthorized, ...(servername !== undefined && { servername }) };
    const url = new URL(cluster.server);
    const identity = JSON.stringify([url.origin, tls]);
    const before = this.#server;
    const isSame = before?.identity === identity;
    if (before && !isSame) void Promise.all([before.pool.close(), before.watches.close()]);
    this.#server = {
      ...{ url, identity, headers: headers as Record<string, string>, readAt: Date.now() },
      pool: isSame ? before.pool : poolOf(url.origin, mostConnections, tls),
      watches: isSame ? before.watches : poolOf(url.origin, null, tls),
    };
    return this.#server;
  }
}

/** Runs `run` with a signal that ends after a time, in ms. Unlike AbortSignal.timeout it leaves nothing to collect. */
async function within<Result>(longest: number, run: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new DOMException("no answer in time", "TimeoutError")), longest);
  try {
    return await run(controller.signal);
  } finally {
    clearTimeout(timer);
  }
}

/** The namespace in the path of a request; empty for a request about the whole cluster. */
export const namespaceIn = (path: string): string => /(?:^|\/)namespaces\/([^/]+)\//.exec(path)?.[1] ?? "";

function noAnswer(error: unknown, call: string): ApiError {
  const { name, message } = error as Error;
  if (name === "TimeoutError") return new ApiError(0, name, `${call}: no answer in time`);
  return new ApiError(0, codeOf(error) || name, `${call}: ${message}`);
}

function unread(error: unknown, longest: number, call: string): ApiError {
  if (!(error instanceof TooLong)) return cut(error);
  return new ApiError(0, tooLarge, `${call}: the answer has more than ${longest >> 20} MiB, which is the limit`);
}

const cut = (error: unknown): ApiError =>
  new ApiError(0, "Cut", `the answer was cut off: ${error instanceof Error ? error.message : String(error)}`);

const invalid = (call: string, wanted: string): ApiError =>
  new ApiError(200, "InvalidAnswer", `${call}: the answer is not ${wanted}`);

const statusAnswer = z.object({ reason: z.string().optional(), message: z.string().optional() });

async function failure({ statusCode: status, body: answered }: Answer): Promise<ApiError> {
  const pieces: Buffer[] = [];
  try {
    for await (const piece of piecesOf(answered, mostBytes.failure)) pieces.push(piece);
  } catch (error) {
    // The beginning of a page that is too long tells enough.
    if (!(error instanceof TooLong)) throw cut(error);
  }
  const body = Buffer.concat(pieces).toString();
  try {
    const answer = statusAnswer.parse(JSON.parse(body));
    return new ApiError(status, answer.reason ?? `HTTP${status}`, answer.message ?? `HTTP ${status}`);
  } catch {
    return new ApiError(status, `HTTP${status}`, body.trim().slice(0, 200) || `HTTP ${status}`);
  }
}

/** The namespace of the module: that of the ServiceAccount, or of Pepr when the process runs outside a pod. */
export function moduleNamespace(): string {
  try {
    return readFileSync("/var/run/secrets/kubernetes.io/serviceaccount/namespace", "utf8").trim();
  } catch {
    return process.env.POD_NAMESPACE ?? "pepr-system";
  }
}
