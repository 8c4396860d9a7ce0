import { RequestListener } from "node:http";
import https from "node:https";
import { ListenOptions } from "node:net";
import { onlyReviews } from "./admission-review";
import { Serving } from "./certificates/serving";

/** Longer than the API server keeps idle connections (90 s), so that the API server always closes them first. */
const keepAliveMilliseconds = 95_000;

/** The time in which a request has to arrive, in ms: the API server waits for an answer no longer than that. */
const requestMilliseconds = 30_000;

// How long a closing server still answers, in ms: nodes learn of it meanwhile. Pepr gives a pod 5 s.
const drainMilliseconds = 3_000;

/**
 * Configures the HTTPS server that Pepr creates. Keeps idle connections, which Node closes after 5 s: the API server
 * would use a closed one now and then, and fail with EOF. Before it closes, ends each connection with its next answer:
 * Node keeps busy ones until the process is killed, with reviews under way. Answers requests that are not
 * AdmissionReviews instead of Pepr, which would answer "Internal Server Error". Serves the certificate of `serving`.
 * Listens on `host` only, if given; Pepr listens on all addresses.
 */
export function shapeWebhookServer(
  host: string | undefined,
  serving: Pick<Serving, "initial" | "onlyKnownPaths" | "attach">,
): void {
  const create = https.createServer.bind(https);
  https.createServer = ((options: https.ServerOptions, listener?: RequestListener) => {
    // Without a mounted certificate Pepr gives an empty one, which Node refuses.
    const certificate = serving.initial ?? { key: undefined, cert: undefined };
    const limited = { ...options, ...certificate, requestTimeout: requestMilliseconds };
    const server = create(limited, listener && serving.onlyKnownPaths(onlyReviews(listener)));
    serving.attach(server);
    server.keepAliveTimeout = keepAliveMilliseconds;
    drainBeforeClose(server);
    const listen: (options: ListenOptions) => https.Server = server.listen.bind(server);
    if (host) server.listen = ((port: number) => listen({ port, host })) as typeof server.listen;
    return server;
  }) as typeof https.createServer;
}

function drainBeforeClose(server: https.Server): void {
  const close = server.close.bind(server);
  server.close = callback => {
    // Pepr also closes a server whose port is taken, and listens again.
    if (!server.listening) return close(callback);
    server.prependListener("request", (_request, response) => response.setHeader("Connection", "close"));
    // Reviews that have arrived are read first: a connection with an unread one counts as idle, and would be broken.
    setTimeout(() => setImmediate(close, callback), drainMilliseconds);
    return server;
  };
}
