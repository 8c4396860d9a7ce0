import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CertificateIssuer } from "../../../capabilities/operator/certificate-issuer";
import { issue } from "../../../capabilities/webhook/certificates/issue";
import { Content, pausesFor } from "../../../capabilities/webhook/certificates/plan";
import { certificatesIn, contentOf } from "../../../capabilities/webhook/certificates/secret";
import { certificateSettings, CertificateSettings } from "../../../capabilities/webhook/certificates/settings";
import { log } from "../../../capabilities/kubernetes/log";
import { Call, conflict, FakeApi, forbidden, notFound } from "../fake-api";
import { start } from "../time";

const service = "pepr-mlscaler.pepr-system.svc";
const seconds = 120;
const life = seconds * 1000;
const { confirming, trusting, serving } = pausesFor(life);
const pathSecret = "mlscaler-webhook-certificate";
const settings = {
  ...certificateSettings({ MLSCALER_CERTIFICATE_LIFETIME_SECONDS: String(seconds) }),
  pathSecret,
};

/** A path that nobody can guess. */
const secret = /^\/validate\/[0-9a-f]{64}$/;

/** The path of a deploy, which nobody can guess. */
const ofPepr = "3".repeat(64);

interface Stored {
  metadata: { name: string; resourceVersion: string; managedFields?: object[]; annotations?: Record<string, string> };
}
interface Secret extends Stored {
  data: Record<string, string>;
}
interface Configuration extends Stored {
  metadata: Stored["metadata"] & { generation: number };
  webhooks: { name: string; clientConfig: { caBundle: string; service: Record<string, unknown> } }[];
}

/** An API server with one Secret, which is empty at first, and one webhook configuration. */
class Cluster {
  secret?: Secret = { metadata: { name: pathSecret, resourceVersion: "1" }, data: {} };
  configuration?: Configuration;
  #version = 100;
  /** Called before each answer. */
  before: (call: Call) => void = () => undefined;
  readonly api = new FakeApi(call => this.#answer(call));

  get content(): Content {
    return contentOf(this.secret, service);
  }

  get trusted(): string[] {
    const { caBundle = "" } = this.configuration?.webhooks[0]?.clientConfig ?? {};
    return certificatesIn(Buffer.from(caBundle, "base64").toString()).map(({ id }) => id);
  }

  get isConfirmed(): boolean {
    const { generation, annotations } = this.configuration?.metadata ?? {};
    return annotations?.["mlscaler.example.com/confirmed-generation"] === String(generation);
  }

  /** The webhook configuration as `npx pepr deploy` applies it. */
  deploy(pem: string, path: string | undefined, manager = "pepr"): void {
    const webhook = {
      name: "pepr-mlscaler.pepr.dev",
      admissionReviewVersions: ["v1", "v1beta1"],
      clientConfig: {
        caBundle: Buffer.from(pem).toString("base64"),
        service: { name: "pepr-mlscaler", namespace: "pepr-system", path: path && `/validate/${path}`, port: 443 },
      },
      failurePolicy: "Ignore",
      matchPolicy: "Equivalent",
      objectSelector: {},
      timeoutSeconds: 10,
      namespaceSelector: { matchExpressions: [{ key: "name", operator: "NotIn", values: ["kube-system"] }] },
      rules: [{ apiGroups: ["example.com"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["mlscalers"] }],
      sideEffects: "None",
    };
    const managedFields = [{ manager, operation: "Apply" }];
    const { generation = 0, annotations } = this.configuration?.metadata ?? {};
    const metadata = { name: "pepr-mlscaler", resourceVersion: this.#next(), generation: generation + 1 };
    this.configuration = { metadata: { ...metadata, managedFields, annotations }, webhooks: [webhook] };
  }

  #next(): string {
    return String(++this.#version);
  }

  #answer(call: Call): unknown {
    this.before(call);
    const { method, path, body } = call;
    if (path.includes("/secrets")) {
      if (method === "GET" && !this.secret) throw notFound();
      if (method === "GET") return structuredClone(this.secret);
      if (method === "POST") throw forbidden();
      return (this.secret = this.#write(this.secret, body as Secret));
    }
    if (!this.configuration) throw notFound();
    if (method === "GET") return structuredClone(this.configuration);
    const { webhooks, metadata } = this.configuration;
    const { webhooks: [entry] = [], ...patched } = this.#write(this.configuration, body as Partial<Configuration>);
    const [known] = webhooks;
    if (known && entry) {
      Object.assign(known.clientConfig, {
        ...entry.clientConfig,
        service: { ...known.clientConfig.service, ...entry.clientConfig.service },
      });
      metadata.generation++;
    }
    Object.assign(metadata, {
      annotations: { ...metadata.annotations, ...patched.metadata?.annotations },
      resourceVersion: this.#next(),
    });
    return this.configuration;
  }

  #write<T extends Partial<Stored>>(before: Stored | undefined, object: T): T {
    if (before && object.metadata?.resourceVersion !== before.metadata.resourceVersion) throw conflict();
    return { ...object, metadata: { ...object.metadata, resourceVersion: this.#next() } };
  }
}

let cluster: Cluster;
let leads: boolean;

const issuer = (more: Partial<CertificateSettings> = {}): CertificateIssuer =>
  new CertificateIssuer(cluster.api, () => leads, { ...settings, ...more, pathSecret }, "pepr-system");

/** Takes steps until there is nothing to do but to wait for a renewal. Returns when the next look is due, in seconds. */
async function settle(one: CertificateIssuer): Promise<number> {
  for (let step = 0; step < 20; step++) {
    const outcome = await one.sync();
    if (outcome.next !== "soon") throw new Error(`unexpected ${outcome.next}`);
    if (outcome.afterSeconds > 0.1 && cluster.isConfirmed) return outcome.afterSeconds;
    if (outcome.afterSeconds > 0.1) vi.advanceTimersByTime(outcome.afterSeconds * 1000);
  }
  throw new Error("it never waits");
}

/** The ends of a rotation: the next certificate is trusted, served, and alone. */
async function rotate(one: CertificateIssuer): Promise<void> {
  await settle(one);
  vi.advanceTimersByTime(trusting);
  await settle(one);
  vi.advanceTimersByTime(serving);
  await settle(one);
}

const writes = (): Call[] => cluster.api.calls.filter(({ method }) => method !== "GET");

beforeEach(() => {
  vi.useFakeTimers({ now: start, toFake: ["Date", "performance"] });
  [cluster, leads] = [new Cluster(), true];
  const { ca } = issue(service, Date.now(), 365 * 86_400_000);
  cluster.deploy(ca.pem, ofPepr);
});

afterEach(() => {
  vi.useRealTimers();
});

describe("the issuer of the certificate", () => {
  it("has a new CA trusted before its certificate is served, and the former one until it no longer is", async () => {
    const [ofDeploy] = cluster.trusted;
    const one = issuer();
    expect(await settle(one)).toBe(trusting / 1000);
    expect(cluster.content).toMatchObject({ current: undefined, path: ofPepr });
    expect(cluster.trusted).toEqual([ofDeploy, cluster.content.next?.issuer]);
    vi.advanceTimersByTime(trusting);
    expect(await settle(one)).toBe(serving / 1000);
    expect(cluster.content.current).toBeDefined();
    expect(cluster.trusted).toEqual([ofDeploy, cluster.content.current?.issuer]);
    vi.advanceTimersByTime(serving);
    const passed = trusting + serving + 2 * confirming;
    expect(await settle(one)).toBeCloseTo((life * 2) / 3000 - passed / 1000, 1);
    expect(cluster.trusted).toEqual([cluster.content.current?.issuer]);
  });

  it("applies as npx pepr deploy does, with the same fields, so that the next deploy meets no conflict", async () => {
    await settle(issuer());
    const [patch] = cluster.api.of("PATCH");
    expect(patch?.query).toEqual({ fieldManager: "pepr", force: "true" });
    const [webhook] = (patch?.body as Configuration).webhooks;
    expect(Object.keys(webhook ?? {}).sort()).toEqual([
      ...["admissionReviewVersions", "clientConfig", "failurePolicy", "matchPolicy", "name", "namespaceSelector"],
      ...["rules", "sideEffects", "timeoutSeconds"],
    ]);
    expect(webhook?.clientConfig.service).toEqual({
      ...{ name: "pepr-mlscaler", namespace: "pepr-system", path: `/validate/${ofPepr}` },
    });
  });

  it("applies caBundle and path alone as a manager of its own where a chart applied the rest", async () => {
    cluster.deploy("", undefined, "helm");
    await settle(issuer());
    const [patch] = cluster.api.of("PATCH");
    expect(patch?.query).toEqual({ fieldManager: "mlscaler", force: "true" });
    const caBundle = expect.any(String) as string;
    expect((patch?.body as Configuration).webhooks).toEqual([
      {
        name: "pepr-mlscaler.pepr.dev",
        clientConfig: { caBundle, service: { path: expect.stringMatching(secret) as string } },
      },
    ]);
    // Nobody trusted anything, so nothing waits.
    expect(cluster.content.current?.issuer).toBe(cluster.trusted[0]);
  });

  it("writes the webhook configuration once more after each change, without its entries", async () => {
    const one = issuer();
    await settle(one);
    const confirmed = cluster.api.of("PATCH").filter(({ query }) => query?.fieldManager === "mlscaler");
    expect(confirmed.map(({ body }) => body)).toEqual([
      {
        metadata: {
          resourceVersion: expect.any(String) as string,
          annotations: { "mlscaler.example.com/confirmed-generation": "2" },
        },
      },
    ]);
    const before = writes().length;
    await settle(one);
    expect(writes()).toHaveLength(before);
  });

  it("takes its time from the API server: its own clock may be wrong", async () => {
    const atServer = start.getTime() + 300 * 86_400_000;
    cluster.api.clock.observe({ date: new Date(atServer).toUTCString() }, performance.now());
    await settle(issuer());
    expect(cluster.content.next?.notAfter).toBeGreaterThanOrEqual(atServer + life);
    expect(cluster.content.next?.notAfter).toBeLessThan(atServer + life + 2_000);
  });

  it("writes nothing while another process leads, and looks again soon", async () => {
    leads = false;
    expect(await issuer().sync()).toMatchObject({ next: "soon", afterSeconds: 1 });
    expect(cluster.api.calls).toEqual([]);
  });

  it("writes nothing when it loses the Lease between reading and writing", async () => {
    cluster.before = ({ path }) => (leads = leads && !path.includes("/secrets"));
    await issuer().sync();
    expect(writes()).toEqual([]);
  });

  it("yields to another that believes to lead: the first write counts", async () => {
    const outcomes = await Promise.all([issuer().sync(), issuer().sync()]);
    expect(outcomes.every(({ next }) => next === "soon")).toBe(true);
    await Promise.all([settle(issuer()), settle(issuer())]);
    vi.advanceTimersByTime(trusting);
    const [one, other] = [issuer(), issuer()];
    await rotate(one);
    await Promise.all([settle(one), settle(other)]);
    expect(cluster.trusted).toContain(cluster.content.current?.issuer);
  });

  it("goes on with what a lost leader had begun, and waits again before it serves", async () => {
    await settle(issuer());
    const { next } = cluster.content;
    vi.advanceTimersByTime(trusting - 1);
    const successor = issuer();
    expect(await settle(successor)).toBe(trusting / 1000);
    vi.advanceTimersByTime(trusting);
    await settle(successor);
    expect(cluster.content.current?.id).toBe(next?.id);
  });

  it("writes the path alone where others make the certificate, and leaves caBundle to them", async () => {
    const [ofCertManager] = cluster.trusted;
    cluster.deploy(issue(service, Date.now(), life).ca.pem, undefined, "helm");
    const before = cluster.configuration?.webhooks[0]?.clientConfig.caBundle;
    await settle(issuer({ mode: "CertManager", secret: "webhook-tls" }));
    const [patch] = cluster.api.of("PATCH");
    expect(patch?.query).toEqual({ fieldManager: "mlscaler-path", force: "true" });
    expect((patch?.body as Configuration).webhooks).toEqual([
      { name: "pepr-mlscaler.pepr.dev", clientConfig: { service: { path: expect.stringMatching(secret) as string } } },
    ]);
    expect(cluster.configuration?.webhooks[0]?.clientConfig.caBundle).toBe(before);
    expect(cluster.trusted).not.toContain(ofCertManager);
    expect(Object.keys(cluster.secret?.data ?? {})).toEqual(["path"]);
    expect(cluster.api.calls.filter(({ path }) => path.includes("webhook-tls"))).toEqual([]);
  });

  it("creates no Secret: it says what does, and goes on when there is one", async () => {
    const said = vi.spyOn(log, "error").mockImplementation(() => undefined);
    const stored = cluster.secret;
    cluster.secret = undefined;
    const ending = new AbortController();
    const one = issuer();
    const message = `there is no Secret pepr-system/${pathSecret}, and the module may not create one`;
    expect(await one.sync()).toMatchObject({ next: "retry", error: { message } });
    expect(writes()).toEqual([]);
    one.start(ending.signal);
    await vi.waitFor(() => expect(said).toHaveBeenCalled());
    ending.abort();
    expect(said.mock.calls[0]?.[1]).toMatch(/; run: kubectl apply -R -f dist\/install$/);
    said.mockRestore();
    cluster.secret = stored;
    await settle(issuer());
    expect(cluster.content.next).toBeDefined();
  });

  it.each([
    ["emptied", (secret: Secret): Secret => ({ ...secret, data: {} })],
    ["garbled", (secret: Secret): Secret => ({ ...secret, data: { "tls.crt": "AAAA", "ca.crt": "%" } })],
  ])("issues again when the Secret was %s; what pods still serve stays trusted", async (_, edit) => {
    const one = issuer();
    await rotate(one);
    const [before] = cluster.trusted;
    cluster.secret = cluster.secret && edit(cluster.secret);
    await settle(one);
    expect(cluster.trusted).toEqual([before, cluster.content.next?.issuer]);
    await rotate(one);
    expect(cluster.trusted).toEqual([cluster.content.current?.issuer]);
    expect(cluster.content.path).toBe(ofPepr);
  });

  it("throws when it may not write, so that the scheduler tries again", async () => {
    cluster.before = ({ method }) => {
      if (method === "PUT") throw forbidden();
    };
    const retry = { next: "retry", firstSeconds: 1, atMostSeconds: 30 };
    expect(await issuer().sync()).toMatchObject({ ...retry, error: { message: "forbidden" } });
  });
});
