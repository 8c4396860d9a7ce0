import https from "node:https";
import { afterEach, expect, it } from "vitest";
import { keepWebhookConnections } from "../../../capabilities/common/keep-alive";

const create = https.createServer.bind(https);
afterEach(() => {
  https.createServer = create;
});

it("keeps the webhook server's idle connections longer than the API server does (90 s)", () => {
  expect(https.createServer({}).keepAliveTimeout).toBeLessThan(90_000);
  keepWebhookConnections();
  let asked = 0;
  const server = https.createServer({}, () => asked++);
  expect(server.keepAliveTimeout).toBeGreaterThan(90_000);
  server.emit("request");
  expect(asked).toBe(1);
});
