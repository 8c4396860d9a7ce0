import { IncomingMessage, ServerResponse } from "node:http";
import { Clock } from "./clock";
import { Faults } from "./faults";
import { fraction } from "./random";
import { Refusal } from "./refusal";
import { Wire } from "./sockets";
import { Trace } from "./trace";

/** A request to a server. */
export interface Asked {
  /** The host name of the server in the request. */
  host: string;
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage["headers"];
  /** The body, parsed when it is JSON. */
  body: unknown;
}

/** A response: JSON, or `stream`, which writes to the response for any time. */
export type Answer = { status: number; body: unknown } | { stream: (response: ServerResponse) => void };

/** The duration of the response in milliseconds. */
const shortest = 2;
const spread = 18;

/**
 * Receives requests, writes those with side effects to the trace, and has them answered. The delay of a response
 * depends
 * only on method, path and minute, so that nothing depends on the number of requests.
 */
export class Requests {
  readonly faults = new Faults();

  constructor(
    readonly clock: Clock,
    readonly seed: string,
    readonly trace: Trace,
    /** The name of the client program, by its host. */
    readonly programOf: (host: string) => string,
  ) {}

  /** The one-way delay of a request or an event, in milliseconds. */
  latency(...what: string[]): number {
    const minute = Math.floor(this.clock.now / 60_000);
    return shortest + spread * fraction(this.seed, minute, ...what);
  }

  /** Receives one request and has `answer` answer it. */
  take(request: IncomingMessage, response: ServerResponse, answer: (asked: Asked) => Answer): void {
    const chunks: Buffer[] = [];
    request.on("error", () => undefined);
    response.on("error", () => undefined);
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { host } = request.socket as unknown as Wire;
      const { method = "", url = "", headers } = request;
      const { pathname, searchParams: query } = new URL(url, "https://any");
      const text = Buffer.concat(chunks).toString();
      const body = parsed(text);
      const reads = method === "GET" || host.startsWith("prometheus");
      const entry = this.trace.add({
        ...{ at: this.clock.now, by: this.programOf(host), what: `${method} ${url}`, reads },
        ...(text && { body }),
      });
      const fault = this.faults.strike(method, url);
      if (fault?.how === "hang") return;
      const after = (): void => {
        if (fault?.how === "reset") return (request.socket as unknown as Wire).reset();
        response.setHeader("Date", new Date(this.clock.wall).toUTCString());
        let answered: Answer;
        if (typeof fault?.how === "number") {
          if (fault.retryAfter !== undefined) response.setHeader("Retry-After", String(fault.retryAfter));
          const message = fault.message ?? `the simulation answers ${method} ${pathname} so`;
          answered = { status: fault.how, body: new Refusal(fault.how, message).body };
        } else {
          answered = answerOf(() => answer({ host, method, path: pathname, query, headers, body }));
        }
        if (fault?.how === "lose") return (request.socket as unknown as Wire).reset();
        if (response.destroyed || request.socket.destroyed) return;
        entry.status = "stream" in answered ? 200 : answered.status;
        if ("stream" in answered) return answered.stream(response);
        response.writeHead(answered.status, { "Content-Type": "application/json" });
        response.end(JSON.stringify(answered.body));
      };
      const more = 1000 * (fault?.seconds ?? 0);
      this.clock.after(this.latency(method, pathname) + more, after, `${method} ${url} ${text}`);
    });
  }
}

function answerOf(answer: () => Answer): Answer {
  try {
    return answer();
  } catch (error) {
    if (error instanceof Refusal) return { status: error.code, body: error.body };
    throw error;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
