import { X509Certificate } from "node:crypto";
import tls from "node:tls";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { ApiError } from "../../../capabilities/kubernetes/api";
import { deploy } from "../../../sandbox/api";
import { api, createNamespace, kube, scalerManifest, shortForm, until } from "../cluster";
import { metrics, runningPods, setVariables, system, theWatcher, watcherDeployment } from "../module";
import { sandbox } from "../sandbox";

const secretName = "mlscaler-webhook-certificate";
const webhookPath = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/pepr-mlscaler";
const webhook = "validatingwebhookconfiguration/pepr-mlscaler";
const serviceName = "pepr-mlscaler.pepr-system.svc";
const lifetimeSeconds = 120;

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
  webhooks: z.tuple([z.object({ clientConfig: z.object({ caBundle: z.string() }) })]),
});

/** The CAs of the webhook configuration, in PEM. */
async function configured(): Promise<string> {
  const { webhooks } = configurationSchema.parse(await api.get(webhookPath));
  return Buffer.from(webhooks[0].clientConfig.caBundle, "base64").toString();
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
  const cas = await configured();
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
  readonly #done = this.#run();

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#done;
  }

  async #run(): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      try {
        if (await isAsked()) this.asked++;
        else this.unasked.push(Date.now());
      } catch (error) {
        this.failures.push(String(error));
      }
      await new Promise(resolve => setTimeout(resolve, 200));
    }
  }
}

const remainingSeconds = (certificate: X509Certificate | undefined): number =>
  certificate ? (Date.parse(certificate.validTo) - Date.now()) / 1000 : NaN;

beforeAll(async () => {
  namespace = await createNamespace("certificates");
  await until("the webhook is asked", isAsked);
});

afterAll(async () => {
  await setVariables([watcherDeployment], "MLSCALER_CERTIFICATE_LIFETIME_SECONDS-");
  // A fresh install gets a certificate at once. A renewal takes 5 minutes again, and the short one ends before.
  await kube(["delete", webhook]);
  await kube(["delete", "secret", secretName, "-n", system]);
  await deploy(sandbox);
  await until("a certificate with the usual life is served", async () => remainingSeconds(await served()) > 86_400);
  await kube(["delete", "namespace", namespace, "--timeout=15m"]);
});

describe("the certificate of the webhook", () => {
  it("is renewed in the life of the pods, and no review fails or is missed", async () => {
    await setVariables([watcherDeployment], `MLSCALER_CERTIFICATE_LIFETIME_SECONDS=${lifetimeSeconds}`);
    const first = await until("a certificate with a short life is served", async () => {
      const certificate = await served();
      return remainingSeconds(certificate) < lifetimeSeconds && certificate;
    });
    const pods = (await runningPods("admission")).map(({ pid }) => pid);
    const probe = new Probe();
    try {
      // `served` throws when a pod serves what the configuration does not cover.
      await until("the next one is served", async () => {
        const certificate = await served();
        return certificate && certificate.fingerprint256 !== first.fingerprint256;
      });
    } finally {
      await probe.stop();
    }
    console.log(`${probe.asked} reviews`);
    expect([probe.failures, probe.unasked]).toEqual([[], []]);
    expect((await runningPods("admission")).map(({ pid }) => pid)).toEqual(pods);
    const scraped = await metrics((await theWatcher()).port);
    const [, value = ""] = /^mlscaler_certificate_expiration_timestamp_seconds (\S+)$/m.exec(scraped) ?? [];
    expect(Number(value)).toBeGreaterThan(Date.now() / 1000);
    expect(Number(value)).toBeLessThan(Date.now() / 1000 + lifetimeSeconds);
  });
});
