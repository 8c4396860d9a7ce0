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

let folder: string;
let first: Issued;
let second: Issued;
let server: https.Server | undefined;
let ending: AbortController;
let secret: object | undefined;
let watch: PassThrough | undefined;
let ends: number[];
const before = Object.fromEntries(variables.map(name => [name, process.env[name]]));

const api = (): FakeApi =>
  new FakeApi(({ method, signal }) => {
    if (method === "GET") return { metadata: { resourceVersion: "1" }, items: secret ? [secret] : [] };
    const stream = (watch = new PassThrough());
    signal?.addEventListener("abort", () => stream.destroy(new Error("aborted")), { once: true });
    return stream;
  });

const stored = (content: Content): object => {
  const object = withContent(undefined, "mlscaler-webhook-certificate", content) as { metadata: object };
  return { ...object, metadata: { ...object.metadata, namespace: "pepr-system" } };
};

/** The Secret as it is once its certificate is served. */
const settled = ({ ca, pair, path }: Issued, more: Partial<Content> = {}): object =>
  stored({ trusted: [ca], current: pair, path, ...more });

/** Mounts a certificate, as `npx pepr deploy` does. */
function mount({ pair }: Issued): void {
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
    serving.guard((request, response) => response.end(request.url)),
  );
  serving.attach(server);
  await new Promise<void>(resolve => server?.listen(0, "127.0.0.1", resolve));
  void serving.follow(from, ending.signal);
  return serving;
}

/** Asks for a path on a new connection, and checks the certificate by these CAs; without CAs it is not checked. */
function ask(path: string, ...authorities: Issued[]): Promise<{ status?: number; text: string }> {
  const ca = authorities.map(authority => authority.ca.pem);
  const { port } = server?.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    const options = { port, path, ca, servername: service, agent: false, rejectUnauthorized: ca.length > 0 };
    const asked = https.get({ host: "127.0.0.1", ...options }, response => {
      let text = "";
      response.on("data", (piece: Buffer) => (text += piece.toString()));
      response.on("end", () => resolve({ status: response.statusCode, text }));
    });
    asked.on("error", reject);
  });
}

const untilServed = (issued: Issued): Promise<void> =>
  vi.waitFor(async () => expect((await ask("/healthz", issued)).status).toBe(200), { timeout: 10_000 });

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mlscaler-serving-"));
  [first, second] = [issue(service, Date.now(), 3_600_000), issue(service, Date.now(), 7_200_000)];
  [ending, secret, watch, ends] = [new AbortController(), undefined, undefined, []];
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
    kept.write("GET /kept HTTP/1.1\r\nHost: x\r\n\r\n");
    expect(String(await new Promise(resolve => kept.once("data", resolve)))).toContain("200 OK");
    kept.destroy();
    expect(ends).toEqual([first.pair.notAfter, second.pair.notAfter]);
  });

  it("takes the path of the Secret and that of its own, and no other", async () => {
    process.env.PEPR_API_PATH = "own";
    secret = settled(first);
    await serve();
    await untilServed(first);
    expect((await ask(`/validate/${first.path}?timeout=10s`, first)).text).toBe("/validate/own?timeout=10s");
    expect((await ask(`/validate/${first.path}`, first)).text).toBe("/validate/own");
    expect((await ask("/validate/own", first)).text).toBe("/validate/own");
    expect((await ask("/validate/other", first)).text).toBe("/validate/other");
  });

  it("starts without files and without the Secret, and is not ready until it has a certificate", async () => {
    await serve();
    await vi.waitFor(async () => expect((await ask("/healthz")).status).toBe(503), { timeout: 10_000 });
    expect((await ask("/healthz")).text).toContain(
      "Secret pepr-system/mlscaler-webhook-certificate has no certificate",
    );
    expect(process.env).toMatchObject({
      SSL_KEY_PATH: "/dev/null",
      PEPR_API_PATH: expect.stringMatching(/^\w{64}$/) as string,
    });
    watch?.write(`${JSON.stringify({ type: "ADDED", object: settled(first) })}\n`);
    await untilServed(first);
  });

  it("is ready as a watcher without any certificate: nobody checks it there", async () => {
    await serve({}, api(), { isAdmission: false });
    await vi.waitFor(async () => expect((await ask("/healthz")).status).toBe(200), { timeout: 10_000 });
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

  it("serves the mounted certificate until the Secret has one", async () => {
    mount(second);
    await serve();
    await untilServed(second);
    const next = { trusted: [second.ca, first.ca], current: undefined, next: first.pair };
    watch?.write(`${JSON.stringify({ type: "ADDED", object: settled(first, next) })}\n`);
    await vi.waitFor(async () => expect((await ask(`/validate/${first.path}`, second)).text).not.toContain(first.path));
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
    await serve(environment);
    await untilServed(first);
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
