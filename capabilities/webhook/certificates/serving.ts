import { existsSync, readFileSync } from "node:fs";
import { RequestListener } from "node:http";
import https from "node:https";
import { createHash, timingSafeEqual } from "node:crypto";
import * as z from "zod";
import { Api, isStatus } from "../../kubernetes/api";
import { errorFields, log } from "../../kubernetes/log";
import { Instant } from "../../kubernetes/time";
import { watchObjects } from "../../kubernetes/watch";
import { issue } from "./issue";
import { Content, isSecretPath } from "./plan";
import { certificatesIn, contentOf, isIssuedBy, tlsOf } from "./secret";
import { CertificateSettings } from "./settings";

/** The files of Pepr's Deployments: environment variable and default. */
const files = { key: ["SSL_KEY_PATH", "/etc/certs/tls.key"], cert: ["SSL_CERT_PATH", "/etc/certs/tls.crt"] } as const;
const pathFile = "/app/api-path/value";
const emptyFile = "/dev/null";

/** What Pepr takes for the path, which it logs. Nobody is answered on it: reviews come by the paths of this process. */
const innerPath = "review";

const openPaths = ["/healthz", "/metrics"];

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
  served?: (notAfter: Instant) => void;
  changed?: () => void;
}

/** What this process serves: the certificate of the Secret, a mounted one until then, or its own for probes. */
export class Serving {
  readonly #mounted: Tls | undefined;
  /** The path of `npx pepr deploy`, which no log has and only the API server knows. */
  readonly #mountedPath: string | undefined;
  #server?: https.Server;
  #paths: string[] = [];
  #source: "nothing" | "itself" | "mount" | "Secret" = "nothing";
  #isTrusted = false;

  /** Sets the variables that Pepr needs to start without mounted files. */
  constructor(readonly options: ServingOptions) {
    const [key, cert] = [fileOf(files.key), fileOf(files.cert)];
    this.#mounted = key && cert ? { key, cert } : undefined;
    if (this.#mounted) this.#source = "mount";
    this.#mountedPath = process.env.PEPR_API_PATH ?? contentOfFile(pathFile);
    process.env.PEPR_API_PATH = innerPath;
  }

  get #serviceName(): string {
    return `${this.options.settings.service}.${this.options.namespace}.svc`;
  }

  attach(server: https.Server): void {
    this.#server = server;
  }

  get initial(): Tls | undefined {
    return this.#mounted;
  }

  /** Hears probes, scrapes, and reviews on a path of this process; 404 before any other body is read. */
  onlyKnownPaths(listener: RequestListener): RequestListener {
    return (request, response) => {
      const { method = "", url = "" } = request;
      // The API server adds its timeout as a query.
      const [, pathname = "", query = ""] = /^([^?]*)(.*)$/s.exec(url) ?? [];
      if (pathname === "/healthz" && this.options.isAdmission && this.#missing !== undefined)
        return void response.writeHead(503, { "Content-Type": "text/plain" }).end(this.#missing);
      const isReview = method === "POST" && this.#isPath(pathname);
      if (!isReview && !(method === "GET" && openPaths.includes(pathname)))
        return void response.writeHead(404, { Connection: "close" }).end();
      if (isReview) request.url = `/validate/${innerPath}${query}`;
      listener(request, response);
    };
  }

  #isPath(pathname: string): boolean {
    const [, path] = /^\/validate\/([^/]+)$/.exec(pathname) ?? [];
    if (path === undefined || !this.options.isAdmission) return false;
    const known = this.#mountedPath === undefined ? this.#paths : [this.#mountedPath, ...this.#paths];
    return known.some(one => timingSafeEqual(digestOf(one), digestOf(path)));
  }

  get #missing(): string | undefined {
    const { secret, pathSecret, mode } = this.options.settings;
    if (!this.#isTrusted && secret !== undefined) return this.#waiting(secret, mode);
    if (this.#paths.length > 0 || this.#mountedPath !== undefined) return undefined;
    return `Secret ${this.options.namespace}/${pathSecret} has no path: the watcher makes it; see its log`;
  }

  /** Follows the Secrets until `signal`. Never throws. */
  async follow(api: Api, signal: AbortSignal): Promise<void> {
    const { secret, pathSecret } = this.options.settings;
    const takePaths = (found: object): void => this.#takePaths(contentOf(found, this.#serviceName));
    await Promise.all([
      secret !== undefined && this.#follow(api, secret, found => this.#take(found), signal),
      // In mode Managed one Secret has both.
      pathSecret !== undefined && pathSecret !== secret && this.#follow(api, pathSecret, takePaths, signal),
    ]);
  }

  #follow(api: Api, name: string, take: (secret: object) => void, signal: AbortSignal): Promise<void> {
    const { namespace, changed, settings } = this.options;
    const watched = {
      path: `/api/v1/namespaces/${namespace}/secrets`,
      fieldSelector: `metadata.name=${name}`,
      schema: secretSchema,
    };
    const isOfCertificate = name === settings.secret;
    let isThere = false;
    const handler = {
      seen: (secret: object) => {
        isThere = true;
        take(secret);
        changed?.();
      },
      gone: () => {
        isThere = false;
        changed?.();
      },
      keys: () => (isThere ? [`${namespace}/${name}`] : []),
      listed: () => {
        if (isOfCertificate) this.#serveWithout(name, isThere);
      },
      failed: (error: unknown) => {
        log.warn({ namespace, name, ...errorFields(error) }, "cannot watch the Secret of the webhook");
        if (!isOfCertificate) return;
        // Without the rights of this version the leader writes nothing either, and the mounted certificate holds.
        if (isStatus(error, 403) && this.#source === "mount") this.#isTrusted = true;
        this.#serveItself();
      },
    };
    return watchObjects(api, watched, handler, signal);
  }

  /** After a list: serves what there is while the Secret has no certificate. */
  #serveWithout(secret: string, isThere: boolean): void {
    const { mode } = this.options.settings;
    if (this.#source === "Secret") return;
    if (mode !== "Managed") log.error(this.#waiting(secret, mode));
    if (!isThere) this.#isTrusted = this.#mounted !== undefined;
    this.#serveItself();
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
    const content = contentOf(secret, this.#serviceName);
    const { current, trusted } = content;
    this.#takePaths(content);
    if (current) this.#serve({ cert: current.pem, key: current.key });
    // The mounted certificate is of `npx pepr deploy`, whose CA stays trusted until the Secret has a certificate. An
    // empty Secret says nothing.
    else if (this.#source !== "Secret") {
      const isTrusted = (pem: string): boolean => trusted.length === 0 || trusted.some(ca => isIssuedBy(pem, ca));
      this.#isTrusted = this.#mounted !== undefined && isTrusted(this.#mounted.cert);
    }
  }

  /** A path that the Secret has lost, or that can be guessed, is what the leader replaces next. */
  #takePaths({ path, formerPath }: Content): void {
    if (path === undefined || (this.#paths.length > 0 && !isSecretPath(path))) return;
    this.#paths = [path, ...(formerPath === undefined ? [] : [formerPath])];
  }

  #serve(tls: Tls): void {
    const { namespace, settings, served } = this.options;
    const [certificate] = certificatesIn(tls.cert);
    try {
      if (!certificate) throw new Error("tls.crt is not a certificate in PEM");
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
  const content = contentOfFile(path);
  if (!existsSync(path)) process.env[variable] = emptyFile;
  return content;
}

function contentOfFile(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path).toString().trim() || undefined : undefined;
}

/** Of equal length, so that the time of a comparison tells nothing. */
const digestOf = (path: string): Buffer => createHash("sha256").update(path).digest();
