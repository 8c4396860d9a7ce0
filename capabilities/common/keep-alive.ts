import https from "node:https";

/** Longer than the API server keeps idle connections (90 s), so that it is never the one to find them closed. */
const keepAliveMilliseconds = 95_000;

/**
 * Makes the webhook server, which Pepr creates with Node's default of 5 s, keep its connections. Otherwise the API
 * server meets a closed one now and then, and the call fails with EOF.
 */
export function keepWebhookConnections(): void {
  const create = https.createServer.bind(https);
  https.createServer = ((...options: Parameters<typeof https.createServer>) => {
    const server = create(...options);
    server.keepAliveTimeout = keepAliveMilliseconds;
    return server;
  }) as typeof https.createServer;
}
