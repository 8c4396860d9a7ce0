import { execFile } from "node:child_process";
import { X509Certificate } from "node:crypto";
import tls from "node:tls";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { ApiError } from "../../../capabilities/kubernetes/api";
import { deploy } from "../../../sandbox/api";
import { projectRoot } from "../../../sandbox/paths";
import { issue, Issued } from "../../../capabilities/webhook/certificates/issue";
import { api, createNamespace, kube, scalerManifest, shortForm, until } from "../cluster";
import { metrics, rollOut, runningPods, setVariables, system, theWatcher, watcherDeployment } from "../module";
import { sandbox } from "../sandbox";

const secretName = "mlscaler-webhook-certificate";
const webhookPath = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/pepr-mlscaler";
const webhook = "validatingwebhookconfiguration/pepr-mlscaler";
const serviceName = "pepr-mlscaler.pepr-system.svc";
const lifetimeSeconds = 120;
const admissionDeployment = "deploy/pepr-mlscaler";

/** What only the webhook refuses: the CRD knows no cron. */
const refused = {
  target_deployment: "web",
  ...shortForm,
  schedules: [{ name: "never", cron: "61 * * * *", timezone: "UTC", duration_seconds: 60, min_replicas: 1 }],
};

let namespace: string;

/** Asks the API server for a review. Returns whether the webhook was asked. Throws on any other failure. */
async function isAsked(): Promise<boolean> {
  try {
    const path = `/apis/example.com/v1/namespaces/${namespace}/mlscalers`;
    await api.create(path, scalerManifest("probe", refused), { query: { dryRun: "All" } });
    return false;
  } catch (error) {
    if (error instanceof ApiError && error.message.includes("61 * * * *")) return true;
    throw error;
  }
}

const configurationSchema = z.object({
  metadata: z.object({ generation: z.number(), annotations: z.record(z.string(), z.string()).default({}) }),
  webhooks: z.array(
    z.object({ clientConfig: z.object({ caBundle: z.string(), service: z.object({ path: z.string() }) }) }),
  ),
});

/** What the webhook configuration has: the CAs in PEM, the path, and the number of its changes. */
async function configured(): Promise<{
  cas: string;
  path: string;
  generation: number;
  annotations: Record<string, string>;
}> {
  const { webhooks, metadata } = configurationSchema.parse(await api.get(webhookPath));
  const [webhook] = webhooks;
  if (!webhook) throw new Error("the webhook configuration has no webhook");
  const { caBundle, service } = webhook.clientConfig;
  return { cas: Buffer.from(caBundle, "base64").toString(), path: service.path, ...metadata };
}

/** The certificate that a pod serves on a new connection, checked as the API server does. Throws when it is refused. */
function handshake(port: number, ca: string): Promise<X509Certificate> {
  return new Promise((resolve, reject) => {
    const socket = tls.connect({ host: "127.0.0.1", port, ca, servername: serviceName }, () => {
      const certificate = socket.getPeerX509Certificate();
      socket.destroy();
      if (certificate) resolve(certificate);
      else reject(new Error("no certificate"));
    });
    socket.on("error", reject);
  });
}

/** The certificate that every admission pod serves; undefined while they differ. */
async function served(): Promise<X509Certificate | undefined> {
  const { cas } = await configured();
  const pods = await runningPods("admission");
  const certificates = await Promise.all(pods.map(({ port }) => handshake(port, cas)));
  const [first] = certificates;
  return certificates.every(one => one.fingerprint256 === first?.fingerprint256) ? first : undefined;
}

/** Asks for reviews, one after the other, until `stop`. */
class Probe {
  asked = 0;
  readonly failures: string[] = [];
  /** When it was not asked, epoch milliseconds. */
  readonly unasked: number[] = [];
  readonly #stopped = new AbortController();
  readonly #done: Promise<void>;

  constructor(readonly everyMilliseconds: number) {
    this.#done = this.#run();
  }

  /** The time in which it was not asked, from the last review before to the first one after, in ms. */
  gap = 0;
  /** The duration of the slowest review, in ms. */
  slowest = 0;

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#done;
  }

  async #run(): Promise<void> {
    let lastAsked = performance.now();
    let missed = false;
    while (!this.#stopped.signal.aborted) {
      const begun = performance.now();
      try {
        const asked = await isAsked();
        this.slowest = Math.max(this.slowest, performance.now() - begun);
        if (asked) {
          if (missed) this.gap += performance.now() - lastAsked;
          this.asked++;
          [lastAsked, missed] = [performance.now(), false];
        } else {
          missed = true;
          this.unasked.push(Date.now());
        }
      } catch (error) {
        this.failures.push(String(error));
      }
      const left = this.everyMilliseconds - (performance.now() - begun);
      if (left > 0) await new Promise(resolve => setTimeout(resolve, left));
    }
  }
}

const shorten = (): Promise<void> =>
  setVariables([watcherDeployment], `MLSCALER_CERTIFICATE_LIFETIME_SECONDS=${lifetimeSeconds}`);

/** Replaces the Secret and the CAs of the webhook configuration, as cert-manager does. */
async function provide(pair: Issued["pair"], cas: string): Promise<void> {
  const data = { "tls.crt": pair.pem, "tls.key": pair.key };
  const secret = {
    apiVersion: "v1",
    kind: "Secret",
    type: "kubernetes.io/tls",
    metadata: { name: secretName },
    stringData: data,
  };
  await kube(["apply", "-n", system, "-f", "-"], JSON.stringify(secret));
  const value = Buffer.from(cas).toString("base64");
  const patch = [{ op: "replace", path: "/webhooks/0/clientConfig/caBundle", value }];
  await kube(["patch", webhook, "--type", "json", "-p", JSON.stringify(patch)]);
}

async function untilServed(fingerprint: string): Promise<void> {
  await until("the certificate of the Secret is served", async () => (await served())?.fingerprint256 === fingerprint);
}

const remainingSeconds = (certificate: X509Certificate | undefined): number =>
  certificate ? (Date.parse(certificate.validTo) - Date.now()) / 1000 : NaN;

beforeAll(async () => {
  namespace = await createNamespace("certificates");
  await until("the webhook is asked", isAsked);
});

afterAll(async () => {
  await setVariables([watcherDeployment], "MLSCALER_CERTIFICATE_LIFETIME_SECONDS-");
  await kube(["delete", "namespace", namespace, "--timeout=180s"]);
});

describe("the certificate of the webhook", () => {
  it("is renewed three times in the life of the pods: 1,000 reviews, none failed, none unasked", async () => {
    await shorten();
    const first = await until(
      "a certificate with a short life is served",
      async () => {
        const certificate = await served();
        return remainingSeconds(certificate) < lifetimeSeconds && certificate;
      },
      { seconds: 400 },
    );
    const pods = (await runningPods("admission")).map(({ pid }) => pid);
    const probe = new Probe(200);
    const seen = new Set([first.fingerprint256]);
    try {
      await until(
        "three more certificates, and 1,000 reviews",
        async () => {
          // Throws when a pod serves what the configuration does not cover.
          const certificate = await served();
          if (certificate) seen.add(certificate.fingerprint256);
          return seen.size > 3 && probe.asked >= 1000;
        },
        { seconds: 450, seen: () => Promise.resolve(`${seen.size} certificates, ${probe.asked} reviews`) },
      );
    } finally {
      await probe.stop();
    }
    console.log(`${probe.asked} reviews, ${seen.size - 1} renewals`);
    expect(probe.failures).toEqual([]);
    expect(probe.unasked).toEqual([]);
    expect((await runningPods("admission")).map(({ pid }) => pid)).toEqual(pods);
  }, 900_000);

  it("is told in the metrics of the watcher", async () => {
    const scraped = await metrics((await theWatcher()).port);
    const [, value = ""] = /^mlscaler_certificate_expiration_timestamp_seconds (\S+)$/m.exec(scraped) ?? [];
    expect(Number(value) - Date.now() / 1000).toBeGreaterThan(0);
    expect(Number(value) - Date.now() / 1000).toBeLessThan(lifetimeSeconds);
  });

  it("survives npx pepr deploy, which writes another CA and path: the webhook is asked again at once", async () => {
    const before = await configured();
    const probe = new Probe(50);
    try {
      const pepr = promisify(execFile)("npx", ["pepr", "deploy", "--yes"], { cwd: projectRoot, env: process.env });
      const { stdout } = await pepr;
      expect(stdout).toContain("Module deployed successfully");
      await Promise.all([admissionDeployment, watcherDeployment].map(rollOut));
      const asked = probe.asked;
      // The last pod of the old deploy may still end.
      await until("the new pods alone are asked", () => Promise.resolve(probe.asked > asked + 200));
      const after = await configured();
      expect(after.path).toBe(before.path);
      // The deploy wrote its own, and the leader put its own back.
      expect(after.generation).toBeGreaterThanOrEqual(before.generation + 2);
      await until("the last change is confirmed", async () => {
        const { generation, annotations } = await configured();
        return annotations["mlscaler.example.com/confirmed-generation"] === String(generation);
      });
    } finally {
      await probe.stop();
    }
    const [gap, slowest] = [Math.round(probe.gap), Math.round(probe.slowest)];
    console.log(`pepr deploy: unasked for ${gap} ms, ${probe.asked} reviews, the slowest took ${slowest} ms`);
    expect(probe.failures).toEqual([]);
    // The gap includes the duration of the review that ends it.
    expect(gap).toBeLessThan(1_000 + slowest);
  }, 600_000);

  it("is issued again after its Secret was deleted, without a review that is missed", async () => {
    // One that is about to end would end before its successor may be served.
    const before = await until(
      "a certificate is served that lasts",
      async () => {
        const certificate = await served();
        return remainingSeconds(certificate) > lifetimeSeconds / 2 && certificate;
      },
      { seconds: 200 },
    );
    const probe = new Probe(100);
    try {
      await kube(["delete", "secret", secretName, "-n", system]);
      await until(
        "another certificate is served",
        async () => {
          const certificate = await served();
          return certificate && certificate.fingerprint256 !== before.fingerprint256;
        },
        { seconds: 90 },
      );
    } finally {
      await probe.stop();
    }
    expect(probe.failures).toEqual([]);
    expect(probe.unasked).toEqual([]);
  }, 600_000);

  it("is served from a fresh install on: once the webhook has been asked, it is never left out", async () => {
    await kube(["delete", admissionDeployment, watcherDeployment, "-n", system, "--cascade=foreground"]);
    await kube(["delete", "secret", secretName, "-n", system]);
    await kube(["delete", webhook]);
    await deploy(sandbox);
    await until("the webhook is asked", isAsked);
    const probe = new Probe(100);
    try {
      await shorten();
      await until("our certificate is served", async () => remainingSeconds(await served()) < lifetimeSeconds, {
        seconds: 150,
      });
    } finally {
      await probe.stop();
    }
    expect(probe.failures).toEqual([]);
    expect(probe.unasked).toEqual([]);
  }, 600_000);

  it.each([
    ["cert-manager's", "CertManager"],
    ["your own", "Provided"],
  ])(
    "may be %s: the module serves each that follows, and writes neither Secret nor caBundle",
    async (_, whose) => {
      const deployments = [admissionDeployment, watcherDeployment];
      const mode = ["MLSCALER_CERTIFICATES", "MLSCALER_CERTIFICATE_SECRET"];
      await setVariables(deployments, `${mode[0]}=${whose}`, `${mode[1]}=${secretName}`);
      try {
        const made = () => issue(serviceName, Date.now(), 3_600_000);
        const [first, second] = [made(), made()];
        const both = first.ca.pem + second.ca.pem;
        await kube(["delete", "secret", secretName, "-n", system]);
        await provide(first.pair, both);
        await untilServed(first.pair.id);
        await until("the webhook is asked", isAsked);
        const { generation } = await configured();
        const pods = (await runningPods("admission")).map(({ pid }) => pid);
        await provide(second.pair, both);
        await untilServed(second.pair.id);
        expect(await isAsked()).toBe(true);
        expect(await configured()).toMatchObject({ generation, cas: both });
        expect((await runningPods("admission")).map(({ pid }) => pid)).toEqual(pods);
      } finally {
        await setVariables(deployments, ...mode.map(name => `${name}-`));
      }
      await until(
        "the module issues again",
        async () => (await configured()).cas.includes("BEGIN") && remainingSeconds(await served()) < lifetimeSeconds,
        { seconds: 90 },
      );
      expect(await isAsked()).toBe(true);
    },
    600_000,
  );
});
