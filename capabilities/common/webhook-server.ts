import { RequestListener } from "node:http";
import https from "node:https";
import { ListenOptions } from "node:net";
import { onlyReviews } from "./reviews";

/** Longer than the API server keeps idle connections (90 s), so that it is never the one to find them closed. */
const keepAliveMilliseconds = 95_000;

/**
 * Makes the server that Pepr creates keep its connections, where Node closes them after 5 s: the API server would meet a
 * closed one now and then, and the call fail with EOF. What is no AdmissionReview does not reach Pepr, which would answer
 * it with "Internal Server Error". With `host` it listens on that address only, where Pepr listens on all.
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
