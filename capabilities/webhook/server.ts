import { RequestListener } from "node:http";
import https from "node:https";
import { ListenOptions } from "node:net";
import { onlyReviews } from "./admission-review";

/** Longer than the API server keeps idle connections (90 s), so that the API server always closes them first. */
const keepAliveMilliseconds = 95_000;

/**
 * Configures the HTTPS server that Pepr creates. Keeps idle connections, which Node closes after 5 s: the API server
 * would use a closed one now and then, and fail with EOF. Answers requests that are not AdmissionReviews instead of
 * Pepr, which would answer "Internal Server Error". Listens on `host` only, if given; Pepr listens on all addresses.
 */
export function shapeWebhookServer(host: string | undefined): void {
  const create = https.createServer.bind(https);
  https.createServer = ((options: https.ServerOptions, listener?: RequestListener) => {
    const server = create(options, listener && onlyReviews(listener));
    server.keepAliveTimeout = keepAliveMilliseconds;
    const listen: (options: ListenOptions) => https.Server = server.listen.bind(server);
    if (host) server.listen = ((port: number) => listen({ port, host })) as typeof server.listen;
    return server;
  }) as typeof https.createServer;
}
