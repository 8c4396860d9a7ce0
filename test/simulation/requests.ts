import { Asked, Call } from "./call";
import { Clock } from "./clock";
import { Faults } from "./faults";
import { fraction } from "./random";
import { Refusal } from "./refusal";
import { Received, Response } from "./server-end";
import { Trace } from "./trace";

/** A response: JSON, other text, `stream`, which writes to the response for any time, or none at all. */
export type Answer =
  | { status: number; body: unknown }
  | { status: number; text: string }
  | { stream: (response: Response) => void }
  | "silence";

/** Sees every request: when it arrives, when it has taken effect, and when its client waits no longer for silence. */
interface Observer {
  sent: (call: Call) => void;
  answered: (call: Call) => void;
  abandoned: (call: Call) => void;
}

/** The duration of the response in milliseconds. */
const shortest = 2;
const spread = 18;

/**
 * Receives requests, writes those with side effects to the trace, and has them answered. The delay of a response
 * depends only on method, path and minute, so that nothing depends on the number of requests.
 */
export class Requests {
  readonly faults = new Faults();
  observer?: Observer;
  /** How far the clock of a server is ahead of that of the API server, in milliseconds. */
  aheadOf: (host: string) => number = () => 0;

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
  take({ host, method, url, headers, text }: Received, response: Response, answer: (asked: Asked) => Answer): void {
    const { pathname, query } = partsOf(url);
    const body = parsed(text);
    const reads = method === "GET" || host.startsWith("prometheus");
    const entry = this.trace.add({
      ...{ at: this.clock.now, by: this.programOf(host), what: `${method} ${url}`, reads },
      ...(text && { body }),
    });
    const asked = { host, method, path: pathname, query, headers, body };
    const call: Call = { ...asked, by: entry.by, url, at: entry.at, ahead: 0, delivered: false };
    this.observer?.sent(call);
    const fault = this.faults.strike(method, url);
    fault?.struck?.(call);
    if (fault?.how === "hang") return;
    const after = (): void => {
      if (fault?.how === "reset") return response.connection.reset();
      call.ahead = this.aheadOf(host);
      response.headers.Date = new Date(this.clock.wall + call.ahead).toUTCString();
      if (typeof fault?.how === "number") {
        if (fault.retryAfter !== undefined) response.headers["Retry-After"] = String(fault.retryAfter);
        const message = `the simulation answers ${method} ${pathname} so`;
        return settle({ status: fault.how, body: new Refusal(fault.how, message).body });
      }
      settle(answerOf(() => answer(asked)));
    };
    const settle = (answered: Answer): void => {
      const isSilent = answered === "silence";
      const status = isSilent || "stream" in answered ? 200 : answered.status;
      call.status = status;
      call.answer = !isSilent && "body" in answered ? answered.body : undefined;
      if (isSilent) call.isSilent = true;
      call.delivered = fault?.how !== "lose" && !response.closed;
      this.observer?.answered(call);
      if (fault?.how === "lose") {
        fault.lost?.(call);
        return response.connection.reset();
      }
      if (!call.delivered) return;
      entry.status = status;
      if (isSilent) return response.onClose(() => this.observer?.abandoned(call));
      if ("stream" in answered) return answered.stream(response);
      if ("text" in answered) response.send(status, "text/html", answered.text);
      else response.send(status, "application/json", JSON.stringify(answered.body));
    };
    const more = 1000 * (fault?.seconds ?? 0);
    this.clock.after(this.latency(method, pathname) + more, after, `${method} ${url} ${text}`);
  }
}

/** The parts of the URLs of requests, which are few and come again and again. Nobody changes them. */
const knownParts = new Map<string, { pathname: string; query: URLSearchParams }>();
const mostParts = 5000;

function partsOf(url: string): { pathname: string; query: URLSearchParams } {
  const known = knownParts.get(url);
  if (known) return known;
  const { pathname, searchParams: query } = new URL(url, "https://any");
  if (knownParts.size >= mostParts) knownParts.clear();
  knownParts.set(url, { pathname, query });
  return { pathname, query };
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
  // Most requests have no body, and an error costs more than they do.
  if (!text) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
