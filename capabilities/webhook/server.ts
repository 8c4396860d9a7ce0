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
 * Configures the HTTPS server that Pepr creates: it keeps idle connections, which Node closes after 5 s, because the API
 * server would fail with EOF on one; ends each with its next answer before it closes; answers what is no AdmissionReview,
 * which Pepr answers with "Internal Server Error"; serves the certificate of `serving`, on `host` only, if given.
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
