import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import https from "node:https";
import { AddressInfo, Socket } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { Api, ApiError, mayPass, mergePatch, mostConnections } from "../../../capabilities/kubernetes/api";
import { deadline } from "../../../capabilities/kubernetes/deadline";
import { servingCertificate } from "../../e2e/serving-certificate";

const folder = mkdtempSync(path.join(tmpdir(), "mlscaler-api-"));
const pem = { cert: "", key: "" };
let server: https.Server;
let handle: RequestListener;
let sockets: Set<Socket>;
let requests: IncomingMessage[];

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}

function writeKubeconfig(token: string, host = "127.0.0.1", prefix = ""): void {
  const { port } = server.address() as AddressInfo;
  const certificate = Buffer.from(pem.cert).toString("base64");
  const config = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "test",
    contexts: ["test", "other"].map(name => ({ name, context: { cluster: "test", user: name } })),
    clusters: [
      {
        name: "test",
        cluster: { server: `https://${host}:${port}${prefix}`, "certificate-authority-data": certificate },
      },
    ],
    users: [
      { name: "test", user: { token } },
      { name: "other", user: { token: `${token}-of-other` } },
    ],
  };
  writeFileSync(path.join(folder, "config"), JSON.stringify(config));
}

const tokens = (): (string | undefined)[] => requests.map(({ headers }) => headers.authorization);

async function listen(host: string): Promise<void> {
  sockets = new Set();
  requests = [];
  server = https.createServer({ ...pem, keepAlive: true }, (request, response) => {
    requests.push(request);
    handle(request, response);
  });
  server.on("connection", (socket: Socket) => sockets.add(socket));
  await new Promise<void>(resolve => server.listen(0, host, resolve));
}

async function stop(): Promise<void> {
  server.closeAllConnections();
  await new Promise(resolve => server.close(resolve));
}

/** Limits that a slow machine does not meet. */
const [patient, waiting] = [{ timeoutSeconds: 600 }, { timeout: 600_000 }];

const failureOf = async (promise: Promise<unknown>): Promise<ApiError> => {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ApiError);
  return error as ApiError;
};

beforeAll(async () => {
  Object.assign(pem, await servingCertificate("127.0.0.1", "::1"));
  vi.stubEnv("KUBECONFIG", path.join(folder, "config"));
});

afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

describe("Api", () => {
  beforeEach(async () => {
    handle = (_, response) => json(response, 200, { ok: true });
    await listen("127.0.0.1");
    writeKubeconfig("secret-1");
  });
  afterEach(stop);

  it("sends the kubeconfig's token, CA and path, and parses JSON", async () => {
    writeKubeconfig("secret-1", "127.0.0.1", "/k8s/clusters/c1/");
    const api = new Api();
    expect(await api.get("/version", { query: { limit: "1", continue: "a&b=" } })).toEqual({ ok: true });
    expect(requests[0]?.url).toBe("/k8s/clusters/c1/version?limit=1&continue=a%26b%3D");
    expect(requests[0]?.headers).toMatchObject({ authorization: "Bearer secret-1", accept: "application/json" });
  });

  it("uses the given context, and fails if there is none of that name", async () => {
    await new Api("other").get("/version");
    await new Api("test").get("/version");
    expect(tokens()).toEqual(["Bearer secret-1-of-other", "Bearer secret-1"]);
    expect(await failureOf(new Api("absent").get("/version"))).toMatchObject({ status: 0, reason: "NoCluster" });
    expect(requests).toHaveLength(2);
  });

  it("returns undefined for a missing object", async () => {
    const api = new Api();
    expect(await api.find("/it")).toEqual({ ok: true });
    handle = (_, response) => json(response, 404, { reason: "NotFound", message: 'things "it" not found' });
    expect(await api.find("/it")).toBeUndefined();
    expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual(["GET /it", "GET /it"]);
  });

  it.each([403, 410, 429, 500, 503])("does not take a %i for something that is not there", async status => {
    handle = (_, response) => json(response, status, { reason: "Because", message: "no" });
    expect(await failureOf(new Api().find("/it"))).toMatchObject({ status, reason: "Because", message: "no" });
  });

  it("does not take a server that does not answer for something that is not there, and tries once", async () => {
    handle = request => request.socket.destroy();
    expect(await failureOf(new Api().find("/it"))).toMatchObject({ status: 0, reason: "ECONNRESET" });
    expect(requests).toHaveLength(1);
  });

  it.each([
    ["POST", "application/json", (api: Api) => api.create("/it", { a: "ü" })],
    ["PUT", "application/json", (api: Api) => api.replace("/it", { a: "ü" })],
    ["PATCH", mergePatch, (api: Api) => api.patch("/it", mergePatch, { a: "ü" })],
    ["DELETE", "application/json", (api: Api) => api.delete("/it", { a: "ü" })],
  ])("sends the body of a %s as %s, with its length in bytes", async (method, type, call) => {
    let body = "";
    handle = (request, response) => {
      void text(request).then(read => {
        body = read;
        json(response, 200, {});
      });
    };
    await call(new Api());
    expect(JSON.parse(body)).toEqual({ a: "ü" });
    expect(requests[0]).toMatchObject({ method, url: "/it" });
    expect(requests[0]?.headers).toMatchObject({ "content-type": type, "content-length": "10" });
  });

  it("deletes without a body too", async () => {
    await new Api().delete("/it");
    expect(requests[0]).toMatchObject({ method: "DELETE", url: "/it" });
    expect(requests[0]?.headers).not.toHaveProperty("content-type");
  });

  it("reuses one connection, also after failures", async () => {
    const api = new Api();
    let answered = 0;
    handle = (_, response) => (answered++ % 2 === 0 ? json(response, 200, {}) : json(response, 404, {}));
    for (let count = 0; count < 10; count++) await api.get("/it").catch(() => undefined);
    expect(answered).toBe(10);
    expect(sockets.size).toBe(1);
  });

  it("keeps to 32 connections however much is asked at once, and few of them afterwards", async () => {
    const api = new Api();
    await Promise.all(Array.from({ length: 100 }, () => api.get("/it", patient)));
    expect(sockets.size).toBeLessThanOrEqual(32);
    await vi.waitFor(() => {
      expect([...sockets].filter(socket => !socket.destroyed).length).toBeLessThanOrEqual(4);
    }, waiting);
  });

  it("reads its credentials again after a 401, once", async () => {
    const api = new Api();
    await api.get("/it");
    handle = (request, response) =>
      request.headers.authorization === "Bearer secret-2"
        ? json(response, 200, { ok: true })
        : json(response, 401, { reason: "Unauthorized", message: "Unauthorized" });
    writeKubeconfig("secret-2");
    expect(await api.get("/it")).toEqual({ ok: true });
    expect(tokens()).toEqual(["Bearer secret-1", "Bearer secret-1", "Bearer secret-2"]);
    handle = (_, response) => json(response, 401, { reason: "Unauthorized", message: "Unauthorized" });
    requests.length = 0;
    expect(await failureOf(api.get("/it"))).toMatchObject({ status: 401, reason: "Unauthorized" });
    expect(requests).toHaveLength(2);
    for (let count = 0; count < 10; count++) await failureOf(api.get("/it"));
    expect(sockets.size).toBeLessThan(5);
  });

  it("reads its credentials again after a minute, because a token is renewed in its file", async () => {
    const api = new Api();
    const now = vi.spyOn(Date, "now");
    const begin = performance.timeOrigin;
    now.mockReturnValue(begin);
    await api.get("/it");
    writeKubeconfig("secret-2");
    now.mockReturnValue(begin + 59_000);
    await api.get("/it");
    now.mockReturnValue(begin + 61_000);
    await api.get("/it");
    now.mockRestore();
    expect(tokens()).toEqual(["Bearer secret-1", "Bearer secret-1", "Bearer secret-2"]);
  });

  it("makes an ApiError of a refusal that is not JSON", async () => {
    handle = (_, response) => response.writeHead(503).end("no healthy upstream");
    const busy = { status: 503, reason: "HTTP503", message: "no healthy upstream" };
    expect(await failureOf(new Api().get("/it"))).toMatchObject(busy);
    handle = (_, response) => response.writeHead(502).end();
    expect(await failureOf(new Api().get("/it"))).toMatchObject({ status: 502, message: "HTTP 502" });
  });

  it("makes an ApiError of an answer that is not JSON", async () => {
    handle = (_, response) => response.writeHead(200).end("<html>");
    expect(await failureOf(new Api().get("/it"))).toMatchObject({ reason: "InvalidAnswer" });
  });

  /** Sends pieces until the connection ends or `bytes` were sent. Returns how many. */
  const flood = (begin: string, piece: string, bytes = Infinity): (() => number) => {
    let sent = 0;
    handle = (_, response) => {
      response.on("error", () => undefined);
      response.write(begin);
      const more = (): void => {
        if (response.destroyed || sent >= bytes) return;
        sent += piece.length;
        if (response.write(piece)) setImmediate(more);
        else response.once("drain", more);
      };
      more();
    };
    return () => sent;
  };

  it("refuses an answer that is too large while it comes, and says its limit", async () => {
    const api = new Api();
    const sent = flood('{"a":"', "x".repeat(100_000));
    expect(await failureOf(api.get("/it", patient))).toMatchObject({
      ...{ status: 0, reason: "TooLarge", message: "GET /it: the answer has more than 2 MiB, which is the limit" },
    });
    const listed = flood('{"items":[{}', `,${JSON.stringify({ a: "x".repeat(100_000) })}`);
    expect(await failureOf(api.list("/them", () => undefined, patient))).toMatchObject({
      ...{ status: 0, reason: "TooLarge", message: "GET /them: the answer has more than 16 MiB, which is the limit" },
    });
    // Sockets buffer a few MiB.
    expect(sent()).toBeLessThan(20 << 20);
    expect(listed()).toBeLessThan(36 << 20);
  });

  it("lets other work go on while it reads a long list", async () => {
    const items = Array.from({ length: 20_000 }, (_, index) => ({ index, text: "x".repeat(350) }));
    handle = (_, response) => json(response, 200, { kind: "List", items });
    const turns: number[] = [];
    let turnsAtSeen = 0;
    const timer = setInterval(() => turns.push(performance.now()), 0);
    const seen: unknown[] = [];
    const see = (item: unknown): void => {
      seen.push(item);
      if (seen.length === items.length / 2) turnsAtSeen = turns.length;
    };
    const list = await new Api().list("/them", see, patient);
    clearInterval(timer);
    expect(list).toEqual({ kind: "List", items: [] });
    expect([seen.length, seen.at(-1)]).toEqual([items.length, items.at(-1)]);
    expect(turns.length - turnsAtSeen).toBeGreaterThan(3);
  });

  it("knows the time of the API server, but not from what another server answers", async () => {
    const api = new Api();
    const hour = 3_600_000;
    handle = (_, response) => {
      response.setHeader("Date", new Date(Date.now() - hour).toUTCString());
      json(response, 200, { items: [] });
    };
    await api.get("/apis/metrics.k8s.io/v1beta1/namespaces/shop/pods");
    expect(api.clock.isKnown).toBe(false);
    await api.list("/api/v1/namespaces/shop/pods", () => undefined);
    expect(Math.abs(api.clock.now() - (Date.now() - hour))).toBeLessThan(2000);
  });

  it("gives up when there is no answer in time, before as after the headers", async () => {
    handle = () => undefined;
    const late = { status: 0, reason: "TimeoutError", message: "GET /it: no answer in time" };
    expect(await failureOf(new Api().get("/it", { timeoutSeconds: 0.03 }))).toMatchObject(late);
    handle = (_, response) => response.writeHead(200).write("{");
    expect(await failureOf(new Api().get("/it", { timeoutSeconds: 0.0300001 }))).toMatchObject({ status: 0 });
  });

  it("sends the requests of a namespace at once, however many of another one get no answer", async () => {
    handle = (request, response) => {
      if (!request.url?.includes("/slow/")) json(response, 200, {});
    };
    const api = new Api();
    const path = (namespace: string): string => `/api/v1/namespaces/${namespace}/pods`;
    const ask = (timeoutSeconds: number): Promise<unknown> => api.get(path("slow"), { timeoutSeconds });
    const hanging = Array.from({ length: 100 }, () => ask(600).catch(() => undefined));
    await api.get(path("shop"), patient);
    expect(requests.filter(({ url }) => url?.includes("/slow/")).length).toBeLessThanOrEqual(mostConnections / 2);
    expect(await failureOf(ask(0.05))).toMatchObject({ status: 0, reason: "NotSent" });
    handle = (_, response) => json(response, 200, {});
    server.closeAllConnections();
    await Promise.all(hanging);
  });

  it("counts the time of an answer from when the request is sent", async () => {
    const within = vi.spyOn(deadline, "within");
    const held: ServerResponse[] = [];
    handle = (_, response) => void held.push(response);
    const api = new Api();
    const asked = Array.from({ length: mostConnections }, () => api.get("/it", patient));
    await vi.waitFor(() => expect(held).toHaveLength(mostConnections / 2), waiting);
    expect(within).toHaveBeenCalledTimes(mostConnections / 2);
    handle = (_, response) => json(response, 200, {});
    for (const response of held) json(response, 200, {});
    expect(await Promise.all(asked)).toHaveLength(mostConnections);
    expect(within).toHaveBeenCalledTimes(mostConnections);
    within.mockRestore();
  });

  it("makes an ApiError of a server that is not there", async () => {
    const api = new Api();
    await stop();
    expect(await failureOf(api.get("/it"))).toMatchObject({ status: 0, reason: "ECONNREFUSED" });
    await listen("127.0.0.1");
  });

  it("makes an ApiError of a certificate that another signed", async () => {
    const before = pem.cert;
    ({ cert: pem.cert } = await servingCertificate("127.0.0.1"));
    writeKubeconfig("secret-1");
    pem.cert = before;
    const error = await failureOf(new Api().get("/it"));
    expect(error.status).toBe(0);
    expect(error.message).toMatch(/certificate/);
    expect(requests).toHaveLength(0);
  });

  it("tries again when the server closed an idle connection as it was taken up", async () => {
    const api = new Api();
    await api.get("/it");
    handle = (request, response) => {
      // The first request on the old connection meets its end; the next comes on a new one.
      if (requests.length === 2) request.socket.destroy();
      else json(response, 200, { again: true });
    };
    expect(await api.get("/it")).toEqual({ again: true });
    expect(sockets.size).toBe(2);
  });

  it("does not retry a write, which the server may have carried out", async () => {
    const api = new Api();
    await api.get("/it");
    handle = request => request.socket.destroy();
    expect(await failureOf(api.create("/it", {}))).toMatchObject({ status: 0, reason: "ECONNRESET" });
    expect(requests).toHaveLength(2);
  });

  it("streams a body as it comes, until the signal, and refuses with an ApiError", async () => {
    const controller = new AbortController();
    handle = (_, response) => response.writeHead(200).write("one\n");
    const response = await new Api().stream("/it", { query: { watch: "1" } }, controller.signal);
    const error = new Promise(resolve => response.once("error", resolve));
    const chunk = await new Promise<string>(resolve =>
      response.once("data", (data: Buffer) => resolve(data.toString())),
    );
    expect(chunk).toBe("one\n");
    controller.abort();
    expect(await error).toBeInstanceOf(Error);

    handle = (_, answer) => json(answer, 410, { reason: "Expired", message: "too old" });
    const refusal = new Api().stream("/it", {}, new AbortController().signal);
    expect(await failureOf(refusal)).toMatchObject({ status: 410, reason: "Expired" });
  });

  it("does not repeat a request when the response breaks off, even on a reused connection", async () => {
    const api = new Api();
    await api.get("/it");
    handle = (_, response) => {
      response.writeHead(200, { "Content-Length": 100 }).write("{");
      setImmediate(() => sockets.forEach(socket => socket.resetAndDestroy()));
    };
    expect(await failureOf(api.get("/it"))).toMatchObject({ status: 0, reason: "Cut" });
    handle = (_, response) => json(response, 200, {});
    await api.get("/it");
    expect(requests).toHaveLength(3);
  });
});

describe("Api of an IPv6 cluster", () => {
  it("asks the server at its address", async () => {
    handle = (_, response) => json(response, 200, { ok: true });
    await listen("::1");
    writeKubeconfig("secret-1", "[::1]");
    const answer = await new Api().get("/it").catch((error: unknown) => error);
    await stop();
    expect(answer).toEqual({ ok: true });
  });
});

describe("mayPass", () => {
  it("holds for transient and for unknown errors", () => {
    for (const status of [0, 429, 500, 502, 503, 504]) expect(mayPass(new ApiError(status, "", ""))).toBe(true);
    for (const status of [400, 401, 403, 404, 409, 410, 422]) expect(mayPass(new ApiError(status, "", ""))).toBe(false);
    for (const unknown of [new Error("x"), undefined, "text"]) expect(mayPass(unknown)).toBe(true);
  });
});
