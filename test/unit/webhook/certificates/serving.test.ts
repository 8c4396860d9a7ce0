import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import https from "node:https";
import { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import tls from "node:tls";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { issue, Issued } from "../../../../capabilities/webhook/certificates/issue";
import { Content } from "../../../../capabilities/webhook/certificates/plan";
import { withContent } from "../../../../capabilities/webhook/certificates/secret";
import { Serving, ServingOptions } from "../../../../capabilities/webhook/certificates/serving";
import { certificateSettings } from "../../../../capabilities/webhook/certificates/settings";
import { FakeApi, forbidden } from "../../fake-api";

const service = "pepr-mlscaler.pepr-system.svc";
const variables = ["SSL_KEY_PATH", "SSL_CERT_PATH", "PEPR_API_PATH"] as const;

const pathSecretName = "mlscaler-webhook-path";

let folder: string;
let first: Issued;
let second: Issued;
let server: https.Server | undefined;
let ending: AbortController;
let secret: object | undefined;
let watch: PassThrough | undefined;
/** The Secret with the path alone, where others make the certificate. */
let pathSecret: object | undefined;
let pathWatch: PassThrough | undefined;
let ends: number[];
/** The requests that Pepr sees. */
let heard: unknown[];
const before = Object.fromEntries(variables.map(name => [name, process.env[name]]));

const api = (): FakeApi =>
  new FakeApi(({ method, signal, query }) => {
    const isOfPath = query?.fieldSelector === `metadata.name=${pathSecretName}`;
    const found = isOfPath ? pathSecret : secret;
    if (method === "GET") return { metadata: { resourceVersion: "1" }, items: found ? [found] : [] };
    const stream = new PassThrough();
    if (isOfPath) pathWatch = stream;
    else watch = stream;
    signal?.addEventListener("abort", () => stream.destroy(new Error("aborted")), { once: true });
    return stream;
  });

const stored = (content: Content): object => {
  const metadata = { name: "mlscaler-webhook-certificate", namespace: "pepr-system" };
  return withContent({ type: "Opaque", metadata }, content);
};

const path = "f".repeat(64);

/** The Secret as it is once its certificate is served. */
const settled = ({ ca, pair }: Issued, more: Partial<Content> = {}): object =>
  stored({ trusted: [ca], current: pair, path, ...more });

/** Mounts a certificate, as `npx pepr deploy` does. */
function mount({ pair }: Issued): void {
  process.env.PEPR_API_PATH = "own";
  const [key, cert] = [join(folder, "tls.key"), join(folder, "tls.crt")];
  writeFileSync(key, pair.key);
  writeFileSync(cert, pair.pem);
  Object.assign(process.env, { SSL_KEY_PATH: key, SSL_CERT_PATH: cert });
}

/** Starts a process that serves; its listener answers with the URL that it sees. */
async function serve(
  environment: Record<string, string> = {},
  from = api(),
  more: Partial<ServingOptions> = {},
): Promise<Serving> {
  const serving = new Serving({
    ...{ settings: certificateSettings(environment), namespace: "pepr-system", isAdmission: true },
    served: notAfter => ends.push(notAfter),
    ...more,
  });
  server = https.createServer(
    { ...serving.initial },
    serving.onlyKnownPaths((request, response) => void heard.push(response.end(request.url) && request.url)),
  );
  serving.attach(server);
  await new Promise<void>(resolve => server?.listen(0, "127.0.0.1", resolve));
  void serving.follow(from, ending.signal);
  return serving;
}

interface Answer {
  status?: number;
  text: string;
}

/** Asks for a path on a new connection, and checks the certificate by these CAs; without CAs it is not checked. */
const ask = (place: string, ...authorities: Issued[]): Promise<Answer> => send({ path: place }, authorities);

/** Posts to a path, with the headers of a body that never comes unless it is given. */
const post = (place: string, body?: string): Promise<Answer> =>
  send({ path: place, method: "POST", headers: { "Content-Length": body?.length ?? 1_000_000 } }, [], body);

function send(what: https.RequestOptions, authorities: Issued[], body?: string): Promise<Answer> {
  const ca = authorities.map(authority => authority.ca.pem);
  const { port } = server?.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    const options = { port, ca, servername: service, agent: false, rejectUnauthorized: ca.length > 0, ...what };
    const asked = https.request({ host: "127.0.0.1", ...options }, response => {
      let text = "";
      response.on("data", (piece: Buffer) => (text += piece.toString()));
      response.on("end", () => {
        resolve({ status: response.statusCode, text });
        asked.destroy();
      });
    });
    asked.on("error", reject);
    if (what.method === "POST" && body === undefined) asked.flushHeaders();
    else asked.end(body);
  });
}

const untilServed = (issued: Issued): Promise<void> =>
  vi.waitFor(async () => expect((await ask("/healthz", issued)).status).toBe(200), { timeout: 10_000 });

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mlscaler-serving-"));
  [first, second] = [issue(service, Date.now(), 3_600_000), issue(service, Date.now(), 7_200_000)];
  [ending, secret, watch, ends, heard] = [new AbortController(), undefined, undefined, [], []];
  [pathSecret, pathWatch] = [undefined, undefined];
  Object.assign(process.env, { SSL_KEY_PATH: join(folder, "none"), SSL_CERT_PATH: join(folder, "none") });
  delete process.env.PEPR_API_PATH;
});

afterEach(async () => {
  ending.abort();
  server?.closeAllConnections();
  await new Promise(resolve => (server ? server.close(resolve) : resolve(undefined)));
  server = undefined;
  rmSync(folder, { recursive: true });
  for (const name of variables)
    if (before[name] === undefined) delete process.env[name];
    else process.env[name] = before[name];
});

describe("a process with mode Managed", () => {
  it("serves the certificate of the Secret, and each that follows, while a connection stays open", async () => {
    secret = settled(first);
    await serve();
    await untilServed(first);
    const { port } = server?.address() as AddressInfo;
    const kept = tls.connect({ host: "127.0.0.1", port, ca: first.ca.pem, servername: service });
    await new Promise(resolve => kept.once("secureConnect", resolve));
    watch?.write(`${JSON.stringify({ type: "MODIFIED", object: settled(second) })}\n`);
    await untilServed(second);
    kept.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
    expect(String(await new Promise(resolve => kept.once("data", resolve)))).toContain("200 OK");
    kept.destroy();
    expect(ends).toEqual([first.pair.notAfter, second.pair.notAfter]);
  });

  it("takes the path of the Secret and that of npx pepr deploy, and Pepr, which logs its path, knows neither", async () => {
    process.env.PEPR_API_PATH = "own";
    secret = settled(first);
    await serve();
    await untilServed(first);
    for (const known of [path, "own"])
      expect((await post(`/validate/${known}?timeout=10s`, "{}")).text).toBe("/validate/review?timeout=10s");
    expect(process.env.PEPR_API_PATH).toBe("review");
  });

  it("answers any other request with 404, before its body comes", async () => {
    secret = settled(first);
    await serve();
    await untilServed(first);
    heard = [];
    const places = ["/validate/mlscaler", "/validate/review", `/validate/${path.slice(1)}`, `/validate/${path}/`];
    for (const place of [...places, `/mutate/${path}`, `/validate/${path}/review`, "/validate/", "/", "/healthz"])
      expect([place, (await post(place)).status]).toEqual([place, 404]);
    for (const place of [`/validate/${path}`, "/", "/healthz/", "//healthz"])
      expect([place, (await ask(place)).status]).toEqual([place, 404]);
    expect(heard).toEqual([]);
    expect((await ask("/metrics")).text).toBe("/metrics");
  });

  it("takes the former path as long as the Secret has it", async () => {
    secret = settled(first, { formerPath: "mlscaler" });
    await serve();
    await untilServed(first);
    for (const known of [path, "mlscaler"]) expect((await post(`/validate/${known}`, "{}")).status).toBe(200);
    watch?.write(`${JSON.stringify({ type: "MODIFIED", object: settled(first) })}\n`);
    await vi.waitFor(async () => expect((await post("/validate/mlscaler", "{}")).status).toBe(404));
    expect((await post(`/validate/${path}`, "{}")).status).toBe(200);
    // The leader gives back a path that was lost, and replaces one that can be guessed.
    for (const [served, odd] of [
      [second, undefined],
      [first, "renew"],
    ] as const) {
      watch?.write(`${JSON.stringify({ type: "MODIFIED", object: settled(served, { path: odd }) })}\n`);
      await untilServed(served);
      expect((await post(`/validate/${path}`, "{}")).status).toBe(200);
      expect((await post("/validate/renew")).status).toBe(404);
    }
  });

  it("starts without files and without the Secret, and is not ready until it has a certificate", async () => {
    await serve();
    await vi.waitFor(async () => expect((await ask("/healthz")).status).toBe(503), { timeout: 10_000 });
    expect((await ask("/healthz")).text).toContain(
      "Secret pepr-system/mlscaler-webhook-certificate has no certificate",
    );
    expect(process.env).toMatchObject({
      SSL_KEY_PATH: "/dev/null",
      PEPR_API_PATH: "review",
    });
    watch?.write(`${JSON.stringify({ type: "ADDED", object: settled(first) })}\n`);
    await untilServed(first);
  });

  it("is ready as a watcher without any certificate: nobody checks it there", async () => {
    await serve({}, api(), { isAdmission: false });
    await vi.waitFor(async () => expect((await ask("/healthz")).status).toBe(200), { timeout: 10_000 });
    // Nor is it ever asked for a review.
    watch?.write(`${JSON.stringify({ type: "ADDED", object: settled(first) })}\n`);
    await untilServed(first);
    expect((await post(`/validate/${path}`)).status).toBe(404);
  });

  it("answers probes also while it may not read the Secret", async () => {
    const refusing = new FakeApi(() => {
      throw forbidden();
    });
    await serve({}, refusing, { isAdmission: false });
    await vi.waitFor(async () => expect((await ask("/healthz")).status).toBe(200), { timeout: 10_000 });
  });

  it("is ready with its mounted certificate where an older dist/install lets nobody read the Secret", async () => {
    mount(second);
    const refusing = new FakeApi(() => {
      throw forbidden();
    });
    await serve({}, refusing);
    await untilServed(second);
  });

  it("serves the mounted certificate until the Secret has one, which is empty at first", async () => {
    mount(second);
    secret = { metadata: { name: "mlscaler-webhook-certificate", namespace: "pepr-system" } };
    await serve();
    await untilServed(second);
    const next = { trusted: [second.ca, first.ca], current: undefined, next: first.pair };
    watch?.write(`${JSON.stringify({ type: "ADDED", object: settled(first, next) })}\n`);
    await vi.waitFor(async () => expect((await post(`/validate/${path}`, "{}")).status).toBe(200));
    expect((await ask("/healthz", second)).status).toBe(200);
    watch?.write(`${JSON.stringify({ type: "MODIFIED", object: settled(first) })}\n`);
    await untilServed(first);
  });

  it("is not ready with a mounted certificate that callers no longer trust", async () => {
    mount(second);
    secret = settled(first, { current: undefined, next: first.pair });
    await serve();
    await vi.waitFor(() => expect(watch).toBeDefined());
    expect((await ask("/healthz", second)).status).toBe(503);
  });

  it("keeps its certificate when the Secret is deleted or garbled", async () => {
    secret = settled(first);
    await serve();
    await untilServed(first);
    const garbled = settled(first, { current: { ...first.pair, key: "garbage" } });
    watch?.write(`${JSON.stringify({ type: "MODIFIED", object: garbled })}\n`);
    watch?.write(`${JSON.stringify({ type: "DELETED", object: garbled })}\n`);
    await new Promise(resolve => setImmediate(resolve));
    await untilServed(first);
  });
});

describe("a process whose certificate others make", () => {
  it("serves any certificate of the Secret, and keeps the one before when it cannot", async () => {
    const environment = {
      MLSCALER_CERTIFICATES: "CertManager",
      MLSCALER_CERTIFICATE_SECRET: "mlscaler-webhook-certificate",
    };
    // cert-manager stores no path, and a ca.crt that need not have issued the certificate itself.
    secret = stored({ trusted: [second.ca], current: first.pair });
    await serve({ ...environment, MLSCALER_WEBHOOK_PATH_SECRET: pathSecretName });
    // Until the leader has made a path, nobody can ask.
    await vi.waitFor(async () =>
      expect((await ask("/healthz", first)).text).toContain(`${pathSecretName} has no path`),
    );
    const withPath = withContent(
      { metadata: { name: pathSecretName, namespace: "pepr-system" } },
      { trusted: [], path },
      false,
    );
    pathWatch?.write(`${JSON.stringify({ type: "ADDED", object: withPath })}\n`);
    await untilServed(first);
    expect((await post(`/validate/${path}`, "{}")).status).toBe(200);
    const mixed = stored({ trusted: [], current: { ...second.pair, key: first.pair.key } });
    watch?.write(`${JSON.stringify({ type: "MODIFIED", object: mixed })}\n`);
    await new Promise(resolve => setImmediate(resolve));
    await untilServed(first);
    watch?.write(`${JSON.stringify({ type: "MODIFIED", object: stored({ trusted: [], current: second.pair }) })}\n`);
    await untilServed(second);
  });

  it("serves mounted files alone without the name of a Secret", async () => {
    mount(first);
    const from = api();
    await serve({ MLSCALER_CERTIFICATES: "Provided" }, from);
    await untilServed(first);
    expect(from.calls).toEqual([]);
  });
});
