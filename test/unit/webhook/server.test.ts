import { once } from "node:events";
import { IncomingMessage } from "node:http";
import https from "node:https";
import { AddressInfo } from "node:net";
import { afterEach, expect, it, vi } from "vitest";
import { shapeWebhookServer } from "../../../capabilities/webhook/server";
import { servingCertificate } from "../../e2e/serving-certificate";

/** What a process without a certificate serves. */
const serving: Parameters<typeof shapeWebhookServer>[1] = {
  initial: undefined,
  onlyKnownPaths: listener => listener,
  attach: () => undefined,
};

const create = https.createServer.bind(https);
afterEach(() => {
  vi.useRealTimers();
  https.createServer = create;
});

it("keeps the webhook server's idle connections longer than the API server does (90 s)", () => {
  expect(https.createServer({}).keepAliveTimeout).toBeLessThan(90_000);
  shapeWebhookServer(undefined, serving);
  let asked = 0;
  const server = https.createServer({}, () => asked++);
  expect(server.keepAliveTimeout).toBeGreaterThan(90_000);
  // The longest timeoutSeconds of a webhook.
  expect(server.requestTimeout).toBe(30_000);
  server.emit("request", { method: "GET" });
  expect(asked).toBe(1);
});

it("answers for 3 s after it is told to close, each time for the last time on a connection", async () => {
  const { cert, key } = await servingCertificate("localhost");
  shapeWebhookServer("127.0.0.1", { ...serving, initial: { cert, key } });
  const server = https.createServer({}, (_request, response) => response.end()).listen(0);
  await once(server, "listening");
  const agent = new https.Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
  const { port } = server.address() as AddressInfo;
  const connection = async (): Promise<string | undefined> => {
    const [response] = (await once(https.get({ port, host: "127.0.0.1", agent }), "response")) as [IncomingMessage];
    await once(response.resume(), "end");
    return response.headers.connection;
  };
  expect(await connection()).toBe("keep-alive");
  // Node's own timers stay real.
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  const closed = new Promise(resolve => server.close(resolve));
  expect([await connection(), await connection()]).toEqual(["close", "close"]);
  vi.advanceTimersByTime(2999);
  expect(await connection()).toBe("close");
  vi.advanceTimersByTime(1);
  await closed;
  await expect(connection()).rejects.toThrow("ECONNREFUSED");
});

it("listens on one address only when it is given one", async () => {
  shapeWebhookServer("127.0.0.1", serving);
  const server = https.createServer({}).listen(0);
  await new Promise(resolve => server.once("listening", resolve));
  expect((server.address() as AddressInfo).address).toBe("127.0.0.1");
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  const closed = new Promise(resolve => server.close(resolve));
  vi.runAllTimers();
  await closed;
});
