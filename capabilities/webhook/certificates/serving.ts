import { existsSync, readFileSync } from "node:fs";
import { RequestListener } from "node:http";
import https from "node:https";
import { randomBytes } from "node:crypto";
import * as z from "zod";
import { Api, isStatus } from "../../kubernetes/api";
import { errorFields, log } from "../../kubernetes/log";
import { watchObjects } from "../../kubernetes/watch";
import { issue } from "./issue";
import { certificatesIn, contentOf, isIssuedBy, tlsOf } from "./secret";
import { CertificateSettings } from "./settings";

/** The files of Pepr's Deployments: environment variable and default. */
const files = {
  key: ["SSL_KEY_PATH", "/etc/certs/tls.key"],
  cert: ["SSL_CERT_PATH", "/etc/certs/tls.crt"],
} as const;
const pathFile = "/app/api-path/value";

/** A file that Pepr can read where there is none. */
const emptyFile = "/dev/null";

/** The paths of the Secret that stay valid: the newest one, and the one before while the API server still uses it. */
const mostPaths = 2;

const secretSchema = z.looseObject({
  metadata: z.looseObject({ name: z.string(), namespace: z.string().default("") }),
});

interface Tls {
  cert: string;
  key: string;
}

export interface ServingOptions {
  settings: CertificateSettings;
  namespace: string;
  /** Whether the API server calls this process. */
  isAdmission: boolean;
  /** Called with the end of the certificate that is served, epoch milliseconds. */
  served?: (notAfter: number) => void;
  /** Called when the Secret may have changed. */
  changed?: () => void;
}

/**
 * What the HTTPS server of this process serves: the certificate of the Secret, which it takes up without a restart; a
 * mounted one until then; without both, one that it makes itself, for probes and Prometheus.
 */
export class Serving {
  readonly #mounted: Tls | undefined;
  readonly #ownPath: string;
  #server?: https.Server;
  #paths: string[] = [];
  #source: "nothing" | "itself" | "mount" | "Secret" = "nothing";
  #isTrusted = false;

  /** Sets the variables that Pepr needs to start without mounted files. */
  constructor(readonly options: ServingOptions) {
    const [key, cert] = [fileOf(files.key), fileOf(files.cert)];
    this.#mounted = key && cert ? { key, cert } : undefined;
    if (this.#mounted) this.#source = "mount";
    this.#ownPath = process.env.PEPR_API_PATH ??= readable(pathFile) ?? randomBytes(32).toString("hex");
  }

  /** The name that the API server expects in the certificate. */
  get #serviceName(): string {
    return `${this.options.settings.service}.${this.options.namespace}.svc`;
  }

  /** Serves by this server. */
  attach(server: https.Server): void {
    this.#server = server;
  }

  /** The certificate to create the server with. */
  get initial(): Tls | undefined {
    return this.#mounted;
  }

  /** Wraps a listener: it accepts the path of the Secret, and its probe fails until callers trust the certificate. */
  guard(listener: RequestListener): RequestListener {
    return (request, response) => {
      const { secret, mode } = this.options.settings;
      if (request.url === "/healthz" && this.options.isAdmission && !this.#isTrusted && secret !== undefined) {
        response.writeHead(503, { "Content-Type": "text/plain" }).end(this.#waiting(secret, mode));
        return;
      }
      // The API server adds its timeout as a query.
      const [, path = "", query = ""] = /^\/validate\/([^/?]+)(.*)$/.exec(request.url ?? "") ?? [];
      if (this.#paths.includes(path)) request.url = `/validate/${this.#ownPath}${query}`;
      listener(request, response);
    };
  }

  /** Follows the Secret until `signal`. Never throws. */
  async follow(api: Api, signal: AbortSignal): Promise<void> {
    const { settings, namespace, changed } = this.options;
    const { secret: name, mode } = settings;
    if (name === undefined) return;
    const watched = {
      path: `/api/v1/namespaces/${namespace}/secrets`,
      fieldSelector: `metadata.name=${name}`,
      schema: secretSchema,
    };
    let isThere = false;
    await watchObjects(
      api,
      watched,
      {
        seen: secret => {
          isThere = true;
          this.#take(secret);
          changed?.();
        },
        gone: () => {
          isThere = false;
          changed?.();
        },
        keys: () => (isThere ? [`${namespace}/${name}`] : []),
        complete: isComplete => {
          if (!isComplete || this.#source === "Secret") return;
          if (mode !== "Managed") log.error(this.#waiting(name, mode));
          if (!isThere) this.#isTrusted = this.#mounted !== undefined;
          this.#serveItself();
        },
        failed: error => {
          // Without the rights of this version the leader writes nothing either, and the mounted certificate holds.
          if (isStatus(error, 403) && this.#source === "mount") this.#isTrusted = true;
          log.warn({ namespace, name, ...errorFields(error) }, "cannot watch the Secret of the certificate");
          this.#serveItself();
        },
      },
      signal,
    );
  }

  #waiting(secret: string, mode: CertificateSettings["mode"]): string {
    const remedy = {
      Managed: "the watcher makes it; see its log",
      CertManager:
        `see \`kubectl describe certificate -n ${this.options.namespace}\` and whether cert-manager runs, ` +
        "or set certificates.mode to Managed",
      Provided: "create it as a Secret of type kubernetes.io/tls, or set certificates.mode to Managed",
    };
    return `Secret ${this.options.namespace}/${secret} has no certificate to serve: ${remedy[mode]}`;
  }

  #take(secret: object): void {
    if (this.options.settings.mode !== "Managed") {
      const tls = tlsOf(secret);
      if (tls) this.#serve(tls);
      return;
    }
    const { current, path, trusted } = contentOf(secret, this.#serviceName);
    if (path !== undefined && this.#paths[0] !== path) this.#paths = [path, ...this.#paths].slice(0, mostPaths);
    if (current) this.#serve({ cert: current.pem, key: current.key });
    // The mounted certificate is of `npx pepr deploy`, whose CA stays trusted until the Secret has a certificate.
    else if (this.#source !== "Secret")
      this.#isTrusted = this.#mounted !== undefined && trusted.some(ca => isIssuedBy(this.#mounted?.cert ?? "", ca));
  }

  #serve(tls: Tls): void {
    const { namespace, settings, served } = this.options;
    const [certificate] = certificatesIn(tls.cert);
    try {
      if (!certificate) throw new Error("tls.crt is no certificate in PEM");
      this.#server?.setSecureContext(tls);
    } catch (error) {
      const remedy = "the one before is still served; correct the Secret";
      log.error({ namespace, name: settings.secret, ...errorFields(error) }, `cannot serve the certificate: ${remedy}`);
      return;
    }
    this.#source = "Secret";
    this.#isTrusted = true;
    served?.(certificate.notAfter);
  }

  /** After the first look at the Secret: serves what there is without it. */
  #serveItself(): void {
    if (this.#source !== "nothing") return;
    this.#source = "itself";
    const { settings } = this.options;
    try {
      const { pair } = issue(this.#serviceName, Date.now(), settings.lifetimeMilliseconds);
      if (this.#source === "itself") this.#server?.setSecureContext({ cert: pair.pem, key: pair.key });
    } catch (error) {
      this.#source = "nothing";
      log.error(errorFields(error), "cannot make a certificate for probes; the next look at the Secret tries again");
    }
  }
}

/** The content of a file that Pepr reads at its start. Names an empty file to Pepr when there is none. */
function fileOf([variable, fallback]: (typeof files)[keyof typeof files]): string | undefined {
  const path = process.env[variable] ?? fallback;
  const content = readable(path);
  if (!existsSync(path)) process.env[variable] = emptyFile;
  return content;
}

function readable(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path).toString().trim() || undefined : undefined;
}
