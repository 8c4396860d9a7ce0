import http from "node:http";
import https from "node:https";
import * as z from "zod";
import { TooLong, wholeOf } from "../../../kubernetes/body";
import { deadline } from "../../../kubernetes/deadline";
import { exchange } from "../../../kubernetes/exchange";
import { FairPool, NoPermit, Permits } from "../../../kubernetes/fair-queue";
import { jsonIn } from "../../../kubernetes/json";
import { errorFields, log } from "../../../kubernetes/log";
import { ServerClock } from "../../../kubernetes/server-clock";
import { CircuitBreaker } from "../api/circuit-breaker";
import { PrometheusError } from "./error";
import { Server } from "./server";

/** The limit on concurrent requests to a server. One namespace gets half of it. */
const mostAtOnce = 16;

const idleMilliseconds = 60_000;

/** The longest form in a URL. Longer forms are POST bodies, because some servers and proxies reject longer URLs. */
const longestUrlQuery = 2_000;

/** Error texts of servers that reject a query as too large: too many points or samples, or too long a range. */
const tooMuch = /exceed|limit|too (many|long|large)|maximum/i;

interface Bounds {
  mostBytes: number;
  signal: AbortSignal;
}

const errorSchema = z.object({ errorType: z.string().default("error"), error: z.string() });

const answerSchema = z.object({
  status: z.literal("success"),
  data: z.unknown(),
  /** VictoriaMetrics sets this when some of its storage nodes did not answer. */
  isPartial: z.boolean().optional(),
});

/** A pool of keep-alive connections to a Prometheus server, or to a server with the same HTTP API. */
export class Connection {
  /** Guards instant queries. Range queries have their own retry. */
  readonly breaker = new CircuitBreaker();
  readonly #permits = new FairPool(new Permits(mostAtOnce));
  readonly #agent: http.Agent;
  readonly #send: typeof http.request;
  readonly #headers: Record<string, string>;

  readonly clock: ServerClock;

  /** @param name the name of the server, which messages show; its address goes to the log only */
  constructor(
    readonly name: string,
    readonly server: Server,
  ) {
    this.clock = new ServerClock(`Prometheus server ${name}`);
    const { url, ca, insecure_skip_verify, bearer_token, basic_auth } = server;
    const pool = { keepAlive: true, maxSockets: mostAtOnce, timeout: idleMilliseconds };
    const isSecure = url.protocol === "https:";
    this.#agent = isSecure
      ? new https.Agent({ ...pool, ca, rejectUnauthorized: !insecure_skip_verify })
      : new http.Agent(pool);
    this.#send = isSecure ? https.request : http.request;
    this.#headers = { Accept: "application/json" };
    if (bearer_token !== undefined) this.#headers.Authorization = `Bearer ${bearer_token}`;
    if (basic_auth) {
      const { username, password } = basic_auth;
      this.#headers.Authorization = `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
    }
  }

  /** Runs `query` once `namespace` has a permit, aborted after as long. Throws PrometheusError, or what it throws. */
  async inTurn<Answer>(
    namespace: string,
    timeoutSeconds: number,
    query: (signal: AbortSignal) => Promise<Answer>,
  ): Promise<Answer> {
    const longest = Math.ceil(timeoutSeconds * 1000);
    try {
      return await this.#permits.run(namespace, longest, () => deadline.within(longest, query));
    } catch (error) {
      if (!(error instanceof NoPermit)) throw error;
      throw new PrometheusError(
        "was not queried, because too many queries of this namespace wait for answers; make them cheaper",
        "Unsent",
      );
    }
  }

  /** Sends a request to `api/v1/${path}` and returns the `data` of the answer. Throws PrometheusError. */
  async ask(path: string, parameters: Record<string, string>, bounds: Bounds): Promise<unknown> {
    let response: http.IncomingMessage | undefined;
    try {
      response = await this.#request(path, parameters, bounds.signal);
      return dataOf(response, (await wholeOf(response, bounds.mostBytes)).toString());
    } catch (error) {
      const failure = error instanceof PrometheusError ? error : unanswered(error, bounds, response !== undefined);
      const { name, server } = this;
      log.debug({ server: name, url: server.url.href, ...errorFields(error) }, failure.message);
      throw failure;
    }
  }

  #request(path: string, parameters: Record<string, string>, signal: AbortSignal): Promise<http.IncomingMessage> {
    const { url } = this.server;
    // Partial results must fail. Thanos needs this parameter. Other servers ignore it.
    const form = new URLSearchParams({ ...parameters, partial_response: "false" }).toString();
    const asForm = form.length > longestUrlQuery;
    const target = `${url.pathname.replace(/\/$/, "")}/api/v1/${path}${asForm ? "" : `?${form}`}`;
    const headers: http.OutgoingHttpHeaders = { ...this.#headers };
    if (asForm) {
      headers["Content-Type"] = "application/x-www-form-urlencoded";
      headers["Content-Length"] = Buffer.byteLength(form);
    }
    const { protocol, hostname, port } = url;
    const options = {
      ...{ agent: this.#agent, method: asForm ? "POST" : "GET", headers, signal },
      ...{ protocol, host: hostname.replace(/^\[|\]$/g, ""), port, path: target },
    };
    return exchange(this.#send, options, asForm ? form : undefined, this.clock, true);
  }
}

function dataOf({ statusCode: status = 0, headers }: http.IncomingMessage, text: string): unknown {
  if (status >= 300 && status < 400)
    throw new PrometheusError(
      `redirects (HTTP ${status}), which is not followed; have its url be the one that answers`,
    );
  const isPage = /text\/html/.test(headers["content-type"] ?? "") || /^\s*</.test(text);
  const answer = jsonIn(text);
  if (answer === undefined) {
    if (status === 401 || status === 403) throw refused(status);
    const what = isPage ? "an HTML page" : `"${withoutAddresses(text.slice(0, 1000).trim()).slice(0, 100)}"`;
    throw new PrometheusError(
      status >= 400
        ? `answers with HTTP ${status} and ${what}; see whether it runs, and its url`
        : `answers with ${what}, not with JSON; see whether its url is that of Prometheus' API`,
    );
  }
  const failure = errorSchema.safeParse(answer);
  if (failure.success) throw failed(status, failure.data);
  if (status === 401 || status === 403) throw refused(status);
  const { success, data } = answerSchema.safeParse(answer);
  if (!success || status >= 400)
    throw new PrometheusError(
      `answers with HTTP ${status} in an unknown form; see whether its url is that of Prometheus`,
    );
  if (data.isPartial) throw new PrometheusError("answers with a part of the series only; see whether its storages run");
  return data.data;
}

const refused = (status: number): PrometheusError =>
  new PrometheusError(`refuses the credentials (HTTP ${status}); see its bearer_token or basic_auth`);

function failed(status: number, { errorType, error }: z.output<typeof errorSchema>): PrometheusError {
  const reported = `${errorType}: ${withoutAddresses(error.slice(0, 1000).replace(/\s+/g, " ")).slice(0, 300)}`;
  // 429 limits the rate of queries. Smaller queries do not help.
  const isTooMuch = status === 422 || (status < 500 && status !== 429 && tooMuch.test(error));
  const kind = errorType === "timeout" ? "Timeout" : isTooMuch ? "TooMuch" : undefined;
  if (status === 401 || status === 403) return new PrometheusError(`refuses the credentials: ${reported}`);
  const remedy = status >= 500 ? "see its log" : "correct the query";
  return new PrometheusError(`answers with HTTP ${status}: ${reported}; ${remedy}`, kind);
}

export const noAnswer = (): PrometheusError =>
  new PrometheusError("gave no answer in time; see its load, and what the query costs", "Timeout");

function unanswered(error: unknown, { mostBytes, signal }: Bounds, hasBegun: boolean): PrometheusError {
  const code = codeOf(error);
  if (error instanceof TooLong)
    return new PrometheusError(
      `answers with more than ${mostBytes >> 20} MiB; have the query come to one value: sum(…)`,
      "TooMuch",
    );
  if (signal.aborted) return noAnswer();
  if (hasBegun) return new PrometheusError("cut off its answer; see its log, and those of proxies before it");
  if (/CERT_ALTNAME/.test(code))
    return new PrometheusError(
      "has a certificate for another name; have its url be that name, or set insecure_skip_verify",
    );
  if (/CERT|SIGNATURE|ISSUER/.test(code))
    return new PrometheusError(`has a certificate that is not trusted (${code}); give who signed it as ca`);
  if (code === "EPROTO" || code.startsWith("ERR_SSL"))
    return new PrometheusError(`fails the TLS handshake (${code}); see whether its url is http or https`);
  return new PrometheusError(`cannot be reached${code && ` (${code})`}; see whether it runs, and its url`);
}

/** URLs, IP addresses, and hosts with a port. */
const address =
  /\w+:\/\/[^\s"'`,;)]+|\b\d{1,3}(\.\d{1,3}){3}(:\d+)?\b|\[[0-9a-f:]*:[0-9a-f:.]*\](:\d+)?|\b[a-z][\w-]*(\.[\w-]+)*:\d{2,5}\b/gi;

/** A text of a server without the addresses behind it, which are not for those who read conditions. */
const withoutAddresses = (text: string): string => text.replace(address, "…");

const codeOf = (error: unknown): string => String((error as NodeJS.ErrnoException | undefined)?.code ?? "");
