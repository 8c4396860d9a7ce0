import { readFileSync } from "node:fs";
import { IncomingMessage, OutgoingHttpHeaders } from "node:http";
import https from "node:https";
import { KubeConfig } from "@kubernetes/client-node";
import * as z from "zod";
import { piecesOf, TooLong, wholeOf } from "./body";
import { deadline } from "./deadline";
import { exchange } from "./exchange";
import { FairPool, NoPermit, Permits } from "./fair-queue";
import { jsonIn } from "./json";
import { InvalidList, ListReader } from "./list-reader";
import { ServerClock } from "./server-clock";

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

/** The answer to a call; undefined when it is one of these HTTP statuses. Throws the other errors of the call. */
export const ignoring = <Value>(call: Promise<Value>, ...statuses: number[]): Promise<Value | undefined> =>
  call.catch((error: unknown) => {
    if (statuses.some(status => isStatus(error, status))) return undefined;
    throw error;
  });

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

/** The API server over one pool of connections. KFC opens a TLS connection for every call, too slow for syncs. */
export class Api {
  readonly #agent: https.Agent;
  readonly #permits = new FairPool(new Permits(mostConnections));
  /** Watches hold their connections for minutes, so they take none from the pool. */
  readonly #watches = new https.Agent();
  readonly clock = new ServerClock("the API server");
  #credentials?: { options: https.RequestOptions; server: URL; readAt: number };

  constructor(
    readonly context?: string,
    mostIdle = 4,
  ) {
    this.#agent = new https.Agent({ keepAlive: true, maxSockets: mostConnections, maxFreeSockets: mostIdle });
  }

  /** Sends GET to `path`, and returns the parsed JSON. Throws ApiError. */
  get(path: string, request: Request = {}): Promise<unknown> {
    return this.#call("GET", path, request);
  }

  /** Sends GET to a list, whose items go to `seen` while they arrive. Returns the rest. Throws ApiError. */
  list(path: string, seen: (item: unknown) => void, request: Request = {}): Promise<object> {
    return this.#withPermit("GET", path, request, async signal => {
      const response = await this.#answered("GET", path, request, signal);
      const reader = new ListReader(seen);
      try {
        for await (const piece of piecesOf(response, mostBytes.list)) reader.read(piece);
        return reader.end();
      } catch (error) {
        if (error instanceof InvalidList) throw invalid(`GET ${path}`, `a list: ${error.message}`);
        throw unread(error, mostBytes.list, `GET ${path}`);
      }
    });
  }

  /** Sends GET to `path`. Returns undefined when there is no such object. Throws ApiError. */
  find(path: string, request: Request = {}): Promise<unknown> {
    return ignoring(this.get(path, request), 404);
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
  async stream(path: string, request: Request, signal: AbortSignal): Promise<IncomingMessage> {
    const response = await this.#send("GET", path, request, signal, this.#watches);
    if (response.statusCode !== 200) throw await failure(response);
    return response;
  }

  #call(method: Method, path: string, request: Request): Promise<unknown> {
    return this.#withPermit(method, path, request, async signal => {
      const response = await this.#answered(method, path, request, signal);
      const call = `${method} ${path}`;
      const body = await wholeOf(response, mostBytes.object).catch((error: unknown) => {
        throw unread(error, mostBytes.object, call);
      });
      const answer = jsonIn(body.toString());
      if (answer === undefined) throw invalid(call, "JSON");
      return answer;
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
      return await this.#permits.run(namespaceIn(path), longest, () => deadline.within(longest, run));
    } catch (error) {
      if (!(error instanceof NoPermit)) throw error;
      const why = "was not sent, because too many requests of its namespace wait for answers";
      throw new ApiError(0, "NotSent", `${method} ${path} ${why}`);
    }
  }

  /** Sends a request. Returns a response that is no failure, with an unread body. Throws ApiError. */
  async #answered(method: Method, path: string, request: Request, signal: AbortSignal): Promise<IncomingMessage> {
    let response = await this.#send(method, path, request, signal);
    if (response.statusCode === 401) {
      // The token may have been rotated.
      response.resume();
      this.#credentials = undefined;
      response = await this.#send(method, path, request, signal);
    }
    if ((response.statusCode ?? 0) >= 300) throw await failure(response);
    return response;
  }

  async #send(
    method: Method,
    path: string,
    request: Request,
    signal: AbortSignal,
    agent = this.#agent,
  ): Promise<IncomingMessage> {
    const { options, server } = await this.#authenticate();
    const body = request.body === undefined ? undefined : JSON.stringify(request.body);
    const query = new URLSearchParams(request.query).toString();
    const headers = { ...(options.headers as Record<string, string>), ...headersOf(request, body) };
    const target = {
      ...{ ...options, agent, method, headers, signal },
      host: server.hostname.replace(/^\[|\]$/g, ""),
      port: server.port || 443,
      path: `${server.pathname.replace(/\/$/, "")}${path}${query && `?${query}`}`,
    };
    const clock = ownPath.test(path) ? this.clock : undefined;
    return exchange(https.request, target, body, clock, method === "GET").catch((error: NodeJS.ErrnoException) => {
      throw noAnswer(error, signal, `${method} ${path}`);
    });
  }

  async #authenticate(): Promise<{ options: https.RequestOptions; server: URL }> {
    const now = Date.now();
    if (this.#credentials && now - this.#credentials.readAt < credentialsLifetimeMilliseconds) return this.#credentials;
    const kubeConfig = new KubeConfig();
    kubeConfig.loadFromDefault();
    if (this.context !== undefined) kubeConfig.setCurrentContext(this.context);
    const cluster = kubeConfig.getCurrentCluster();
    if (!cluster) throw new ApiError(0, "NoCluster", "the kubeconfig names no cluster");
    const options: https.RequestOptions = {};
    await kubeConfig.applyToHTTPSOptions(options);
    delete options.agent;
    this.#credentials = { options, server: new URL(cluster.server), readAt: now };
    return this.#credentials;
  }
}

const headersOf = (
  { accept = "application/json", contentType = "application/json" }: Request,
  body?: string,
): OutgoingHttpHeaders => ({
  Accept: accept,
  ...(body !== undefined && { "Content-Type": contentType, "Content-Length": Buffer.byteLength(body) }),
});

/** The namespace in the path of a request; empty for a request about the whole cluster. */
export const namespaceIn = (path: string): string => /(?:^|\/)namespaces\/([^/]+)\//.exec(path)?.[1] ?? "";

function noAnswer(error: NodeJS.ErrnoException, signal: AbortSignal, call: string): ApiError {
  const { name } = signal.aborted && signal.reason instanceof Error ? signal.reason : error;
  if (name === "TimeoutError") return new ApiError(0, name, `${call}: no answer in time`);
  return new ApiError(0, error.code ?? name, `${call}: ${error.message}`);
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

async function failure(response: IncomingMessage): Promise<ApiError> {
  const status = response.statusCode ?? 0;
  const pieces: Buffer[] = [];
  try {
    for await (const piece of piecesOf(response, mostBytes.failure)) pieces.push(piece);
  } catch (error) {
    // The beginning of a page that is too long tells enough.
    if (!(error instanceof TooLong)) throw cut(error);
  }
  const body = Buffer.concat(pieces).toString();
  const text = { message: body.trim().slice(0, 200) || `HTTP ${status}` };
  const { reason, message } = statusAnswer.catch(text).parse(jsonIn(body));
  return new ApiError(status, reason ?? `HTTP${status}`, message ?? `HTTP ${status}`);
}

/** The namespace of the module: that of the ServiceAccount, or of Pepr when the process runs outside a pod. */
export function moduleNamespace(): string {
  try {
    return readFileSync("/var/run/secrets/kubernetes.io/serviceaccount/namespace", "utf8").trim();
  } catch {
    return process.env.POD_NAMESPACE ?? "pepr-system";
  }
}
