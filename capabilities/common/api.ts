import { readFileSync } from "node:fs";
import { IncomingMessage } from "node:http";
import https from "node:https";
import { KubeConfig } from "@kubernetes/client-node";
import * as z from "zod";
import { bodyOf } from "./body";

/** How long credentials are used before they are read again; a projected token lives for an hour. */
const credentialsLifetimeMilliseconds = 60_000;

/** How many connections there are at once, but for watches. */
export const mostConnections = 32;

/** The content types of a patch. */
export const mergePatch = "application/merge-patch+json";
export const jsonPatch = "application/json-patch+json";

/** The API server said no, or did not answer. */
export class ApiError extends Error {
  /**
   * @param status HTTP status; 0 when there was no answer
   * @param reason Kubernetes' own word for it ("NotFound", "Conflict"), or the system's ("ECONNREFUSED"); "TimeoutError"
   *   when there was no answer in time
   */
  constructor(
    readonly status: number,
    readonly reason: string,
    message: string,
  ) {
    super(message);
    this.name = "ApiError";
  }
}

/** Whether `error` is the API server's answer with this HTTP status. */
export const isStatus = (error: unknown, status: number): boolean =>
  error instanceof ApiError && error.status === status;

/** Whether `error` may pass by itself: no answer, too many requests, or the server's own fault. Anything unknown counts as such. */
export const mayPass = (error: unknown): boolean =>
  !(error instanceof ApiError) || error.status === 0 || error.status === 429 || error.status >= 500;

export interface Request {
  query?: Record<string, string>;
  body?: unknown;
  contentType?: string;
  accept?: string;
  /** Seconds after which the request is given up; 10 by default. */
  timeoutSeconds?: number;
}

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/**
 * The API server over one pool of keep-alive connections, on the kubeconfig that kubernetes-fluent-client uses.
 * KFC itself opens a TLS connection for every call; this is for what runs at every sync.
 */
export class Api {
  readonly #agent: https.Agent;
  /** Watches hold their connections for minutes; those are not taken from the pool. */
  readonly #watches = new https.Agent();
  #credentials?: { options: https.RequestOptions; server: URL; readAt: number };

  /**
   * @param context of the kubeconfig; by default the current one
   * @param mostIdle how many idle connections are kept, at most 32; those beyond are closed, and opened anew when needed
   */
  constructor(
    readonly context?: string,
    mostIdle = 4,
  ) {
    this.#agent = new https.Agent({ keepAlive: true, maxSockets: mostConnections, maxFreeSockets: mostIdle });
  }

  /** GET of `path`, answered as JSON. Throws ApiError. */
  get(path: string, request: Request = {}): Promise<unknown> {
    return this.#call("GET", path, request);
  }

  /** GET of `path`, or undefined when nothing is there. Throws ApiError. */
  async find(path: string): Promise<unknown> {
    try {
      return await this.get(path);
    } catch (error) {
      if (isStatus(error, 404)) return undefined;
      throw error;
    }
  }

  /** POST of `body` to `path`. Throws ApiError. */
  create(path: string, body: unknown, request: Request = {}): Promise<unknown> {
    return this.#call("POST", path, { ...request, body });
  }

  /** PUT of `body` to `path`. Throws ApiError; 409 when `body` is not of the newest resourceVersion. */
  replace(path: string, body: unknown, request: Request = {}): Promise<unknown> {
    return this.#call("PUT", path, { ...request, body });
  }

  /** PATCH of `path`; `contentType` says of which kind. Throws ApiError. */
  patch(path: string, contentType: string, body: unknown, request: Request = {}): Promise<unknown> {
    return this.#call("PATCH", path, { ...request, contentType, body });
  }

  /** DELETE of `path`; `body` are the DeleteOptions. Throws ApiError; 409 when a precondition does not hold. */
  delete(path: string, body?: unknown, request: Request = {}): Promise<unknown> {
    return this.#call("DELETE", path, { ...request, body });
  }

  /** A response whose body is read as it comes, for watches. Ends with `signal`. Throws ApiError. */
  async stream(path: string, request: Request, signal: AbortSignal): Promise<IncomingMessage> {
    const response = await this.#send("GET", path, request, signal, this.#watches);
    if (response.statusCode !== 200) throw await failure(response);
    return response;
  }

  async #call(method: Method, path: string, request: Request): Promise<unknown> {
    const signal = AbortSignal.timeout(Math.ceil((request.timeoutSeconds ?? 10) * 1000));
    let response = await this.#send(method, path, request, signal);
    if (response.statusCode === 401) {
      // The token may have been rotated since it was read.
      response.resume();
      this.#credentials = undefined;
      response = await this.#send(method, path, request, signal);
    }
    if ((response.statusCode ?? 0) >= 300) throw await failure(response);
    const body = await text(response);
    try {
      return JSON.parse(body);
    } catch {
      throw new ApiError(response.statusCode ?? 0, "InvalidAnswer", `${method} ${path}: the answer is not JSON`);
    }
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
    return new Promise((resolve, reject) => {
      const headers: Record<string, string | number> = {
        ...(options.headers as Record<string, string>),
        Accept: request.accept ?? "application/json",
      };
      if (body !== undefined) {
        headers["Content-Type"] = request.contentType ?? "application/json";
        headers["Content-Length"] = Buffer.byteLength(body);
      }
      let answered = false;
      const outgoing = https.request(
        {
          ...options,
          agent,
          host: server.hostname.replace(/^\[|\]$/g, ""),
          port: server.port || 443,
          path: `${server.pathname.replace(/\/$/, "")}${path}${query && `?${query}`}`,
          method,
          headers,
          signal,
        },
        response => {
          answered = true;
          resolve(response);
        },
      );
      outgoing.on("error", (error: NodeJS.ErrnoException) => {
        // After the answer has begun, who reads its body hears of the error.
        if (answered) return;
        // The server closed an idle connection as we took it up again. What writes may have been carried out before that.
        const isHarmless = method === "GET" && outgoing.reusedSocket;
        if (isHarmless && ["ECONNRESET", "EPIPE"].includes(error.code ?? ""))
          resolve(this.#send(method, path, request, signal));
        else reject(noAnswer(error, signal, `${method} ${path}`));
      });
      outgoing.end(body);
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

function noAnswer(error: NodeJS.ErrnoException, signal: AbortSignal, call: string): ApiError {
  const { name } = signal.aborted && signal.reason instanceof Error ? signal.reason : error;
  if (name === "TimeoutError") return new ApiError(0, name, `${call}: no answer in time`);
  return new ApiError(0, error.code ?? name, `${call}: ${error.message}`);
}

async function text(response: IncomingMessage): Promise<string> {
  try {
    return await bodyOf(response);
  } catch (error) {
    throw new ApiError(0, "Cut", `the answer was cut off: ${error instanceof Error ? error.message : String(error)}`);
  }
}

const statusAnswer = z.object({ reason: z.string().optional(), message: z.string().optional() });

async function failure(response: IncomingMessage): Promise<ApiError> {
  const status = response.statusCode ?? 0;
  const body = await text(response);
  try {
    const answer = statusAnswer.parse(JSON.parse(body));
    return new ApiError(status, answer.reason ?? `HTTP${status}`, answer.message ?? `HTTP ${status}`);
  } catch {
    return new ApiError(status, `HTTP${status}`, body.trim().slice(0, 200) || `HTTP ${status}`);
  }
}

/** The namespace that the module runs in: the ServiceAccount's own, or Pepr's when the process runs outside a pod. */
export function moduleNamespace(): string {
  try {
    return readFileSync("/var/run/secrets/kubernetes.io/serviceaccount/namespace", "utf8").trim();
  } catch {
    return process.env.POD_NAMESPACE ?? "pepr-system";
  }
}
