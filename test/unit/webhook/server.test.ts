import https from "node:https";
import { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { shapeWebhookServer } from "../../../capabilities/webhook/server";

const create = https.createServer.bind(https);
afterEach(() => {
  https.createServer = create;
});

it("keeps the webhook server's idle connections longer than the API server does (90 s)", () => {
  expect(https.createServer({}).keepAliveTimeout).toBeLessThan(90_000);
  shapeWebhookServer(undefined);
  let asked = 0;
  const server = https.createServer({}, () => asked++);
  expect(server.keepAliveTimeout).toBeGreaterThan(90_000);
  server.emit("request", { method: "GET" });
  expect(asked).toBe(1);
});

it("listens on one address only when it is given one", async () => {
  shapeWebhookServer("127.0.0.1");
  const server = https.createServer({}).listen(0);
  await new Promise(resolve => server.once("listening", resolve));
  expect((server.address() as AddressInfo).address).toBe("127.0.0.1");
  await new Promise(resolve => server.close(resolve));
});
