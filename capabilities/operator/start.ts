import { Capability, PeprModule } from "pepr";
import { Api, moduleNamespace } from "../kubernetes/api";
import { errorFields, log } from "../kubernetes/log";
import { CertificateIssuer } from "./certificate-issuer";
import { operator } from "./operator";
import { Kind } from "./reconciler";
import { certificateExpiration, exposeMetrics } from "./telemetry";
import { Serving } from "../webhook/certificates/serving";
import { CertificateSettings, certificateSettings } from "../webhook/certificates/settings";
import { shapeWebhookServer } from "../webhook/server";

/** A capability of the module: Pepr's bindings, and the kind that they feed. */
export interface CapabilityModule {
  capability: Capability;
  reconciler: Kind;
  /** The watches of admission, if any. */
  admission?: { start: (signal: AbortSignal) => void };
}

/** A connection of its own, so that a burst of other requests cannot delay the webhook's certificate. */
const certificateApi = new Api(undefined, 1);

/**
 * Starts the module: Pepr's server, and in the watcher the controllers. Starts nothing while `pepr build` collects the
 * bindings.
 */
export function start(config: ConstructorParameters<typeof PeprModule>[0], modules: CapabilityModule[]): void {
  const { PEPR_MODE: mode, PEPR_WATCH_MODE: watchMode, PEPR_HOST: host, PEPR_PORT: port = "3000" } = process.env;
  // `pepr build` collects the bindings over a channel. Without one, only the exported list is used.
  if (mode === "build" && !process.send) return;
  const enabled = enabledModules(modules, process.env.MLSCALER_RESOURCES);
  const capabilities = enabled.map(module => module.capability);
  const pepr = new PeprModule(config, capabilities, { deferStart: true });
  if (mode === "build") return;
  // `pepr dev` makes the certificate and the webhook configuration of its machine.
  const settings = certificateSettings(mode === "dev" ? { MLSCALER_CERTIFICATES: "Provided" } : process.env);
  const isAdmission = watchMode !== "true";
  const issuer = isAdmission ? undefined : certificateIssuer(settings);
  const serving = new Serving({
    ...{ settings, isAdmission, namespace: moduleNamespace() },
    served: notAfter => certificateExpiration.set(notAfter / 1000),
    changed: () => issuer?.wake(),
  });
  shapeWebhookServer(host, serving);
  pepr.start(Number(port));
  const { signal } = new AbortController();
  void serving.follow(certificateApi, signal);
  issuer?.start(signal);
  if (isAdmission) enabled.forEach(({ admission }) => admission?.start(signal));
  if (!isAdmission || mode === "dev") reconcile(enabled.map(module => module.reconciler));
}

/** Who keeps the Secret of the webhook, where there is one. */
function certificateIssuer(settings: CertificateSettings): CertificateIssuer | undefined {
  const { pathSecret } = settings;
  if (pathSecret === undefined) return undefined;
  const namespace = moduleNamespace();
  // One watcher alone renews: the one that holds the shard of the module's namespace.
  const leading = (): boolean => operator.context.leading(namespace);
  return new CertificateIssuer(certificateApi, leading, { ...settings, pathSecret }, namespace);
}

/**
 * The modules that `names` ("mlscaler,hello") lists; all if it is undefined. Throws if it lists none, or one that does
 * not exist.
 */
export function enabledModules<Module extends Pick<CapabilityModule, "capability">>(
  modules: Module[],
  names: string | undefined,
): Module[] {
  if (names === undefined) return modules;
  const wanted = names.split(",").map(name => name.trim());
  const known = modules.map(({ capability }) => capability.name);
  const unknown = wanted.find(name => !known.includes(name));
  if (unknown !== undefined)
    throw new Error(`MLSCALER_RESOURCES has "${unknown}", use one or more of ${known.join(", ")}, separated by commas`);
  return modules.filter(({ capability }) => wanted.includes(capability.name));
}

function reconcile(kinds: Kind[]): void {
  exposeMetrics();
  // Pepr's own handler exits at once, before the Lease is released.
  process.removeAllListeners("SIGTERM");
  let ending: Promise<void> | undefined;
  // SIGTERM may arrive twice; without a handler the second one would end the process.
  process.on("SIGTERM", () => void (ending ??= shutDown()));
  process.on("unhandledRejection", error => {
    log.fatal(errorFields(error), "unhandled rejection");
    process.exit(1);
  });
  process.on("uncaughtException", error => {
    if (isBrokenBody(error)) return log.warn(errorFields(error), "a watch that was already given up broke");
    log.fatal(errorFields(error), "uncaught exception");
    process.exit(1);
  });
  operator.start(kinds);
}

/**
 * Whether `error` is undici's error for a response body that breaks. Kubernetes Fluent Client removes all listeners of
 * a watch's stream before it destroys the stream and opens the next watch. If the body has just broken, nobody listens.
 */
const isBrokenBody = (error: Error): boolean => error.name === "TypeError" && error.message === "terminated";

async function shutDown(): Promise<void> {
  log.info("SIGTERM: stopping");
  await operator.stop();
  log.info("shutdown completed");
  process.exit(0);
}
