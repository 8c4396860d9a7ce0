import http, { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import https from "node:https";
import { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { notFound, FakeApi } from "../../fake-api";

/** A question that the server was asked, its parameters from URL or form. */
export interface Asked {
  method?: string;
  path: string;
  parameters: Record<string, string>;
  headers: IncomingMessage["headers"];
}

export type Answer = (response: ServerResponse, asked: Asked) => void;

/** A server that answers every question as a test says. */
export class PrometheusServer {
  readonly asked: Asked[] = [];
  #server?: http.Server;
  answer: Answer = value("1");

  constructor(readonly tls?: { cert: string; key: string }) {}

  async start(): Promise<this> {
    const handle: RequestListener = (request, response) => void this.#handle(request, response);
    const server = this.tls ? https.createServer(this.tls, handle) : http.createServer(handle);
    this.#server = server;
    await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve));
    return this;
  }

  async stop(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise(resolve => this.#server?.close(resolve));
  }

  get url(): string {
    const { port } = this.#server?.address() as AddressInfo;
    return `${this.tls ? "https" : "http"}://127.0.0.1:${port}`;
  }

  onConnection(told: () => void): void {
    this.#server?.on("connection", told);
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://x");
    const form = request.method === "POST" ? new URLSearchParams(await text(request)) : searchParams;
    const asked = {
      method: request.method,
      path: pathname,
      parameters: Object.fromEntries(form),
      headers: request.headers,
    };
    this.asked.push(asked);
    this.answer(response, asked);
  }
}

/** Answers with this JSON. */
export const json =
  (body: unknown, status = 200): Answer =>
  response =>
    void response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));

export const data = (resultType: string, result: unknown): Answer =>
  json({ status: "success", data: { resultType, result } });

/** Answers an instant query with one series, of the time that the server says it is or `ageSeconds` before. */
export const value =
  (number: string, ageSeconds = 0, aheadSeconds = 0): Answer =>
  (response, asked) => {
    const now = Date.now() / 1000 + aheadSeconds;
    response.setHeader("Date", new Date(now * 1000).toUTCString());
    data("vector", [{ metric: {}, value: [now - ageSeconds, number] }])(response, asked);
  };

/** Answers with what Prometheus says of a query that fails. */
export const failure = (status: number, errorType: string, error: string): Answer =>
  json({ status: "error", errorType, error }, status);

/** An API server with the Secret that names these servers; a text that is no entry is one all the same. */
export function apiWith(entries: () => Record<string, string> | Error | undefined): FakeApi {
  return new FakeApi(({ path }) => {
    const named = entries();
    if (named instanceof Error) throw named;
    if (path !== "/api/v1/namespaces/pepr-system/secrets/mlscaler-prometheus" || !named) throw notFound(path);
    const encoded = Object.entries(named).map(([name, text]) => [name, Buffer.from(text).toString("base64")]);
    return { data: Object.fromEntries(encoded) as Record<string, string> };
  });
}
