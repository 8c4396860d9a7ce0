import { randomBytes } from "node:crypto";
import { Api, applyPatch, isStatus, mergePatch } from "../kubernetes/api";
import { errorFields, log } from "../kubernetes/log";
import { Monotonic } from "../kubernetes/time";
import { watchMetadata } from "../kubernetes/watch";
import { issue } from "../webhook/certificates/issue";
import { Content, Entry, nextStep, withNext } from "../webhook/certificates/plan";
import { contentOf, withContent } from "../webhook/certificates/secret";
import { CertificateSettings } from "../webhook/certificates/settings";
import {
  confirming,
  entriesOf,
  isConfirmed,
  trusting,
  WebhookConfiguration,
  webhookConfigurationOf,
} from "../webhook/certificates/webhook-configuration";
import { installCommand } from "./installed";
import { lostChangesSeconds, Outcome } from "./outcome";
import { Scheduler, Task } from "./scheduler";
import * as telemetry from "./telemetry";

const kind = "Certificate";
const configurations = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";

/** Whoever installs the module creates its Secrets. */
class NoSecret extends Error {
  override readonly name = "NoSecret";
}

/** The time after which a process without the Lease looks whether it has it, in seconds. */
const standbySeconds = 1;

/** In the watcher, the leader keeps the Secret of the webhook, and has the API server use it. It may not create it. */
export class CertificateIssuer implements Task {
  readonly #key: string;
  readonly #secretPath: string;
  readonly #serviceName: string;
  readonly #issues: boolean;
  readonly #configurationPath: string;
  readonly #scheduler = new Scheduler({ failed: (_, key, error) => failed(key, error) });
  #found: { state: string; since: Monotonic } = { state: "", since: 0 };

  constructor(
    readonly api: Api,
    readonly holdsLease: () => boolean,
    readonly settings: CertificateSettings & { pathSecret: string },
    namespace: string,
  ) {
    this.#key = `${namespace}/${settings.pathSecret}`;
    this.#secretPath = `/api/v1/namespaces/${namespace}/secrets/${settings.pathSecret}`;
    this.#issues = settings.mode === "Managed";
    this.#serviceName = `${settings.service}.${namespace}.svc`;
    this.#configurationPath = `${configurations}/${settings.webhook}`;
  }

  start(signal: AbortSignal): void {
    this.#scheduler.open();
    this.wake();
    const fieldSelector = `metadata.name=${this.settings.webhook}`;
    const wake = (): void => this.wake();
    const handler = {
      ...{ seen: wake, gone: wake, listed: wake },
      keys: () => [],
      failed: (error: unknown) => log.warn(errorFields(error), "cannot watch the webhook configuration"),
    };
    void watchMetadata(this.api, configurations, handler, signal, { fieldSelector });
    signal.addEventListener("abort", () => void this.#scheduler.close(), { once: true });
  }

  wake(): void {
    this.#scheduler.wake(kind, this.#key, this);
  }

  /** Takes one step of the plan. Never throws: an error is part of the outcome. */
  sync(): Promise<Outcome> {
    return this.#step().catch((error: unknown) => ({ next: "retry", firstSeconds: 1, atMostSeconds: 30, error }));
  }

  async #step(): Promise<Outcome> {
    if (!this.holdsLease()) return { next: "soon", afterSeconds: standbySeconds, periodSeconds: lostChangesSeconds };
    // The configuration comes first, and its write fails if it has changed since. So what is written into it is of a
    // Secret that is at least as new, also when two processes believe that they lead.
    const configuration = await this.#configuration();
    const secret = (await this.api.find(this.#secretPath)) as object | undefined;
    const content = contentOf(secret, this.#serviceName);
    const entries = configuration ? entriesOf(configuration) : [];
    const confirmed = configuration !== undefined && isConfirmed(configuration);
    const unchangedMilliseconds = this.#unchanged(content, entries, confirmed);
    const now = this.api.clock.now();
    const freshPath = randomBytes(32).toString("hex");
    const situation = { content, entries, isConfirmed: confirmed, unchangedMilliseconds, now, freshPath };
    const step = nextStep(situation, this.settings.lifetimeMilliseconds, this.#issues);
    if (step.do === "wait")
      return { next: "soon", afterSeconds: step.milliseconds / 1000, periodSeconds: lostChangesSeconds };
    if (!this.holdsLease()) return { next: "soon", afterSeconds: standbySeconds, periodSeconds: lostChangesSeconds };
    try {
      if (step.do === "trust") await this.#trust(configuration, content, step.path);
      else if (step.do === "store") await this.#store(secret, step.content, step.why);
      else if (step.do === "confirm") await this.#confirm(configuration);
      else {
        const issued = issue(this.#serviceName, now, this.settings.lifetimeMilliseconds);
        await this.#store(secret, withNext(step.content, issued), "issued the next certificate");
      }
    } catch (error) {
      // Another writer was faster; look again.
      if (!isStatus(error, 409) && !isStatus(error, 404)) throw error;
      return { next: "soon", afterSeconds: 0.1, periodSeconds: lostChangesSeconds };
    }
    return { next: "soon", afterSeconds: 0, periodSeconds: lostChangesSeconds };
  }

  async #configuration(): Promise<WebhookConfiguration | undefined> {
    const found = await this.api.find(this.#configurationPath);
    return found === undefined ? undefined : webhookConfigurationOf(found);
  }

  #unchanged(content: Content, entries: Entry[], confirmed: boolean): number {
    const state = JSON.stringify([content, entries, confirmed]);
    if (state !== this.#found.state) this.#found = { state, since: performance.now() };
    return performance.now() - this.#found.since;
  }

  async #trust(
    configuration: WebhookConfiguration | undefined,
    { trusted }: Content,
    path: string | undefined,
  ): Promise<void> {
    if (!configuration) return;
    const { object, fieldManager } = trusting(configuration, this.#issues ? trusted : undefined, path);
    await this.api.patch(this.#configurationPath, applyPatch, object, { query: { fieldManager, force: "true" } });
    const { webhook } = this.settings;
    if (this.#issues) log.info({ webhook, cas: trusted.length }, "wrote caBundle and path");
    else log.info({ webhook }, "wrote the path");
  }

  async #confirm(configuration: WebhookConfiguration | undefined): Promise<void> {
    if (!configuration) return;
    const { object, fieldManager } = confirming(configuration);
    await this.api.patch(this.#configurationPath, mergePatch, object, { query: { fieldManager } });
  }

  async #store(secret: object | undefined, content: Content, why: string): Promise<void> {
    if (!secret) throw new NoSecret(`there is no Secret ${this.#key}, and the module may not create one`);
    await this.api.replace(this.#secretPath, withContent(secret, content, this.#issues));
    log.info({ secret: this.#key, cas: content.trusted.length }, `wrote the Secret: ${why}`);
  }
}

function failed(secret: string, error: unknown): void {
  const fields = errorFields(error);
  telemetry.syncErrors.inc({ kind, reason: telemetry.reasonLabel(fields.reason) });
  const isMissing = error instanceof NoSecret || isStatus(error, 403);
  const remedy = isMissing ? `; run: ${installCommand}` : isStatus(error, 422) ? "; empty the Secret" : "";
  log.error({ secret, ...fields }, `cannot keep certificate and path of the webhook${remedy}`);
}
